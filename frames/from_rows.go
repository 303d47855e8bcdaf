package frames

import (
	"fmt"
	"iter"
	"reflect"
)

// FromRows loads the values of a program's own type, which is a struct or a pointer to one, and holds each to the schema as a file's rows
// are. A field says by its tag which column it is:
//
//	type Visit struct {
//		Patient string     `dpnb:"patient"`        // a Person, a category or a class label: text, an integer or a bool ("true", "false")
//		Age     *int       `dpnb:"age"`            // a number, any integer, float or bool (0, 1); nil is a missing cell
//		Income  float64    `dpnb:"income,missing=-9"` // so is what the marker spells, and a float that is NaN
//		Day     time.Time  `dpnb:"day"`            // a [Date]: the day of the time in its own zone; the zero time is a missing cell
//		Note    string                             // without a tag: no column
//	}
//
// Every column that the schema does not ignore has one field; fields of embedded structs count. Nothing is guessed: an empty text is missing
// where the tag says "missing=" alone. The rows are read once. Errors about rows are [*LoadError], which name the row, counted from
// 1, column and field, and no value; those about the type wrap [ErrHeader] or [ErrOptions].
func FromRows[T any](s Schema, rows iter.Seq[T]) (*Frame, error) {
	p, err := newStructParser(s, reflect.TypeFor[T]())
	if err != nil {
		return nil, err
	}
	t := newTable(s)
	n := 0
	for row := range rows {
		n++
		if p.row(reflect.ValueOf(&row).Elem(), n); len(p.errs.Problems) == 0 {
			if p.stamp != nil {
				p.stamp(&p.rowValues)
			}
			t.push(p.rowValues)
		}
		if p.errs.full() {
			break
		}
	}
	if err := p.errs.err(); err != nil {
		return nil, err
	}
	if n == 0 {
		return nil, fmt.Errorf("frames: rows: got 0 rows, want at least 1: check the sequence: %w", ErrEmpty)
	}
	t.clamped = p.clamped()
	return newFrame(t), nil
}
