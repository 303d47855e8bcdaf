package models

import (
	"database/sql/driver"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/frames"
)

// missingTexts stand for a missing cell, as they do in files that package frames reads by default. A level wins over them.
var missingTexts = []string{"", "NA", "?"}

// number is the value of a cell as people have it in a column: a number, the code of a level, NaN for a missing cell.
func number(c frames.Column, x any) (float64, error) {
	if c.IsDate() {
		return dayNumber(c, x)
	}
	text, v, isNumber, err := plain(x)
	if err != nil {
		return 0, err
	}
	if c.Kind == frames.KindText {
		if isNumber && !math.IsNaN(v) && text == "" {
			text = strconv.FormatFloat(v, 'f', -1, 64)
		}
		if t := strings.TrimSpace(text); !slices.Contains(missingTexts, t) {
			return frames.TextCode(t), nil
		}
		return math.NaN(), nil
	}
	if len(c.Levels) > 0 {
		if isNumber && !math.IsNaN(v) && text == "" {
			text = strconv.FormatFloat(v, 'f', -1, 64) // 3.0 is the level "3"
		}
		switch code := slices.Index(c.Levels, text); {
		case isNumber && math.IsNaN(v):
			return math.NaN(), nil
		case code >= 0:
			return float64(code), nil
		case slices.Contains(missingTexts, text):
			return math.NaN(), nil
		case c.Rest != "" && !slices.Contains(c.Levels, strings.TrimSpace(text)):
			return float64(slices.Index(c.Levels, c.Rest)), nil
		}
		return 0, fmt.Errorf("got %s, want one of %s: give a level of the schema, or none where the cell is missing: %w", short(text), few(c.Levels), frames.ErrLevel)
	}
	want := fmt.Sprintf("want a number in [%g, %g]", c.Lo, c.Hi)
	if c.NoBounds {
		want = "want a finite number"
	}
	if !isNumber {
		t := strings.TrimSpace(text)
		if slices.Contains(missingTexts, t) {
			return math.NaN(), nil
		}
		if v, err = strconv.ParseFloat(t, 64); err != nil {
			return 0, fmt.Errorf("got %s, %s: write it as 1234.5: %w", short(text), want, frames.ErrNumber)
		}
	}
	switch {
	case math.IsNaN(v), v >= c.Lo && v <= c.Hi && !math.IsInf(v, 0):
		return v + 0, nil // −0 is 0, as in frames
	case math.IsInf(v, 0):
		return 0, fmt.Errorf("got %g, %s: %w", v, want, frames.ErrNumber)
	case c.Clamp:
		return min(max(v, c.Lo), c.Hi) + 0, nil
	}
	return 0, fmt.Errorf("got %g, %s: the model is of rows in these bounds; move the value to the nearer one if that is what it means: %w", v, want, frames.ErrBounds)
}

// plain is what a cell holds: a text, or a number, with its digits as text if it is an integer; NaN where the cell is missing.
func plain(x any) (text string, v float64, isNumber bool, err error) {
	r, err := held(x)
	if err != nil {
		return "", 0, false, err
	}
	switch k := r.Kind(); {
	case k == reflect.Invalid:
		return "", math.NaN(), true, nil
	case k == reflect.String:
		return r.String(), 0, false, nil
	case k == reflect.Slice && r.Type().Elem().Kind() == reflect.Uint8:
		return string(r.Bytes()), 0, false, nil // a text of database/sql
	case k == reflect.Bool:
		return strconv.FormatBool(r.Bool()), 0, false, nil
	case r.CanInt():
		return strconv.FormatInt(r.Int(), 10), float64(r.Int()), true, nil
	case r.CanUint():
		return strconv.FormatUint(r.Uint(), 10), float64(r.Uint()), true, nil
	case r.CanFloat():
		return "", r.Float(), true, nil
	}
	return "", 0, false, fmt.Errorf("got a %T, want a number, a text or a boolean: convert it: %w", x, kind.ErrParameter)
}

// held is the value that a cell points to; invalid where the cell is missing.
func held(x any) (reflect.Value, error) {
	r := reflect.ValueOf(x)
	for range 8 { // a cell may be a pointer to what database/sql scans, of any depth that makes sense
		if k := r.Kind(); k == reflect.Invalid || (k == reflect.Pointer || k == reflect.Interface) && r.IsNil() {
			return reflect.Value{}, nil
		}
		if s, ok := r.Interface().(driver.Valuer); ok {
			in, err := s.Value()
			if err != nil {
				return r, fmt.Errorf("got a %T without a value, want a number or a text: %w", x, kind.ErrParameter)
			}
			if in == nil {
				return reflect.Value{}, nil
			}
			r = reflect.ValueOf(in)
		}
		if k := r.Kind(); k != reflect.Pointer && k != reflect.Interface {
			break
		}
		r = r.Elem()
	}
	return r, nil
}

// short quotes a cell, the beginning of a long one.
func short(text string) string {
	const shown = 40
	if r := []rune(text); len(r) > shown {
		return strconv.Quote(string(r[:shown])) + "…"
	}
	return strconv.Quote(text)
}
