package dpkit

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// randomDedup draws a step that looks for duplicates; names are those of randomProgram.
func randomDedup(r *rand.Rand) func(Pipeline) Pipeline {
	size, declared := math.Exp(r.NormFloat64()), r.IntN(2) == 0
	ball := Ball{Eta: size, MaxCluster: 2 + r.IntN(3), Declared: declared}
	if declared {
		ball.MaxCluster = 6 // programs have at most 6 rows
	}
	var keys []string
	if r.IntN(2) == 0 {
		keys = append(keys, fmt.Sprint("c", r.IntN(4)))
		if r.IntN(2) == 0 {
			keys = append(keys, "label")
		}
	}
	switch r.IntN(6) {
	case 0, 1:
		return func(p Pipeline) Pipeline { return p.Dedup(Exact{}, keys...) }
	case 2:
		return func(p Pipeline) Pipeline { return p.Dedup(Grid{Width: size}, keys...) }
	case 3:
		return func(p Pipeline) Pipeline { return p.Dedup(Grid{Width: size, Representative: CellSmallest}, keys...) }
	case 4:
		return func(p Pipeline) Pipeline { return p.Dedup(ball, keys...) }
	default:
		return func(p Pipeline) Pipeline { return p.QuantizeBall(ball) }
	}
}

// unorderedDisplacement is displacement where rows correspond up to a permutation and F of them are
// free: the correspondence with the smallest total. Rows that differ in a clean column, in their label
// or in being there at all can only be free.
func unorderedDisplacement(st stage.Stage, x, y *rows.Matrix) (best [3]float64) {
	n := x.Rows()
	apart := func(i, k int) float64 {
		if x.IsEmpty(i) != y.IsEmpty(k) {
			return math.Inf(1)
		}
		if x.IsEmpty(i) {
			return 0
		}
		if x.Y[i] != y.Y[k] {
			return math.Inf(1)
		}
		var sq float64
		for j, c := range st.In.Features() {
			v, w := x.Row(i)[j], y.Row(k)[j]
			switch {
			case v == w || math.IsNaN(v) && math.IsNaN(w):
			case !st.Taint[c.Name]:
				return math.Inf(1)
			default:
				sq += (v - w) * (v - w)
			}
		}
		return math.Sqrt(sq)
	}
	best[0] = math.Inf(1)
	d, used := make([]float64, n), make([]bool, n)
	var visit func(i int)
	visit = func(i int) {
		if i == n {
			rest := slices.Clone(d)
			slices.Sort(rest)
			rest = rest[:n-min(n, st.Before.F)]
			var now [3]float64
			for _, v := range rest {
				now = [3]float64{now[0] + v, now[1] + v*v, max(now[2], v)}
			}
			if now[0] < best[0] {
				best = [3]float64{now[0], math.Sqrt(now[1]), now[2]}
			}
			return
		}
		for k := range n {
			if !used[k] {
				used[k], d[i] = true, apart(i, k)
				visit(i + 1)
				used[k] = false
			}
		}
	}
	visit(0)
	return best
}

// leftOf runs a chain on rows of tinySchema and returns what is left, smallest first.
func leftOf(t *testing.T, rows [][]float64, build func(Pipeline) Pipeline) (left [][]float64) {
	t.Helper()
	m, _ := prepare(t, build).run(rows)
	for i := range m.Rows() {
		if !m.IsEmpty(i) {
			left = append(left, append(slices.Clone(m.Row(i)), m.Y[i]))
		}
	}
	slices.SortFunc(left, slices.Compare)
	return left
}

func TestDedup(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name  string
		build func(Pipeline) Pipeline
		rows  [][]float64 // age, work, pay, home, label
		want  [][]float64
	}{
		{
			"exact", func(p Pipeline) Pipeline { return p.Dedup(Exact{}) },
			[][]float64{{20, 0, 1, 1, 0}, {20, 0, 1, 1, 0}, {20, 0, 1, 1, 1}, {20, 0, 2, 1, 0}},
			[][]float64{{20, 0, 1, 1, 0}, {20, 0, 1, 1, 1}, {20, 0, 2, 1, 0}},
		},
		{
			"missing cells are equal", func(p Pipeline) Pipeline { return p.Dedup(Exact{}) },
			[][]float64{{20, nan, 1, nan, 0}, {20, nan, 1, nan, 0}, {20, nan, nan, nan, 0}},
			[][]float64{{20, nan, nan, nan, 0}, {20, nan, 1, nan, 0}},
		},
		{
			"zeros are equal", func(p Pipeline) Pipeline { return p.Dedup(Exact{}) },
			[][]float64{{20, 0, 0, 0, 0}, {20, 0, math.Copysign(0, -1), 0, 0}},
			[][]float64{{20, 0, 0, 0, 0}},
		},
		{
			"by a category", func(p Pipeline) Pipeline { return p.Dedup(Exact{}, "work") },
			[][]float64{{30, 0, 1, 1, 0}, {20, 0, 2, 1, 1}, {50, 1, 1, 1, 0}, {60, nan, 1, 1, 0}, {55, nan, 1, 1, 0}},
			[][]float64{{20, 0, 2, 1, 1}, {50, 1, 1, 1, 0}, {55, nan, 1, 1, 0}},
		},
		{
			"by an encoded category", func(p Pipeline) Pipeline { return p.OneHot("home").Dedup(Exact{}, "home") },
			[][]float64{{30, 0, 1, 1, 0}, {20, 0, 2, 1, 1}, {50, 1, 1, 0, 0}},
			[][]float64{{20, 0, 2, 0, 1, 1}, {50, 1, 1, 1, 0, 0}},
		},
		{
			"by the label", func(p Pipeline) Pipeline { return p.Dedup(Exact{}, "income") },
			[][]float64{{30, 0, 1, 1, 0}, {20, 0, 2, 1, 0}, {50, 1, 1, 1, 1}},
			[][]float64{{20, 0, 2, 1, 0}, {50, 1, 1, 1, 1}},
		},
		{
			"centres of cells", func(p Pipeline) Pipeline { return p.Dedup(Grid{Width: 2}) },
			[][]float64{{17, 0, -1, 1, 0}, {18.9, 0, 0.9, 1, 0}, {19, 0, 0.9, 1, 0}, {17, 0, -1, 1, 1}, {90, 0, nan, 1, 1}},
			[][]float64{{18, 0, 0, 1, 0}, {18, 0, 0, 1, 1}, {20, 0, 0, 1, 0}, {90, 0, nan, 1, 1}},
		},
		{
			"smallest of a cell", func(p Pipeline) Pipeline { return p.Dedup(Grid{Width: 2, Representative: CellSmallest}) },
			[][]float64{{18.9, 0, -1, 1, 0}, {18, 0, 0.9, 1, 0}, {19, 0, 0.9, 1, 0}, {18, 1, 0.9, 1, 0}},
			[][]float64{{18, 0, 0.9, 1, 0}, {18, 1, 0.9, 1, 0}, {19, 0, 0.9, 1, 0}},
		},
		{
			"centres of some columns", func(p Pipeline) Pipeline { return p.Dedup(Grid{Width: 2}, "age", "income") },
			[][]float64{{18.9, 0, -1, 1, 0}, {18, 0, 0.9, 1, 0}, {18, 0, 0.9, 1, 1}},
			[][]float64{{18, 0, -1, 1, 0}, {18, 0, 0.9, 1, 1}},
		},
		{
			"a good cluster", func(p Pipeline) Pipeline { return p.Dedup(Ball{Eta: 1, MaxCluster: 3}) },
			[][]float64{{20, 0, 1, 1, 0}, {21, 0, 1, 1, 0}, {20.5, 0, 1.5, 1, 0}, {20, 1, 1, 1, 0}, {25, 0, 1, 1, 0}},
			[][]float64{{20, 0, 1, 1, 0}, {20, 1, 1, 1, 0}, {25, 0, 1, 1, 0}},
		},
		{
			"none, for a row in between", func(p Pipeline) Pipeline { return p.Dedup(Ball{Eta: 1, MaxCluster: 3}) },
			[][]float64{{20, 0, 1, 1, 0}, {21, 0, 1, 1, 0}, {23, 0, 1, 1, 0}},
			[][]float64{{20, 0, 1, 1, 0}, {21, 0, 1, 1, 0}, {23, 0, 1, 1, 0}},
		},
		{
			"beyond the cap", func(p Pipeline) Pipeline { return p.Dedup(Ball{Eta: 1, MaxCluster: 2}) },
			[][]float64{{20, 0, 1, 1, 0}, {20, 0, 1, 1, 0}, {20, 0, 1, 1, 0}, {30, 0, 1, 1, 0}, {30, 0, 1, 1, 0}},
			[][]float64{{20, 0, 1, 1, 0}, {20, 0, 1, 1, 0}, {20, 0, 1, 1, 0}, {30, 0, 1, 1, 0}},
		},
		{
			"beyond a declared size", func(p Pipeline) Pipeline { return p.Dedup(Ball{Eta: 1, MaxCluster: 2, Declared: true}) },
			[][]float64{{20, 0, 1, 1, 0}, {20, 0, 1, 1, 0}, {20, 0, 1, 1, 0}},
			[][]float64{{20, 0, 1, 1, 0}},
		},
		{
			"moved to the centre", func(p Pipeline) Pipeline { return p.QuantizeBall(Ball{Eta: 1, MaxCluster: 3}) },
			[][]float64{{20, 0, 1, 1, 0}, {21, 0, 1, 1, 1}, {22, 0, 1, 1, 0}, {22, 1, 1, 1, 0}},
			[][]float64{{21, 0, 1, 1, 0}, {21, 0, 1, 1, 0}, {21, 0, 1, 1, 1}, {22, 1, 1, 1, 0}},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 1))
			rows := slices.Clone(c.rows)
			for range 5 { // the order of rows does not matter
				if got := leftOf(t, rows, c.build); fmt.Sprint(got) != fmt.Sprint(c.want) {
					t.Errorf("got %v, want %v", got, c.want)
				}
				r.Shuffle(len(rows), func(i, k int) { rows[i], rows[k] = rows[k], rows[i] })
			}
		})
	}
}

func TestDedupIsRefused(t *testing.T) {
	data := demo(t, tinyFrame(t, 20, 1)).Data()
	fitted := data.OneHot().Impute(Mean{})
	inf := math.Inf(1)
	for _, c := range []struct {
		name string
		p    Pipeline
		is   error
		want string
	}{
		{"no method", data.Dedup(nil), ErrParameter, "dpkit.Exact{}"},
		{"unknown key", data.Dedup(Exact{}, "nope"), ErrColumn, `"nope"`},
		{"a key named twice", data.Dedup(Exact{}, "age", "age"), ErrColumn, "twice"},
		{"no width", data.Dedup(Grid{}), ErrParameter, "cell width"},
		{"width NaN", data.Dedup(Grid{Width: math.NaN()}), ErrParameter, "cell width"},
		{"too many cells", data.Dedup(Grid{Width: 1e-20}), ErrParameter, "2^50 cells"},
		{"no such representative", data.Dedup(Grid{Width: 1, Representative: 7}), ErrParameter, "CellCenter or CellSmallest"},
		{"a grid without numbers", data.Dedup(Grid{Width: 1}, "work"), ErrColumn, "Exact{}"},
		{"no radius", data.Dedup(Ball{MaxCluster: 2}), ErrParameter, "Eta"},
		{"radius NaN", data.Dedup(Ball{Eta: math.NaN(), MaxCluster: 2}), ErrParameter, "Eta"},
		{"infinite radius", data.Dedup(Ball{Eta: inf, MaxCluster: 2}), ErrParameter, "Eta"},
		{"a radius below the lattice", data.QuantizeBall(Ball{Eta: 1e-9, MaxCluster: 2}), ErrParameter, "2^-30"},
		{"no size", data.Dedup(Ball{Eta: 1}), ErrParameter, "MaxCluster"},
		{"a size of one", data.QuantizeBall(Ball{Eta: 1, MaxCluster: 1}), ErrParameter, "MaxCluster"},
		{"a ball without numbers", data.Dedup(Ball{Eta: 1, MaxCluster: 2}, "work", "income"), ErrColumn, "Exact{}"},
		{"exact behind a fit", fitted.Dedup(Exact{}), ErrOrder, "before the steps that are fitted"},
		{"keys behind a fit", fitted.Dedup(Exact{}, "age"), ErrOrder, "before the steps that are fitted"},
		{"grid behind a fit", fitted.Dedup(Grid{Width: 1}), ErrOrder, "before the steps that are fitted"},
		{"ball behind a fit", fitted.Dedup(Ball{Eta: 1, MaxCluster: 2}), ErrOrder, "before the steps that are fitted"},
		{"quantisation behind a fit", fitted.QuantizeBall(Ball{Eta: 1, MaxCluster: 2}), ErrOrder, "before the steps that are fitted"},
		{"dedup behind quantisation", data.QuantizeBall(Ball{Eta: 1, MaxCluster: 2}).Dedup(Exact{}), ErrOrder, `column "age" differs`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := c.p.Explain()
			if !errors.Is(err, c.is) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %v about %q", err, c.is, c.want)
			}
		})
	}
	if _, err := fitted.Drop("work", "home", "pay").Dedup(Exact{}).Explain(); err != nil {
		t.Errorf("once the displaced columns are gone: %v", err)
	}
}

// TestDedupPrice: how many rows are free, and what that does to the noise.
func TestDedupPrice(t *testing.T) {
	data := demo(t, tinyFrame(t, 500, 1)).Data()
	d := 2 // numeric columns of tinySchema
	ball := Ball{Eta: 0.5, MaxCluster: 4}
	declared := Ball{Eta: 0.5, MaxCluster: 4, Declared: true}
	for _, c := range []struct {
		name  string
		p     Pipeline
		free  int
		scope accountant.ScopeKind
	}{
		{"exact", data.Dedup(Exact{}), 1, accountant.Unconditional},
		{"all columns named", data.Dedup(Exact{}, "age", "work", "pay", "home", "income"), 1, accountant.Unconditional},
		{"payload", data.Dedup(Exact{}, "age"), 2, accountant.Unconditional},
		{"the label is payload", data.Dedup(Exact{}, "age", "work", "pay", "home"), 2, accountant.Unconditional},
		{"cells", data.Dedup(Grid{Width: 1}), 1, accountant.Unconditional},
		{"rows of cells", data.Dedup(Grid{Width: 1, Representative: CellSmallest}), 2, accountant.Unconditional},
		{"cells with payload", data.Dedup(Grid{Width: 1}, "age"), 2, accountant.Unconditional},
		{"two with payload", data.Dedup(Exact{}, "age").Dedup(Exact{}, "pay"), 4, accountant.Unconditional},
		{"set behind payload", data.Dedup(Exact{}, "age").Dedup(Exact{}), 2, accountant.Unconditional},
		{"clusters", data.Dedup(ball), 1 + (5+1)*3, accountant.Unconditional},
		{"clusters on a line", data.Dedup(ball, "age"), 1 + (2+1)*3, accountant.Unconditional},
		{"declared clusters", data.Dedup(declared), 1 + (5+1)*3, accountant.Conditional},
		{"clusters behind payload", data.Dedup(Exact{}, "age").Dedup(ball), 2 * (1 + (5+1)*3), accountant.Unconditional},
		{"clusters as large as the data", data.Dedup(Ball{Eta: 0.5, MaxCluster: 400}), 500, accountant.Unconditional},
		{"moved clusters", data.QuantizeBall(ball), 1, accountant.Unconditional},
		{"declared moved clusters", data.QuantizeBall(declared), 1, accountant.Conditional},
	} {
		t.Run(c.name, func(t *testing.T) {
			plan := c.p.OneHot().Impute(Midpoint{}).Scale().Mean(Target{Epsilon: 1, Delta: 1e-6})
			q, err := plan.plan().quote()
			if err != nil {
				t.Fatal(err)
			}
			if got := q.end.Before.F; got != c.free {
				t.Errorf("got %d free rows, want %d", got, c.free)
			}
			if got := q.scope.Kind; got != c.scope {
				t.Errorf("got scope %v, want %v", got, c.scope)
			}
			_, moves := c.p.steps[0].(steps.BallQuantize)
			if q.end.Empty == moves || q.end.Unordered == moves {
				t.Errorf("rows removed: %v, unordered: %v", q.end.Empty, q.end.Unordered)
			}
			if moved := q.end.Before.M; moves && moved != 2*5*4 || !moves && moved != 0 {
				t.Errorf("%d rows are displaced", moved)
			}
			cost := must(plan.Cost())
			if a := cost.Release.Amplification(); !moves && math.Abs(a-float64(c.free)) > 1e-3*float64(c.free) {
				t.Errorf("noise × %v, want %d: every free row is paid for as the row that changes", a, c.free)
			}
		})
	}
	p := must(pair.Start(500, 100, ReplaceOne))
	b := steps.QuantizeBounds(declared, d, p)
	if want := 2 * 0.5 * 5 * 4.; b.A1 != want || b.AInf != 1 || b.Affected != 40 {
		t.Errorf("bounds of QuantizeBall: got %+v, want τ = %v, 1 a row, 40 rows", b, want)
	}
	p.F = 2
	if b := steps.QuantizeBounds(declared, d, p); b.A1 != 2*0.5*6*4 { // nothing is known of the dataset between
		t.Errorf("two free rows under a declaration: τ = %v for each", b.A1)
	}
}
