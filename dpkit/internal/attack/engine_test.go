package attack

import (
	"context"
	"math"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/frames"
)

func testSchema(t testing.TB) frames.Schema {
	t.Helper()
	s, err := frames.NewSchema(frames.Numeric("x", -1, 1), frames.Numeric("z", 0, 2).MayMiss(), frames.Label("y", "no", "yes"))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// copying is a subject that copies rows; lie changes what comes out on side B, or what is claimed.
func copying(s frames.Schema, claim func(*Claim), lie func(*frames.Block)) Subject {
	return Subject{
		Schema: s, Neighbours: accountant.ReplaceOne,
		Price: func(st State) (Claim, error) {
			c := Claim{Schema: st.Schema, Pair: st.Pair, Taint: st.Taint}
			if claim != nil {
				claim(&c)
			}
			return c, nil
		},
		Run: func(_ context.Context, _ Claim, a, b Side) (Output, Output, error) {
			if lie != nil {
				lie(b.Rows)
			}
			return Output{Rows: a.Rows}, Output{Rows: b.Rows}, nil
		},
	}
}

// TestEveryLieIsFound: of each thing that a step claims.
func TestEveryLieIsFound(t *testing.T) {
	s := testSchema(t)
	last := func(b *frames.Block) []float64 { return b.Row(b.Rows - 1) }
	move := func(b *frames.Block) { last(b)[0] = last(b)[0]/2 + 0.25 }
	moves := func(c *Claim) {
		c.Pair.M, c.Pair.T1, c.Pair.TF, c.Pair.TInf = 1, 2, 2, 2
		c.Taint = map[string]bool{"x": true}
	}
	for _, c := range []struct {
		name  string
		claim func(*Claim)
		lie   func(*frames.Block)
		says  string // "" where nothing is wrong
	}{
		{"nothing", nil, nil, ""},
		{"a displaced row", moves, move, ""},
		{"no displacement", func(c *Claim) { moves(c); c.Pair.M, c.Pair.T1, c.Pair.TF, c.Pair.TInf = 0, 0, 0, 0 }, move, "total"},
		{"half of the total", func(c *Claim) { moves(c); c.Pair.T1 = 0.1 }, move, "total"},
		{"half of the largest", func(c *Claim) { moves(c); c.Pair.TInf = 0.1 }, move, "largest"},
		{"half of the Frobenius norm", func(c *Claim) { moves(c); c.Pair.TF = 0.1 }, move, "Frobenius"},
		{"no row that moves", func(c *Claim) { moves(c); c.Pair.M = 0 }, move, "moved"},
		{"a clean column", func(c *Claim) { moves(c); c.Taint = map[string]bool{"z": true} }, move, `column "x" is called clean`},
		{"the free row", func(c *Claim) { c.Pair.DFree = 0.5 }, nil, "free row"},
		{"the norm", func(c *Claim) { c.Pair.R = 1 }, nil, "norm"},
		{"the bounds", nil, func(b *frames.Block) { last(b)[0] = 1.5 }, "left [-1, 1]"},
		{"a missing cell", nil, func(b *frames.Block) { last(b)[0] = math.NaN() }, "is missing"},
		{"a mask that moves", nil, func(b *frames.Block) {
			if math.IsNaN(last(b)[1]) {
				last(b)[1] = 0
			}
		}, "called clean"},
		{"a label", nil, func(b *frames.Block) { b.Y[b.Rows-1] = 1 - b.Y[b.Rows-1] }, "label"},
		{"a row that is gone", func(c *Claim) { c.Pair.TInf = 9 }, func(b *frames.Block) {
			b.Empty = make([]bool, b.Rows)
			b.Empty[b.Rows-1] = true
			clear(last(b))
		}, "on one side only"},
		{"a row that is gone, and free", func(c *Claim) { c.Pair.F = 2 }, func(b *frames.Block) {
			b.Empty = make([]bool, b.Rows)
			b.Empty[b.Rows-1] = true
			clear(last(b))
		}, ""},
		{"the order of rows", func(c *Claim) { c.Unordered = true }, func(b *frames.Block) {
			for j := range b.Cols {
				b.Row(1)[j], last(b)[j] = last(b)[j], b.Row(1)[j]
			}
		}, "free rows"},
		{"a query", func(c *Claim) { c.Sensitivities = []float64{1} }, nil, "query 1 of 1 was not answered"},
		{"the number of rows", func(c *Claim) { c.Pair.N++ }, nil, "forgotten"},
		{"the relation", func(c *Claim) { c.Pair.Neighbours = accountant.AddRemove }, nil, "forgotten"},
		{"too few rows", nil, func(b *frames.Block) { b.Rows-- }, "rows of"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := Search(t.Context(), copying(s, c.claim, c.lie), Options{Seed: 1, Pairs: 300, Rows: []int{2, 9}})
			if c.says == "" {
				if err != nil {
					t.Fatal(err)
				}
				return
			}
			b, ok := AsBreach(err)
			if !ok || !strings.Contains(b.What, c.says) || len(b.Pair.Rows) == 0 {
				t.Errorf("got %v, want a breach of %q", err, c.says)
			}
		})
	}
}

// TestSearchRepeats: a search with the same seed tries the same pairs.
func TestSearchRepeats(t *testing.T) {
	sub := copying(testSchema(t), nil, nil)
	sub.Displaced, sub.Empty, sub.Narrow = []string{"x", "z"}, true, true
	var first Found
	for i := range 2 {
		found, err := Search(t.Context(), sub, Options{Seed: 7, Pairs: 400})
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = found
		} else if first.Best != found.Best || first.Tried != found.Tried {
			t.Errorf("got %v, then %v", first.Best, found.Best)
		}
	}
	if b := first.Best; b[Total] < 0.999 || b[Largest] < 0.999 || b[FreeRow] < 0.999 {
		t.Errorf("rows that are copied attain %v", b)
	}
	if missed := first.Below(map[Constant]float64{Total: 0.9, Query: 0.1, Norm: 0.9}); len(missed) != 1 || missed[0] != Query {
		t.Errorf("below the floors: %v", missed)
	}
}

// TestDrawnPairsAreLegal: every drawn and every mutated pair is one of the domain.
func TestDrawnPairsAreLegal(t *testing.T) {
	block := func(name string) frames.Column {
		c := frames.Numeric(name, 0, 1).MayMiss()
		c.Block = "town"
		return c
	}
	s, err := frames.NewSchema(block("a"), block("b"), block("c"), frames.Numeric("x", -1e60, 1e-60), frames.Category("k", "p", "q").MayMiss(), frames.NumericLabel("y", 1, 2))
	if err != nil {
		t.Fatal(err)
	}
	sub := copying(s, nil, nil)
	sub.Displaced, sub.Empty = []string{"x"}, true
	found, err := Search(t.Context(), sub, Options{Seed: 3, Pairs: 3000, Rows: []int{1, 2, 30}})
	if err != nil {
		t.Fatal(err)
	}
	for k, p := range found.Pairs {
		if found.Best[k] == 0 {
			continue
		}
		for _, side := range []bool{false, true} {
			b := p.side(side, 5, true)
			for i := range b.Y {
				if y := b.Y[i]; !isEmpty(b, i) && !(y >= 1 && y <= 2) {
					t.Errorf("a label of %g", y)
				}
			}
		}
	}
}

func TestPairText(t *testing.T) {
	p := Pair{Rows: []Row{
		{A: []float64{1, math.NaN(), 0}, B: []float64{-5e-324, 1e60, 1}, Times: 1},
		{A: []float64{0.1, 0.2, 1}, B: []float64{0.1, 0.2, 1}, Times: 12},
		{A: []float64{0, 0, 0}, B: []float64{0, 0, 0}, EmptyA: true, EmptyB: true, Times: 2},
	}}
	for want, change := range map[string]func(){
		"1 * 1 NaN 0 / -5e-324 1e+60 1\n12 * 0.1 0.2 1\n2 * none":                   func() {},
		"1 at 14 * 1 NaN 0 / -5e-324 1e+60 1\n12 * 0.1 0.2 1\n2 * none\nblocks 5 1": func() { p.At, p.Blocks = 14, []int{5, 1} },
	} {
		p.At, p.Blocks = 0, nil
		change()
		if p.String() != want {
			t.Fatalf("got %q, want %q", p, want)
		}
		again, err := ParsePair(strings.Split(want, "\n"), 3)
		if err != nil || again.String() != want || again.Len() != 15 || again.At != p.At {
			t.Errorf("got %v, %v", again, err)
		}
	}
	for _, bad := range []string{"", "x * 1 2 3", "2 * 1 2 3", "1 * 1 2", "1 * 1 2 z", "1 1 2 3", "1 at 1 * 1 2 3", "1 at x * 1 2 3", "blocks 0"} {
		if _, err := ParsePair([]string{bad}, 3); err == nil {
			t.Errorf("%q: got no error", bad)
		}
	}
}

func TestCorpus(t *testing.T) {
	path := filepath.Join(t.TempDir(), "c.json")
	c, err := LoadCorpus(path)
	if err != nil || len(c) != 0 {
		t.Fatalf("got %v, %v", c, err)
	}
	sub := copying(testSchema(t), nil, nil)
	sub.Displaced = []string{"x"}
	found, err := Search(t.Context(), sub, Options{Pairs: 200})
	if err != nil {
		t.Fatal(err)
	}
	c.Keep("copying", found)
	if err := c.Save(path); err != nil {
		t.Fatal(err)
	}
	again, err := LoadCorpus(path)
	if err != nil || !reflect.DeepEqual(c, again) {
		t.Fatalf("got %v, %v", again, err)
	}
	pairs, err := again.Pairs("copying", 3)
	if err != nil || len(pairs) == 0 {
		t.Fatalf("got %v, %v", pairs, err)
	}
	replayed, err := Search(t.Context(), sub, Options{Pairs: 1, Replay: pairs})
	if err != nil {
		t.Fatal(err)
	}
	for k, v := range found.Best {
		if replayed.Best[k] < v {
			t.Errorf("%v: the stored pairs attain %v, before %v", Constant(k), replayed.Best[k], v)
		}
	}
	if _, err := again.Pairs("copying", 2); err == nil {
		t.Error("pairs of another domain: got no error")
	}
}
