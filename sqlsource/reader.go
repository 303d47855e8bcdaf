package sqlsource

import (
	"bytes"
	"math"
	"time"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/sqlsource/internal/cells"
	"github.com/dpkit-go/dpnb/sqlsource/internal/shape"
)

// readers take the values of a row from database/sql.
type readers struct {
	all  []*reader
	into []any
}

// reader takes the value of one column: its cell, and what it is as a part of the key.
type reader struct {
	shape.Column
	number float64
	who    frames.PersonID
	fault  cells.Fault

	same bool // as in the row before
	seen bool // there was a row before
	last any  // the key's part of that row: of text a copy
	text []byte
}

func newReaders(columns []shape.Column) *readers {
	r := &readers{}
	for _, c := range columns {
		one := &reader{Column: c}
		r.all, r.into = append(r.all, one), append(r.into, one)
	}
	return r
}

// Scan implements Scanner of database/sql. What is wrong is said by put: an error here would be dressed in words that are not ours.
func (r *reader) Scan(v any) error {
	if r.Keyed {
		r.compare(v)
	}
	switch {
	case r.Cell == nil:
	case v == nil:
		r.number, r.who, r.fault = math.NaN(), frames.PersonID{}, cells.Fault{}
	default:
		r.number, r.who, r.fault = r.Cell.Of(v)
	}
	return nil
}

// compare notes whether the key's part is that of the row before.
func (r *reader) compare(v any) {
	switch v := v.(type) {
	case []byte:
		_, was := r.last.([]byte)
		r.same = was && bytes.Equal(r.text, v)
		r.text = append(r.text[:0], v...)
		r.last = r.text
	case time.Time:
		before, was := r.last.(time.Time)
		r.same, r.last = was && before.Equal(v), v
	default: // int64, float64, bool, string, nil
		r.same, r.last = r.seen && r.last == v, v
	}
	r.seen = true
}

// put writes the cells of a row to row i of a block.
func (r *readers) put(b *frames.Block, i, row int) error {
	keyed, same := 0, 0
	for _, c := range r.all {
		if c.Keyed {
			keyed++
			if c.same {
				same++
			}
		}
		switch {
		case c.Cell == nil:
		case c.fault.Of != nil:
			return c.Bad(row, c.fault)
		case c.Feature >= 0:
			b.X[i*b.Cols+c.Feature] = c.number
		case c.Cell.Column.Kind == frames.KindPerson:
			b.Person[i] = c.who
		default:
			b.Y[i] = c.number
		}
	}
	if keyed == same {
		return shape.SameKey(row)
	}
	return nil
}
