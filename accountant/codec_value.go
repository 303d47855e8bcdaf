package accountant

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"reflect"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// object is a JSON object whose values are read later.
type object map[string]json.RawMessage

// readObject reads one JSON object and nothing else. Unlike encoding/json it refuses a repeated name.
func readObject(raw []byte) (object, error) {
	bad := func(err error) (object, error) {
		return nil, fmt.Errorf("accountant: codec: got %s, want a JSON object: %w: %w", clip(raw), ErrCodec, err)
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return bad(err)
	}
	fields := object{}
	for d.More() {
		t, err := d.Token()
		if err != nil {
			return bad(err)
		}
		name, ok := t.(string)
		if !ok {
			return bad(nil)
		}
		if _, twice := fields[name]; twice {
			return nil, fmt.Errorf("accountant: codec: field %s: got it twice, want it once: %w", clip([]byte(name)), ErrCodec)
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return bad(err)
		}
		fields[name] = value
	}
	if _, err := d.Token(); err != nil {
		return bad(err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, fmt.Errorf("accountant: codec: got more after the object, want its end: %w", ErrCodec)
	}
	return fields, nil
}

// only checks that the object has exactly the named fields.
func (o object) only(names ...string) error {
	for _, name := range names {
		if _, ok := o[name]; !ok {
			return fmt.Errorf("accountant: codec: field %s: got none, want it: %w", name, ErrCodec)
		}
	}
	if len(o) == len(names) {
		return nil
	}
	known := map[string]bool{}
	for _, name := range names {
		known[name] = true
	}
	for name := range o {
		if !known[name] {
			return fmt.Errorf("accountant: codec: field %s: unknown, want one of %v: %w", clip([]byte(name)), names, ErrCodec)
		}
	}
	return nil
}

// appendStruct writes the fields of v and a closing brace.
func appendStruct(b []byte, v reflect.Value) ([]byte, error) {
	for i := range v.NumField() {
		if i > 0 {
			b = append(b, ',')
		}
		b = fmt.Appendf(b, "%q:", snake(v.Type().Field(i).Name))
		var err error
		if b, err = appendValue(b, v.Field(i)); err != nil {
			return nil, fmt.Errorf("%s: %w", snake(v.Type().Field(i).Name), err)
		}
	}
	return append(b, '}'), nil
}

func appendValue(b []byte, v reflect.Value) ([]byte, error) {
	if m, ok := v.Interface().(encoding.TextMarshaler); ok {
		text, err := m.MarshalText()
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrCodec, err)
		}
		return appendString(b, string(text))
	}
	switch v.Kind() {
	case reflect.Float64:
		x := v.Float()
		if math.IsNaN(x) {
			return nil, fmt.Errorf("got NaN, want a number: %w", ErrCodec)
		}
		if math.IsInf(x, 0) {
			return fmt.Appendf(b, `"%+v"`, x), nil
		}
		return strconv.AppendFloat(b, x, 'g', -1, 64), nil
	case reflect.Int:
		return strconv.AppendInt(b, v.Int(), 10), nil
	case reflect.Uint8:
		return strconv.AppendUint(b, v.Uint(), 10), nil
	case reflect.Bool:
		return strconv.AppendBool(b, v.Bool()), nil
	case reflect.String:
		return appendString(b, v.String())
	case reflect.Struct:
		return appendStruct(append(b, '{'), v)
	case reflect.Slice:
		b = append(b, '[')
		for i := range v.Len() {
			if i > 0 {
				b = append(b, ',')
			}
			var err error
			if b, err = appendValue(b, v.Index(i)); err != nil {
				return nil, err
			}
		}
		return append(b, ']'), nil
	}
	return nil, fmt.Errorf("got a field of type %v, want a number, a text or a struct or list of such: %w", v.Type(), ErrCodec)
}

func appendString(b []byte, s string) ([]byte, error) {
	if !utf8.ValidString(s) {
		return nil, fmt.Errorf("got a text that is not UTF-8: %w", ErrCodec)
	}
	raw, err := json.Marshal(s)
	return append(b, raw...), err
}

// readStruct fills v from exactly its fields.
func readStruct(fields object, v reflect.Value) error {
	names := make([]string, v.NumField())
	for i := range names {
		names[i] = snake(v.Type().Field(i).Name)
	}
	if err := fields.only(names...); err != nil {
		return err
	}
	for i, name := range names {
		if err := readValue(fields[name], v.Field(i)); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

func readValue(raw json.RawMessage, v reflect.Value) error {
	bad := fmt.Errorf("got %s, want what Marshal writes for a %v: %w", clip(raw), v.Type(), ErrCodec)
	if string(raw) == "null" {
		return bad
	}
	if u, ok := v.Addr().Interface().(encoding.TextUnmarshaler); ok {
		var text string
		if json.Unmarshal(raw, &text) != nil {
			return bad
		}
		if err := u.UnmarshalText([]byte(text)); err != nil {
			return fmt.Errorf("%w: %w", bad, err)
		}
		return nil
	}
	switch v.Kind() {
	case reflect.Float64:
		switch string(raw) {
		case `"+Inf"`:
			v.SetFloat(math.Inf(1))
			return nil
		case `"-Inf"`:
			v.SetFloat(math.Inf(-1))
			return nil
		}
		fallthrough
	case reflect.Int, reflect.Uint8, reflect.Bool, reflect.String:
		if json.Unmarshal(raw, v.Addr().Interface()) != nil {
			return bad
		}
		return nil
	case reflect.Struct:
		fields, err := readObject(raw)
		if err != nil {
			return err
		}
		return readStruct(fields, v)
	case reflect.Slice:
		var list []json.RawMessage
		if json.Unmarshal(raw, &list) != nil {
			return bad
		}
		if len(list) == 0 {
			return nil // as Marshal writes a nil list
		}
		v.Set(reflect.MakeSlice(v.Type(), len(list), len(list)))
		for i, item := range list {
			if err := readValue(item, v.Index(i)); err != nil {
				return err
			}
		}
		return nil
	}
	return bad
}

// snake turns GridSigma into grid_sigma, and K into k.
func snake(name string) string {
	var b strings.Builder
	last := ' '
	for i, r := range name {
		if unicode.IsUpper(r) && i > 0 && unicode.IsLower(last) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
		last = r
	}
	return b.String()
}

// clip shortens what an error quotes.
func clip(raw []byte) string {
	const most = 40
	if len(raw) == 0 {
		return "nothing"
	}
	if len(raw) > most {
		return fmt.Sprintf("%.40q…", raw)
	}
	return fmt.Sprintf("%q", raw)
}
