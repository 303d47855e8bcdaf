package rows

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/linalg"
)

// encodedRows is a table of one-hot blocks and numbers between them, of one height a row; every second run holds rows that are no such rows where it is
// impure, and some rows are empty.
func encodedRows(n int, impure, holes bool) *Matrix {
	cols := []frames.Column{frames.Numeric("a", -1, 1)}
	for block, levels := range []int{2, 9, 30} {
		for l := range levels {
			cols = append(cols, frames.Column{Name: fmt.Sprint(block, "=", l), Kind: frames.KindNumeric, Hi: 1, Block: fmt.Sprint(block)})
		}
		cols = append(cols, frames.Numeric(fmt.Sprint("b", block), -1, 1))
	}
	m := &Matrix{Domain: must(frames.NewSchema(append(cols, frames.Label("y", "no", "yes"))...)), Cols: len(cols)}
	rng := rand.New(rand.NewPCG(5, uint64(n)))
	for i := range n {
		row := make([]float64, len(cols))
		at := 1
		for block, levels := range []int{2, 9, 30} {
			row[at+rng.IntN(levels)] = 1 / float64(1+i%3)
			if impure && i/packedRows%2 == 1 && i%3 == 1 && block == 1 {
				row[at+i%levels] = 0.25
			}
			at += levels + 1
		}
		for j, c := range cols {
			if c.Block == "" {
				row[j] = []float64{0, math.Copysign(0, -1), rng.Float64() - 0.5, 5e-324}[rng.IntN(4)]
			}
		}
		m.X, m.Y = append(m.X, row...), append(m.Y, float64(i%2))
	}
	if holes {
		m.Empty = make([]bool, n)
		for i := 0; i < n; i += 7 {
			m.Remove(i)
		}
	}
	return m
}

// takesPacked counts what it is handed.
type takesPacked struct {
	*ExactSums
	packed, rows int
}

func (s *takesPacked) AddPacked(b *frames.Block, x *linalg.Packed) bool {
	s.packed++
	b.X = make([]float64, b.Rows*b.Cols)
	if err := x.Expand(b.X, 0, b.Rows); err != nil {
		panic(err)
	}
	s.Add(b)
	return true
}

func (s *takesPacked) Add(b *frames.Block) {
	s.rows += b.Rows
	s.ExactSums.Add(b)
}

func (s *takesPacked) Merge(next *takesPacked) {
	s.packed += next.packed
	s.rows += next.rows
	s.ExactSums.Merge(next.ExactSums)
}

// TestPackedTable: packed rows are the rows, bit by bit, in whatever blocks they are read, and in passes that take them packed or not.
func TestPackedTable(t *testing.T) {
	ctx := context.Background()
	for _, n := range []int{1, 255, 256, 257, 1500} {
		for _, c := range []struct{ impure, holes bool }{{false, false}, {true, false}, {false, true}, {true, true}} {
			m := encodedRows(n, c.impure, c.holes)
			p := must(pack(ctx, inParts{m, []int{100, 1, 700}}, PackedShape(m.Domain)))
			name := fmt.Sprint(n, c)
			at := 0
			compare := func(b *frames.Block) error {
				want := m.Block(b.First, b.First+b.Rows)
				if !slices.EqualFunc(b.X, want.X, func(a, b float64) bool { return math.Float64bits(a) == math.Float64bits(b) }) || !slices.Equal(b.Y, want.Y) || !slices.Equal(b.Empty, want.Empty) {
					t.Errorf("%s: rows %d to %d differ", name, b.First, b.First+b.Rows)
				}
				at += b.Rows
				return nil
			}
			if err := p.Scan(ctx, compare); err != nil || at != n {
				t.Fatalf("%s: %v, %d rows", name, err, at)
			}
			b := &frames.Block{}
			for _, from := range []int{0, n / 3, n - 1} {
				p.ReadRange(b, from, n-from)
				compare(b)
				clear(b.Y) // a copy
			}
			d := m.Cols
			add := func(sums []ExactSum, row []float64, y float64) {
				for j, v := range row {
					sums[j].Add(v + 2*y)
				}
			}
			begin := func() *takesPacked { return &takesPacked{ExactSums: &ExactSums{make([]ExactSum, d), add}} }
			got := must(Drive(ctx, InProcess{In: p}, begin))
			want := must(Drive(ctx, InProcess{In: m}, begin))
			plain := must(Drive(ctx, InProcess{In: p}, func() *ExactSums { return begin().ExactSums }))
			for j := range d {
				if a, b, c := got.Sums[j].Sum(), want.Sums[j].Sum(), plain.Sums[j].Sum(); a != b || a != c {
					t.Errorf("%s: column %d sums to %g packed, %g, %g", name, j, a, b, c)
				}
			}
			if got.rows != n || want.packed != 0 || got.packed != len(p.runs) {
				t.Errorf("%s: %d rows were added, %d runs packed, and %d of a matrix", name, got.rows, got.packed, want.packed)
			}
			for i, run := range p.runs {
				if odd := run.Odd(); (odd > 0) != (c.impure && i%2 == 1) || odd == run.Rows() && odd > 1 {
					t.Errorf("%s: %d of %d rows of run %d are odd", name, odd, run.Rows(), i)
				}
			}
			if in := (InProcess{In: p}); in.Resident() != n || must(in.Gathered(ctx)).Rows() != n {
				t.Errorf("%s: %d rows are resident", name, in.Resident())
			}
		}
	}
}

// endsEarly gives the first rows of a table alone.
type endsEarly struct {
	of    *Matrix
	given int
}

func (s endsEarly) Schema() frames.Schema { return s.of.Schema() }

func (s endsEarly) Rows() int { return s.of.Rows() }

func (s endsEarly) Scan(_ context.Context, fn func(*frames.Block) error) error {
	if s.given == 0 {
		return nil
	}
	return fn(s.of.Block(0, s.given))
}

// TestPackedEndsEarly: rows that a source does not give are 0, as those of a matrix are.
func TestPackedEndsEarly(t *testing.T) {
	ctx := context.Background()
	m := encodedRows(1500, false, false)
	for _, given := range []int{0, 1, 300, 512} {
		p, err := pack(ctx, endsEarly{m, given}, PackedShape(m.Domain))
		if err != nil {
			t.Fatal(err)
		}
		b := &frames.Block{}
		p.ReadRange(b, 0, 1500)
		for i := range 1500 {
			for j, v := range b.Row(i) {
				want := m.Row(i)[j]
				if i >= given {
					want = 0
				}
				if v != want {
					t.Fatalf("%d rows are given: row %d, cell %d: got %g, want %g", given, i, j, v, want)
				}
			}
		}
	}
}

// TestHoldForPasses: rows of one-hot blocks are packed wherever they come from, those that are not held and numbers are not, and all are the rows.
func TestHoldForPasses(t *testing.T) {
	m := encodedRows(300, false, true)
	if !PackedShape(m.Domain).Pays() {
		t.Skip("this processor has no kernels for packed rows")
	}
	numbers := must(Materialise(t.Context(), m, must(frames.NewSchema(frames.Numeric("a", -1, 1), frames.Label("y", "no", "yes"))), stage.ByBlock(
		func(dst, src []float64, n int) {
			for i := range n {
				dst[i] = src[i*m.Cols]
			}
		})))
	all := func(*frames.Block, int, int, []bool) {}
	for name, c := range map[string]struct {
		in     frames.Source
		packed bool
	}{
		"mapped":             {&Mapped{In: m, Domain: m.Domain, Cols: m.Cols, T: SameRow, Held: true}, true},
		"mapped over":        {&Mapped{In: m, Domain: m.Domain, Cols: m.Cols, T: SameRow, Held: true, Over: m}, true},
		"mapped, not held":   {&Mapped{In: m, Domain: m.Domain, Cols: m.Cols, T: SameRow}, false},
		"filtered":           {&Kept{In: m, Keep: all, Held: true}, true},
		"filtered, not held": {&Kept{In: m, Keep: all}, false},
		"table":              {m, true},
		"table of numbers":   {numbers, false},
	} {
		out := must(HoldForPasses(t.Context(), c.in))
		p, packed := out.(*Packed)
		if packed != c.packed || out.Rows() != 300 {
			t.Errorf("%s: packed is %v, of %d rows", name, packed, out.Rows())
		}
		if !packed || strings.HasPrefix(name, "filtered") {
			continue
		}
		b, want := &frames.Block{}, m.Block(0, 300)
		if p.ReadRange(b, 0, 300); !slices.Equal(b.X, want.X) || !slices.Equal(b.Y, want.Y) || !slices.Equal(b.Empty, want.Empty) {
			t.Errorf("%s: the rows are others", name)
		}
	}
}
