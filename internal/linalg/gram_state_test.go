package linalg

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestGramState: a sum that was written and read back at any point goes on with the same bits, and merges alike.
func TestGramState(t *testing.T) {
	const cols = 5
	r := rand.New(rand.NewPCG(3, 4))
	for _, rows := range []int{0, 1, 127, 128, 2047, 2048, 2049, 3 * 2048, 5*2048 + 300} {
		x := make([]float64, rows*cols)
		for i := range x {
			x[i] = r.NormFloat64()
		}
		sum := func(carry bool) []float64 {
			var parts [2]*Gram
			for k, part := range [][]float64{x[:rows/2*cols], x[rows/2*cols:]} {
				g := newGram(cols)
				for len(part) > 0 {
					n := min(len(part)/cols, 384)
					if err := g.Add(part, n, cols); err != nil {
						t.Fatal(err)
					}
					g.Flush()
					if part = part[n*cols:]; carry {
						b, err := g.AppendBinary(nil)
						if err != nil {
							t.Fatal(err)
						}
						g = newGram(cols)
						if err := g.UnmarshalBinary(b); err != nil {
							t.Fatal(err)
						}
					}
				}
				parts[k] = g
			}
			if err := parts[0].Merge(parts[1]); err != nil {
				t.Fatal(err)
			}
			out := make([]float64, cols*cols)
			if err := parts[0].Upper(out); err != nil {
				t.Fatal(err)
			}
			return out
		}
		if got, want := sum(true), sum(false); !slices.Equal(got, want) {
			t.Errorf("%d rows: got %v, want %v", rows, got, want)
		}
	}
}

// TestGramStateGarbage: every prefix, every longer text and other columns are refused.
func TestGramStateGarbage(t *testing.T) {
	g := newGram(3)
	if err := g.Add(make([]float64, 3*5000), 5000, 3); err != nil {
		t.Fatal(err)
	}
	if _, err := g.AppendBinary(nil); !errors.Is(err, ErrShape) {
		t.Errorf("a panel under way: got %v, want ErrShape", err)
	}
	g.Flush()
	b, err := g.AppendBinary(nil)
	if err != nil {
		t.Fatal(err)
	}
	for n := range b {
		if err := newGram(3).UnmarshalBinary(b[:n]); !errors.Is(err, ErrShape) {
			t.Fatalf("%d of %d bytes: got %v, want ErrShape", n, len(b), err)
		}
	}
	if err := newGram(3).UnmarshalBinary(append(b, 0)); !errors.Is(err, ErrShape) {
		t.Errorf("a byte too many: got %v, want ErrShape", err)
	}
	if err := newGram(4).UnmarshalBinary(b); !errors.Is(err, ErrShape) {
		t.Errorf("other columns: got %v, want ErrShape", err)
	}
	if err := g.UnmarshalBinary(b); !errors.Is(err, ErrShape) {
		t.Errorf("a sum that is not empty: got %v, want ErrShape", err)
	}
	for _, at := range []int{8, 16, 24} {
		bad := slices.Clone(b)
		bad[at+6] = 0xff
		if err := newGram(3).UnmarshalBinary(bad); !errors.Is(err, ErrShape) {
			t.Errorf("garbage at %d: got %v, want ErrShape", at, err)
		}
	}
}

// TestGramChain: sums that are handed on from merge to merge, however often, are written and read, and hold all rows.
func TestGramChain(t *testing.T) {
	const cols, parts = 2, 300
	for _, rows := range []int{1, 2048} {
		x := make([]float64, rows*cols)
		for i := range x {
			x[i] = 1
		}
		carry := func(g *Gram) *Gram {
			b, err := g.AppendBinary(nil)
			next := newGram(cols)
			if err := errors.Join(err, next.UnmarshalBinary(b)); err != nil {
				t.Fatal(err)
			}
			return next
		}
		all := newGram(cols)
		for range parts {
			next, empty := newGram(cols), newGram(cols)
			if err := errors.Join(next.Add(x, rows, cols), next.Merge(carry(all)), empty.Merge(next)); err != nil {
				t.Fatal(err)
			}
			all = empty
		}
		if want := 10; len(all.levels) > want {
			t.Errorf("%d rows: got %d levels, want at most %d", rows, len(all.levels), want)
		}
		out := make([]float64, cols*cols)
		if err := all.Upper(out); err != nil || out[0] != float64(rows*parts) {
			t.Errorf("%d rows: got %v (%v), want %d", rows, out, err, rows*parts)
		}
	}
}
