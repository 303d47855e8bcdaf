package attack

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/frames"
)

// column is the first column of a side.
func column(b *frames.Block) (x []float64) {
	for i := range b.Rows {
		x = append(x, b.Row(i)[0])
	}
	return x
}

func TestFreeRowAnywhere(t *testing.T) {
	row := func(v float64, times int) Row {
		return Row{A: []float64{v}, B: []float64{v}, Times: times}
	}
	p := Pair{Rows: []Row{{A: []float64{9}, B: []float64{-9}, Times: 1}, row(1, 2), row(2, 3)}}
	for at, want := range [][]float64{
		{9, 1, 1, 2, 2, 2}, {1, 9, 1, 2, 2, 2}, {1, 1, 9, 2, 2, 2}, {1, 1, 2, 9, 2, 2}, {1, 1, 2, 2, 9, 2}, {1, 1, 2, 2, 2, 9},
	} {
		p.At = at
		if got := column(p.side(false, 1, false)); !slices.Equal(got, want) {
			t.Errorf("at %d: got %v, want %v", at, got, want)
		}
	}
	p.At = 5
	for n, want := range map[int][]float64{
		2: {1, -9}, 3: {1, 2, -9}, 11: {1, 1, 1, 1, 2, 2, 2, 2, 2, 2, -9},
	} {
		if got := column(p.stretch(n).side(true, 1, false)); !slices.Equal(got, want) {
			t.Errorf("stretched to %d rows: got %v, want %v", n, got, want)
		}
	}
	alone := Pair{Rows: p.Rows[:1]}
	if got := column(alone.stretch(4).side(false, 1, false)); !slices.Equal(got, []float64{9}) {
		t.Errorf("alone: got %v", got)
	}
}

// table is a source of one block.
type table struct {
	schema frames.Schema
	b      *frames.Block
}

func (s table) Schema() frames.Schema                                      { return s.schema }
func (s table) Rows() int                                                  { return s.b.Rows }
func (s table) Scan(_ context.Context, fn func(*frames.Block) error) error { return fn(s.b) }

func TestInBlocks(t *testing.T) {
	b := &frames.Block{Rows: 7, Cols: 1, X: []float64{0, 1, 2, 3, 4, 5, 6}, Y: []float64{0, 1, 0, 1, 0, 1, 0}, Empty: []bool{6: true}}
	in := table{testSchema(t), b}
	if InBlocks(in, nil) != frames.Source(in) {
		t.Error("of no sizes: got another source")
	}
	var sizes []int
	var x []float64
	var kept *frames.Block
	err := InBlocks(in, []int{3, 1}).Scan(t.Context(), func(b *frames.Block) error {
		for i := range b.Rows {
			if v := float64(b.First + i); b.Row(i)[0] != v || b.Y[i] != float64((b.First+i)%2) || b.Empty[i] != (v == 6) {
				t.Errorf("row %d: got %v, %v, %v", b.First+i, b.Row(i), b.Y[i], b.Empty[i])
			}
		}
		kept, sizes, x = b, append(sizes, b.Rows), append(x, b.X...)
		return nil
	})
	if err != nil || !slices.Equal(sizes, []int{3, 1, 3}) || !slices.Equal(x, b.X) {
		t.Errorf("got blocks of %v rows, %v, %v", sizes, x, err)
	}
	if !math.IsNaN(kept.X[0]) {
		t.Errorf("a block that is kept has %v, want missing cells", kept.X)
	}
}

// TestJumpsAreFound: where one column's map jumps, to the last bit; of a smooth map nothing is recorded.
func TestJumpsAreFound(t *testing.T) {
	const at = 0.12300517
	for _, c := range []struct {
		name string
		lie  func(x float64) float64
		want bool
	}{
		{"a jump", func(x float64) float64 {
			if x >= at {
				return x - 0.6
			}
			return x
		}, true},
		{"a small jump", func(x float64) float64 {
			if x >= at {
				return 0.9 * x
			}
			return x
		}, true},
		{"a smooth map", func(x float64) float64 { return x / 2 }, false},
		{"a kink", func(x float64) float64 { return max(x, at) }, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			apply := func(b *frames.Block) {
				for i := range b.Rows {
					b.Row(i)[0] = c.lie(b.Row(i)[0])
				}
			}
			s := copying(testSchema(t), nil, nil)
			s.Run = func(_ context.Context, _ Claim, a, b Side) (Output, Output, error) {
				apply(a.Rows)
				apply(b.Rows)
				return Output{Rows: a.Rows}, Output{Rows: b.Rows}, nil
			}
			found, err := Search(t.Context(), s, Options{Seed: 1, Pairs: 4000})
			if err != nil {
				t.Fatal(err)
			}
			points := found.Points["x"]
			if got := slices.Contains(points, at) && slices.Contains(points, math.Nextafter(at, 0)); got != c.want || !c.want && len(points) > 1 {
				t.Errorf("got the points %v, want one beside %v: %v", points, at, c.want)
			}
			s.Displaced = []string{"x"}
			_, err = Search(t.Context(), s, Options{Seed: 1, Pairs: 4000})
			if _, broken := AsBreach(err); broken != c.want {
				t.Errorf("on displaced rows: got %v, want a breach: %v", err, c.want)
			}
		})
	}
}

func TestRoundNumbers(t *testing.T) {
	for _, c := range []struct {
		lo, hi float64
		most   float64
		count  int
		has    float64
	}{
		{-1, 1, 2000, 2001, 0.123}, {0, 30, 2000, 301, 12.3}, {-1, 1, 100, 21, 0.3}, {0, 8e60, 2000, 801, 1.23e60}, {1e-60, 3e-60, 2000, 2001, 1.5e-60},
	} {
		got := roundNumbers(frames.Numeric("x", c.lo, c.hi), c.most)
		near := slices.ContainsFunc(got, func(v float64) bool { return math.Abs(v-c.has) <= 1e-12*(c.hi-c.lo) })
		if len(got) != c.count || !near {
			t.Errorf("[%g, %g]: got %d numbers from %v, want %d with %g", c.lo, c.hi, len(got), got[:min(3, len(got))], c.count, c.has)
		}
	}
}

func TestNumbers(t *testing.T) {
	type inner struct{ at []float64 }
	v := []any{&inner{[]float64{0.5, 2}}, struct {
		N    int
		name string
	}{3, "x"}, (*inner)(nil), map[string]float64{"y": 9}}
	if got := Numbers(v); !slices.Equal(got, []float64{0.5, 2, 3}) {
		t.Errorf("got %v", got)
	}
}

// TestBlocksAreDisplaced: the columns of an encoded category move together and stay on the simplex, and those that are not displaced
// stay where they are.
func TestBlocksAreDisplaced(t *testing.T) {
	var cols []frames.Column
	for _, name := range []string{"a", "b", "c"} {
		c := frames.Numeric(name, 0, 1)
		c.Block = "town"
		cols = append(cols, c)
	}
	s, err := frames.NewSchema(cols...)
	if err != nil {
		t.Fatal(err)
	}
	for _, displaced := range [][]string{{"a", "b", "c"}, {"a", "b"}} {
		sub := Subject{Schema: s, Neighbours: accountant.ReplaceOne, Displaced: displaced}
		d := newDrawer(rand.New(rand.NewPCG(1, 1)), sub)
		moved := 0
		for range 300 {
			p := d.mutate(d.pair(6), 0.1)
			for _, r := range p.Rows[1:] {
				total := r.B[0] + r.B[1] + r.B[2]
				if math.Abs(total-(r.A[0]+r.A[1]+r.A[2])) > 1e-12 || len(displaced) == 2 && r.A[2] != r.B[2] || slices.Min(r.B) < 0 {
					t.Fatalf("displaced %v: %v", strings.Join(displaced, ", "), r.text(0))
				}
				if !slices.Equal(r.A, r.B) {
					moved++
				}
			}
		}
		if moved < 100 {
			t.Errorf("displaced %v: %d rows moved", displaced, moved)
		}
	}
}

// TestWindowsAreFound: a special case for the values of an interval that is twice as wide as the gap between round numbers.
func TestWindowsAreFound(t *testing.T) {
	apply := func(b *frames.Block) *frames.Block {
		for i := range b.Rows {
			if x := b.Row(i)[0]; x > 0.70031 && x < 0.70231 {
				b.Row(i)[0] = 0
			}
		}
		return b
	}
	s := copying(testSchema(t), nil, nil)
	s.Displaced = []string{"x"}
	s.Run = func(_ context.Context, _ Claim, a, b Side) (Output, Output, error) {
		return Output{Rows: apply(a.Rows)}, Output{Rows: apply(b.Rows)}, nil
	}
	_, err := Search(t.Context(), s, Options{Seed: 1, Rows: []int{60}})
	if _, ok := AsBreach(err); !ok {
		t.Errorf("got %v, want a breach", err)
	}
}
