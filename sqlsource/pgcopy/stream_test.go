package pgcopy

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/sqlsource"
	"github.com/dpkit-go/dpnb/sqlsource/internal/cells"
	"github.com/dpkit-go/dpnb/sqlsource/internal/feed"
	"github.com/dpkit-go/dpnb/sqlsource/internal/shape"
)

// feedBytes gives bytes to a stream in pieces, of a key of eight bytes and a column of doubles, and returns the cells.
func feedBytes(t testing.TB, data []byte, piece int) (got []float64, err error) {
	t.Helper()
	s, err := frames.NewSchema(frames.Unbounded("x"))
	if err != nil {
		t.Fatal(err)
	}
	c := cells.New(s.Columns()[0], "FLOAT8")
	read, err := valueOf(&c, "FLOAT8")
	if err != nil {
		t.Fatal(err)
	}
	sized := func(b []byte) (float64, frames.PersonID, cells.Fault) {
		if len(b) != 8 {
			return 0, frames.PersonID{}, cells.Fault{Got: "a value of another size", Want: "numbers", Of: sqlsource.ErrType}
		}
		return read(b)
	}
	err = feed.Scan(context.Background(), s, func(_ context.Context, w *feed.Writer) error {
		to := &stream{to: w, fields: []field{{Column: shape.Column{Name: "id", Feature: -1, Keyed: true}}, {Column: shape.Column{Name: "x", Cell: &c}, value: sized}}}
		for len(data) > 0 {
			n := min(piece, len(data))
			if _, err := to.Write(data[:n]); err != nil {
				return err
			}
			data = data[n:]
		}
		return to.ended()
	}, func(b *frames.Block) error {
		got = append(got, b.X...)
		return nil
	})
	return got, err
}

func header() []byte { return append(append([]byte{}, signature...), make([]byte, 8)...) }

func row(fields ...[]byte) []byte {
	b := binary.BigEndian.AppendUint16(nil, uint16(len(fields)))
	for _, f := range fields {
		b = append(binary.BigEndian.AppendUint32(b, uint32(len(f))), f...)
	}
	return b
}

func double(v float64) []byte { return binary.BigEndian.AppendUint64(nil, math.Float64bits(v)) }

var end16 = []byte{0xff, 0xff}

func join(parts ...[]byte) (out []byte) {
	for _, p := range parts {
		out = append(out, p...)
	}
	return out
}

// TestStreams: rows are the same however the bytes are cut, and what is no stream of COPY is an error.
func TestStreams(t *testing.T) {
	one := func(id byte, v float64) []byte { return row([]byte{id}, double(v)) }
	for _, c := range []struct {
		name string
		data []byte
		is   error
		says string
	}{
		{"sound", join(header(), one(1, 5), one(2, 6), end16), nil, ""},
		{"an extension", join(signature, make([]byte, 4), []byte{0, 0, 0, 3, 9, 9, 9}, one(1, 5), one(2, 6), end16), nil, ""},
		{"cut in a row", join(header(), one(1, 5), one(2, 6)[:9]), sqlsource.ErrQuery, "behind row 1"},
		{"cut behind a row", join(header(), one(1, 5)), sqlsource.ErrQuery, "behind row 1"},
		{"nothing", header()[:12], sqlsource.ErrQuery, "behind row 0"},
		{"more behind the end", join(header(), one(1, 5), end16, one(2, 6)), sqlsource.ErrQuery, "not in the form"},
		{"another format", []byte("id,x\n1,5\n2,6\n3,7\n4,8\n"), sqlsource.ErrQuery, "not in the form"},
		{"flags that are not known", join(signature, []byte{0, 1, 0, 0, 0, 0, 0, 0}, one(1, 5), end16), sqlsource.ErrQuery, "not in the form"},
		{"an extension of gigabytes", join(signature, []byte{0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff}, one(1, 5)), sqlsource.ErrQuery, "not in the form"},
		{"another number of fields", join(header(), row([]byte{1}, double(1), double(2)), end16), sqlsource.ErrQuery, "not in the form"},
		{"a negative length", join(header(), []byte{0, 2, 0xff, 0xff, 0xff, 0xfe}, end16), sqlsource.ErrQuery, "not in the form"},
		{"a short double", join(header(), row([]byte{1}, []byte{1, 2}), end16), sqlsource.ErrType, "row 1"},
		{"one key twice", join(header(), one(1, 5), one(1, 6), end16), sqlsource.ErrKey, "rows 1 and 2"},
	} {
		for _, piece := range []int{1, 3, 7, 1 << 20} {
			got, err := feedBytes(t, c.data, piece)
			if !errors.Is(err, c.is) || err != nil && !strings.Contains(err.Error(), c.says) {
				t.Errorf("%s, %d bytes at a time: got %v, want %v with %q", c.name, piece, err, c.is, c.says)
			}
			if c.is == nil && (len(got) != 2 || got[0] != 5 || got[1] != 6) {
				t.Errorf("%s, %d bytes at a time: got %v", c.name, piece, got)
			}
		}
	}
}

// FuzzStream: no bytes make it fail otherwise than with an error, and pieces do not matter.
func FuzzStream(f *testing.F) {
	f.Add(join(header(), row([]byte{1}, double(5)), row([]byte{2}, double(6)), end16), 3)
	f.Add(join(header(), []byte{0, 2, 0, 0, 0, 1, 7, 0xff, 0xff, 0xff, 0xff}, end16), 1)
	f.Add([]byte("PGCOPY"), 2)
	f.Fuzz(func(t *testing.T, data []byte, piece int) {
		a, errA := feedBytes(t, data, len(data)+1)
		b, errB := feedBytes(t, data, 1+int(uint(piece)%64))
		if (errA == nil) != (errB == nil) || len(a) != len(b) && errA == nil {
			t.Errorf("whole: %v, %d rows; in pieces: %v, %d rows", errA, len(a), errB, len(b))
		}
	})
}

// FuzzDecimal: a decimal is read as its text is, and no bytes break the reading.
func FuzzDecimal(f *testing.F) {
	f.Add([]byte{0, 1, 0, 0, 0, 0, 0, 2, 0, 7})
	f.Add([]byte{0, 2, 0xff, 0xff, 0x40, 0, 0, 9, 0x27, 0x0f, 0, 1})
	f.Fuzz(func(t *testing.T, b []byte) {
		c := cells.New(frames.Unbounded("x"), "NUMERIC")
		v, _, bad := decimal(&c)(b)
		if bad.Of == nil && math.IsNaN(v) && (len(b) < 6 || b[4] != 0xC0) {
			t.Errorf("%x is no number", b)
		}
	})
}
