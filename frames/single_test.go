package frames

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
)

// TestSingle: every reader rounds to the nearest float32 within the bounds, and to nothing outside of them.
func TestSingle(t *testing.T) {
	plain := Numeric("x", 0.1, 0.7).MayMiss()
	for _, clamp := range []bool{false, true} {
		col := plain
		if col.Clamp = clamp; clamp {
			col.Name = "c"
		}
		s, err := NewSchema(col.Single(), Label("y", "no", "yes"))
		if err != nil {
			t.Fatal(err)
		}
		values := []float64{0.1, 0.7, math.NaN(), 0.3, 0.30000001, math.Nextafter(0.1, 1), math.Nextafter(0.7, 0), 0.5}
		if clamp {
			values = append(values, -3, 1e300, 0)
		}
		b := &Block{Rows: len(values), Cols: 1, X: values, Y: make([]float64, len(values))}
		f, err := FromBlock(s, b)
		if err != nil {
			t.Fatal(err)
		}
		checked, err := Check(t.Context(), block{s, b})
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range values {
			got := f.data().value(i, 0)
			if math.IsNaN(v) {
				if !math.IsNaN(got) {
					t.Errorf("a missing cell is %v", got)
				}
				continue
			}
			v = min(max(v, 0.1), 0.7)
			if got != float64(float32(got)) || !(got >= 0.1 && got <= 0.7) || math.Abs(got-v) > 0x1p-24 {
				t.Errorf("%v: got %v", v, got)
			}
			if c := s.s.cols[0]; c.rounded(got) != got {
				t.Errorf("%v: rounded twice: %v", v, c.rounded(got))
			}
		}
		// The same rows by way of a check have the same contents, and other ones than without the option.
		key := []byte("key")
		one := content(t, f, key)
		if content(t, checked, key) != one {
			t.Error("a checked source has another fingerprint")
		}
		rounded := *b
		rounded.X = make([]float64, len(values))
		f.data().columns[0].read(rounded.X, 1, 0, len(values))
		double, err := FromBlock(s.Computed(), &rounded)
		if err != nil {
			t.Fatal(err)
		}
		if content(t, double, key) == one || double.Fingerprint(key) == f.Fingerprint(key) || s.Computed().Hash() == s.Hash() {
			t.Error("the same numbers in double precision have the same fingerprint")
		}
		if f.data().columns[0].as != asSingle || double.data().columns[0].as != asNumber {
			t.Error("stored otherwise")
		}
	}
}

func content(t *testing.T, src Source, key []byte) [32]byte {
	t.Helper()
	c, err := ContentOf(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	sum, err := c.Fingerprint(key, src.Schema().Columns()[0].Name, "y")
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// block is a source of one block.
type block struct {
	schema Schema
	b      *Block
}

func (b block) Schema() Schema                                        { return b.schema }
func (b block) Rows() int                                             { return b.b.Rows }
func (b block) Scan(_ context.Context, fn func(b *Block) error) error { return fn(b.b) }

// TestSingleDeclared: what may have single precision, and that it is stored.
func TestSingleDeclared(t *testing.T) {
	s, err := NewSchema(Numeric("x", -1, 1).Single(), Numeric("z", -1, 1).Clamped().Single(), NumericLabel("y", 0, 5).Single())
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	var back Schema
	if err := json.Unmarshal(text, &back); err != nil || back.Hash() != s.Hash() {
		t.Errorf("read back: %v\n%s", err, text)
	}
	if !strings.Contains(s.String(), "single precision") || strings.Contains(s.Computed().String(), "single") {
		t.Error(s.String())
	}
	f, err := ParseCSV(bytes.NewReader([]byte("0.1,0.2,0.3\n")), "t", s, CSVOptions{})
	if err != nil || f.data().value(0, 0) != float64(float32(0.1)) || f.data().value(0, -1) != float64(float32(0.3)) {
		t.Errorf("got %v", err)
	}
	for name, c := range map[string]Column{
		"levels":    Category("x", "a", "b").Single(),
		"person":    Person("x").Single(),
		"text":      Text("x").Single(),
		"ignored":   Ignored("x").Single(),
		"date":      Date("x", "2024-01-01", "2024-12-31").Single(),
		"unbounded": Unbounded("x").Single(),
		"wide":      Numeric("x", 0, 1e39).Single(),
		"narrow":    Numeric("x", 1, math.Nextafter(1, 2)).Single(),
		"tiny":      Numeric("x", 0, 1e-50).Single(),
		"block":     {Name: "x", Kind: KindNumeric, Hi: 1, Block: "b", more: &rare{single: true}},
	} {
		if _, err := NewSchema(c); !errors.Is(err, ErrSchema) || !strings.Contains(err.Error(), "drop Single") {
			t.Errorf("%s: got %v", name, err)
		}
	}
}
