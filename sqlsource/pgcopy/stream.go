package pgcopy

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/sqlsource"
	"github.com/dpkit-go/dpnb/sqlsource/internal/cells"
	"github.com/dpkit-go/dpnb/sqlsource/internal/feed"
	"github.com/dpkit-go/dpnb/sqlsource/internal/shape"
)

// field is a column that is read.
type field struct {
	shape.Column
	value value  // nil: it is of the key alone
	plain bool   // doubles are its numbers
	last  []byte // of the key: that of the row before
	seen  bool
	null  bool
}

// value makes the cell of a value that is not NULL.
type value func(b []byte) (cell float64, who frames.PersonID, f cells.Fault)

// stream reads rows as COPY writes them: a header, and for each row the number of fields, and each field's length (−1: NULL) and bytes.
type stream struct {
	fields []field
	to     *feed.Writer
	begun  bool
	done   bool
	buf    []byte // what was not a whole row yet
	failed error
}

var (
	signature = []byte("PGCOPY\n\xff\r\n\x00")
	errForm   = errors.New("not in the form that COPY writes")
)

// Write implements io.Writer.
func (s *stream) Write(data []byte) (int, error) {
	n := len(data)
	if len(s.buf) > 0 {
		s.buf = append(s.buf, data...)
		data = s.buf
	}
	for len(data) > 0 && s.failed == nil {
		used, err := s.row(data)
		if s.failed = err; used == 0 {
			break
		}
		data = data[used:]
	}
	s.buf = append(s.buf[:0], data...)
	return n, s.failed
}

// row reads the header or a row, and returns how many bytes that took: 0 where there are too few.
func (s *stream) row(data []byte) (int, error) {
	if !s.begun {
		const head = 11 + 4 + 4
		if len(data) < head {
			return 0, nil
		}
		more := int64(binary.BigEndian.Uint32(data[15:]))
		switch {
		case !bytes.Equal(data[:11], signature) || binary.BigEndian.Uint32(data[11:])>>16 != 0 || more > 1<<20:
			return 0, s.damaged()
		case int64(len(data)) < head+more:
			return 0, nil
		}
		s.begun = true
		return int(head + more), nil
	}
	if len(data) < 2 {
		return 0, nil
	}
	switch fields := int(int16(binary.BigEndian.Uint16(data))); {
	case fields == -1 && !s.done:
		s.done = true
		return 2, nil
	case s.done || fields != len(s.fields):
		return 0, s.damaged()
	}
	at := 2
	for range s.fields { // all of it, before a row is begun
		if len(data) < at+4 {
			return 0, nil
		}
		size := int64(int32(binary.BigEndian.Uint32(data[at:])))
		at += 4
		switch {
		case size < -1:
			return 0, s.damaged()
		case size > 0 && int64(len(data)) < int64(at)+size:
			return 0, nil
		case size > 0:
			at += int(size)
		}
	}
	return at, s.put(data[2:at])
}

// put writes a row.
func (s *stream) put(data []byte) error {
	b, i, err := s.to.Next()
	if err != nil {
		return err
	}
	row := s.to.Row()
	keyed, same := 0, 0
	for k := range s.fields {
		f := &s.fields[k]
		size := int32(binary.BigEndian.Uint32(data))
		null := size < 0
		raw := data[4 : 4+max(0, size)]
		data = data[4+len(raw):]
		if f.Keyed {
			keyed++
			if f.seen && f.null == null && bytes.Equal(f.last, raw) {
				same++
			}
			f.seen, f.null, f.last = true, null, append(f.last[:0], raw...)
		}
		if f.value == nil {
			continue
		}
		number, who := math.NaN(), frames.PersonID{}
		switch {
		case null:
		case f.plain && len(raw) == 8:
			number = math.Float64frombits(binary.BigEndian.Uint64(raw))
		default:
			var bad cells.Fault
			if number, who, bad = f.value(raw); bad.Of != nil {
				return f.Bad(row, bad)
			}
		}
		switch {
		case f.Feature >= 0:
			b.X[i*b.Cols+f.Feature] = number
		case b.Person != nil && f.Cell.Column.Kind == frames.KindPerson:
			b.Person[i] = who
		default:
			b.Y[i] = number
		}
	}
	if keyed == same {
		return shape.SameKey(row)
	}
	return nil
}

// ended reports a stream that was cut.
func (s *stream) ended() error {
	if !s.done || len(s.buf) > 0 {
		return s.damaged()
	}
	return nil
}

func (s *stream) damaged() error {
	return fmt.Errorf("sqlsource: behind row %d: %w: %w", s.to.Row(), sqlsource.ErrQuery, errForm)
}
