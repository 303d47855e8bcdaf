package golden

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"testing"
)

// A Number is a JSON number, or the same in quotation marks, as one that JSON has not: "inf", "+Inf", "-Inf".
type Number float64

// UnmarshalJSON refuses what is no number, null too.
func (n *Number) UnmarshalJSON(raw []byte) error {
	text := string(raw)
	if raw[0] == '"' {
		if err := json.Unmarshal(raw, &text); err != nil {
			return err
		}
	}
	v, err := strconv.ParseFloat(text, 64)
	*n = Number(v)
	return err
}

// MarshalJSON writes infinities in quotation marks.
func (n Number) MarshalJSON() ([]byte, error) {
	if math.IsInf(float64(n), 0) {
		return fmt.Appendf(nil, `"%+v"`, float64(n)), nil
	}
	return json.Marshal(float64(n))
}

// OrNull is a Number, or null for +Inf.
type OrNull float64

// UnmarshalJSON refuses what is neither.
func (n *OrNull) UnmarshalJSON(raw []byte) error {
	if string(raw) == "null" {
		*n = OrNull(math.Inf(1))
		return nil
	}
	return (*Number)(n).UnmarshalJSON(raw)
}

// Numbers is one number or a list.
type Numbers []Number

// UnmarshalJSON refuses what is neither.
func (n *Numbers) UnmarshalJSON(raw []byte) error {
	if raw[0] == '[' {
		return json.Unmarshal(raw, (*[]Number)(n))
	}
	*n = make(Numbers, 1)
	return json.Unmarshal(raw, &(*n)[0])
}

// Floats are the numbers.
func (n Numbers) Floats() []float64 {
	out := make([]float64, len(n))
	for i, x := range n {
		out[i] = float64(x)
	}
	return out
}

var plain = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// Plain takes the quotation marks off all numbers of a document: the files have some of either form.
func Plain(t testing.TB, raw []byte) []byte {
	t.Helper()
	var walk func(v any) any
	walk = func(v any) any {
		switch v := v.(type) {
		case map[string]any:
			for k, w := range v {
				v[k] = walk(w)
			}
		case []any:
			for i, w := range v {
				v[i] = walk(w)
			}
		case string:
			if plain.MatchString(v) {
				return json.Number(v)
			}
		}
		return v
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		t.Fatal(err)
	}
	out, err := json.Marshal(walk(v))
	if err != nil {
		t.Fatal(err)
	}
	return out
}
