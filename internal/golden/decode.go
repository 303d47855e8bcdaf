package golden

import (
	"bytes"
	"encoding/json"
	"reflect"
	"testing"
)

// Strictly decodes what has no field that the type lacks: one that is not read cannot be compared.
func Strictly(raw []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

// Decode decodes strictly. What the type does not know fails the test; what is understood is checked all the same.
func Decode(t testing.TB, raw json.RawMessage, into any) {
	t.Helper()
	err := Strictly(raw, into)
	if err == nil {
		return
	}
	t.Errorf("%.200s: %v", raw, err)
	v := reflect.ValueOf(into).Elem()
	v.SetZero()
	if err := json.Unmarshal(raw, into); err != nil {
		decodeEntries(t, raw, v)
	}
}

// decodeEntries decodes those elements of a list that can be; what is no list is not understood as a whole.
func decodeEntries(t testing.TB, raw json.RawMessage, list reflect.Value) {
	t.Helper()
	var entries []json.RawMessage
	if list.Kind() != reflect.Slice || json.Unmarshal(raw, &entries) != nil {
		t.FailNow()
	}
	list.SetLen(0)
	for _, entry := range entries {
		v := reflect.New(list.Type().Elem())
		if err := json.Unmarshal(entry, v.Interface()); err != nil {
			t.Errorf("%.200s: %v", entry, err)
			continue
		}
		list.Set(reflect.Append(list, v.Elem()))
	}
}
