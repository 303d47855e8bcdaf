package dpkit

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/gradient"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/sums"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/frames"
)

// Attacks on chains that remove rows: neighbouring datasets on a lattice, where rows collide, followed
// to the exact sums that are released. Sums do not depend on the order of rows.

// latticeRow draws a row of tinySchema of few possible values.
func latticeRow(r *rand.Rand) []float64 {
	nan := math.NaN()
	return []float64{
		[]float64{17, 53.5, 55, 90}[r.IntN(4)], []float64{0, 1, nan}[r.IntN(3)],
		[]float64{-1, 1.5, 4, nan}[r.IntN(4)], []float64{0, nan}[r.IntN(2)], float64(r.IntN(2)),
	}
}

var dedupChains = []struct {
	name  string
	tight float64 // lower limit on the best attack
	build func(Pipeline) Pipeline
}{
	{"set", 0.99, func(p Pipeline) Pipeline { return p.Dedup(Exact{}).OneHot().Impute(Midpoint{}).Scale() }},
	{"set, then means", 0.4, func(p Pipeline) Pipeline { return p.Dedup(Exact{}).OneHot().Impute(Mean{}).Scale() }},
	{"set, then means with a floor", 0.3, func(p Pipeline) Pipeline {
		return p.Dedup(Exact{}).OneHot().Impute(Mean{Pad: 2}).Scale()
	}},
	{"set, then trimmed means", 0.25, func(p Pipeline) Pipeline {
		return p.Dedup(Exact{}).OneHot().Impute(TrimmedMean{Trim: 0.2}, "pay").Impute(Midpoint{}).Scale()
	}},
	{"set, then a filter", 0.3, func(p Pipeline) Pipeline {
		return p.Dedup(Exact{}).OneHot().Impute(Midpoint{}).Scale().PCA(SoftThreshold{Lambda: 0.05})
	}},
	{"payload", 0.7, func(p Pipeline) Pipeline { return p.Dedup(Exact{}, "age").OneHot().Impute(Midpoint{}).Scale() }},
	{"payload, then means", 0.3, func(p Pipeline) Pipeline {
		return p.Dedup(Exact{}, "age", "work").OneHot().Impute(Mean{}).Scale()
	}},
	{"cells, then means", 0.3, func(p Pipeline) Pipeline { return p.Dedup(Grid{Width: 2}).OneHot().Impute(Mean{}).Scale() }},
	{"rows of cells, then means", 0.3, func(p Pipeline) Pipeline {
		return p.Dedup(Grid{Width: 2, Representative: CellSmallest}).OneHot().Impute(Mean{}).Scale()
	}},
	{"clusters", 0.2, func(p Pipeline) Pipeline {
		return p.Select("age").Dedup(Ball{Eta: 1.5, MaxCluster: 2}).Scale()
	}},
	{"moved clusters, then means", 0.2, func(p Pipeline) Pipeline {
		return p.OneHot().Scale().QuantizeBall(Ball{Eta: 0.05, MaxCluster: 2}).Impute(Mean{})
	}},
	{"set, then standardised", 0.1, func(p Pipeline) Pipeline {
		return p.Dedup(Exact{}).OneHot().Impute(Midpoint{}).Scale().Center().Standardize(RMS{Floor: 0.2}).ClipNorm(1)
	}},
	{"set twice", 0.3, func(p Pipeline) Pipeline {
		return p.Dedup(Exact{}).Select("age", "pay").Dedup(Exact{}).Impute(Mean{}).Scale()
	}},
}

// followed runs a chain of steps on rows of tinySchema of which some are empty.
func followed(t *testing.T, q quote, table [][]float64, empty []bool) *rows.Matrix {
	t.Helper()
	m := matrixOf(table)
	m.Domain, m.Empty = tinySchema(t), empty
	out, err := q.apply(context.Background(), m, nil)
	if err != nil {
		t.Fatal(err)
	}
	return out.rows.(*rows.Matrix)
}

// attackLattice maximises ratio over neighbours of n rows: under add/remove the other side misses row 0.
func attackLattice(t *testing.T, r *rand.Rand, n int, rel accountant.Neighbours, build func(Pipeline) Pipeline, ratio func(q quote, x, y *rows.Matrix) float64) float64 {
	t.Helper()
	rows := [][]float64{}
	for range n {
		rows = append(rows, latticeRow(r))
	}
	s := must(Demo(frameOf(t, tinySchema(t), rows), 1, rel))
	stages, end, err := build(s.Data()).trace()
	if err != nil {
		t.Fatal(err)
	}
	q := quote{stages: stages, end: end}
	at := func(rows [][]float64, z []float64) float64 {
		x := followed(t, q, rows, nil)
		var empty []bool
		other := slices.Clone(rows)
		if other[0] = z; rel == AddRemove {
			empty = make([]bool, n)
			empty[0] = true
		}
		return ratio(q, x, followed(t, q, other, empty))
	}
	worst := 0.0
	for range 4 {
		rows, z := slices.Clone(rows), latticeRow(r)
		for i := range rows {
			rows[i] = latticeRow(r)
		}
		best := at(rows, z)
		for range 60 {
			next, nz := slices.Clone(rows), z
			switch i := r.IntN(n + 1); {
			case i == n:
				nz = latticeRow(r)
				if r.IntN(2) == 0 {
					nz = rows[r.IntN(n)]
				}
			case r.IntN(2) == 0:
				next[i] = rows[r.IntN(n)]
			default:
				next[i] = slices.Clone(rows[i])
				j := r.IntN(len(next[i]))
				next[i][j] = latticeRow(r)[j]
			}
			if v := at(next, nz); v >= best {
				rows, z, best = next, nz, v
			}
		}
		worst = max(worst, best)
	}
	return worst
}

func TestAttackDedupSensitivity(t *testing.T) {
	t.Parallel()
	for _, rel := range []accountant.Neighbours{ReplaceOne, AddRemove} {
		for _, c := range dedupChains {
			t.Run(rel.String()+"/"+c.name, func(t *testing.T) {
				r := rand.New(rand.NewPCG(31, 1))
				worst := 0.0
				for _, n := range []int{3, 7} {
					for _, clip := range []float64{0.05, 0.7} {
						worst = max(worst, attackLattice(t, r, n, rel, c.build, func(q quote, x, y *rows.Matrix) float64 {
							pl, err := gradient.LogisticFit{ByGradient: ByGradient{Epsilon: 1, Delta: 1e-6, Clip: clip, Steps: 10}}.Calibrate(q.end)
							if err != nil {
								t.Fatal(err)
							}
							var most float64
							for range 3 {
								w := make([]float64, pl.D+1)
								for j := range w {
									w[j] = math.Pow(10, 2*r.Float64()-1) * r.NormFloat64()
								}
								pl.Project(w)
								most = max(most, sumsDiffer(pl, x, y, w))
							}
							return most
						}))
					}
				}
				t.Logf("worst observed/bound: %.4f", worst)
				tight := c.tight
				if rel == AddRemove {
					tight /= 3 // a kept row that changes counts as two, though one side alone may have it
				}
				if !(worst <= 1) || worst < tight {
					t.Errorf("observed/bound is %v, want in [%v, 1]", worst, tight)
				}
			})
		}
	}
}

func TestAttackDedupMeans(t *testing.T) {
	t.Parallel()
	for _, rel := range []accountant.Neighbours{ReplaceOne, AddRemove} {
		for _, c := range dedupChains {
			t.Run(rel.String()+"/"+c.name, func(t *testing.T) {
				r := rand.New(rand.NewPCG(33, 1))
				worst := attackLattice(t, r, 6, rel, c.build, func(q quote, x, y *rows.Matrix) float64 {
					c, err := sums.Mean{Target: Target{Epsilon: 1, Delta: 1e-6}}.Calibrate(q.end)
					if err != nil {
						t.Fatal(err)
					}
					s, _ := c.Sensitivity()
					ctx := context.Background()
					return latticeDistance(must(c.Sums(ctx, rows.InProcess{In: x})), must(c.Sums(ctx, rows.InProcess{In: y})), NoiseGaussian) * c.Lattice().Step() / s
				})
				t.Logf("worst observed/bound: %.4f", worst)
				if !(worst <= 1) || worst < 0.05 {
					t.Errorf("observed/bound is %v, want in [0.05, 1]", worst)
				}
			})
		}
	}
}

// TestAttackDedupHistogram: counts of labels behind a dedup that keeps one row of each group.
func TestAttackDedupHistogram(t *testing.T) {
	h := sums.Histogram{Column: "income", Target: Target{Epsilon: 1, Delta: 1e-6}}
	for _, rel := range []accountant.Neighbours{ReplaceOne, AddRemove} {
		r := rand.New(rand.NewPCG(34, 1))
		worst := attackLattice(t, r, 6, rel, func(p Pipeline) Pipeline { return p.Dedup(Exact{}, "age") }, func(q quote, x, y *rows.Matrix) float64 {
			g, err := h.Calibrate(q.end)
			if err != nil {
				t.Fatal(err)
			}
			s, _ := g.Sensitivity()
			a, err := h.Counts(q.end, 2)(context.Background(), rows.InProcess{In: x})
			if err != nil {
				t.Fatal(err)
			}
			b, err := h.Counts(q.end, 2)(context.Background(), rows.InProcess{In: y})
			if err != nil {
				t.Fatal(err)
			}
			return math.Hypot(float64(a[0]-b[0]), float64(a[1]-b[1])) / s
		})
		t.Logf("%v: worst observed/bound: %.4f", rel, worst)
		if !(worst <= 1) || worst < 0.4 {
			t.Errorf("%v: observed/bound is %v, want in [0.4, 1]", rel, worst)
		}
	}
}

// TestEmptyRowsContributeNothing: through every step and into every mechanism, rows that were removed
// leave the result that the other rows give alone, with the same public n, whatever their cells hold.
func TestEmptyRowsContributeNothing(t *testing.T) {
	t.Parallel()
	builds := map[string]func(Pipeline) Pipeline{}
	for _, c := range chains {
		builds[c.name] = c.build
	}
	for _, c := range dedupChains {
		builds[c.name] = c.build
	}
	builds["private means"] = func(p Pipeline) Pipeline { return p.OneHot().Impute(PrivateMean{Share: 0.1}).Scale() }
	const n = 9
	for name, build := range builds {
		t.Run(name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(35, 1))
			for range 20 {
				var rows, left [][]float64
				empty := make([]bool, n)
				for i := range n {
					row := latticeRow(r)
					if empty[i] = r.IntN(3) == 0 && i > 1; empty[i] {
						row = []float64{math.Inf(1), 77, 1e300, math.NaN(), 55} // cells of an empty row mean nothing
					} else {
						left = append(left, row)
					}
					rows = append(rows, row)
				}
				s := demo(t, frameOf(t, tinySchema(t), slices.Concat(left, slices.Repeat(left[:1], n-len(left)))))
				plan := build(s.Data()).FitLogistic(ByGradient{Epsilon: 1, Delta: 1e-6, Steps: 10})
				q, err := plan.plan().quote()
				if err != nil {
					t.Fatal(err)
				}
				a, b := followed(t, q, rows, empty), followed(t, q, left, nil)
				at := 0
				for i := range n {
					if empty[i] {
						if !a.IsEmpty(i) {
							t.Fatalf("row %d came back", i)
						}
						continue
					}
					if a.IsEmpty(i) != b.IsEmpty(at) || !slices.Equal(a.Row(i), b.Row(at)) {
						t.Fatalf("row %d became %v beside empty rows, %v without them", i, a.Row(i), b.Row(at))
					}
					at++
				}
				emptyRowsAddNothing(t, q, a, b)
			}
		})
	}
}

func emptyRowsAddNothing(t *testing.T, q quote, a, b *rows.Matrix) {
	t.Helper()
	ctx := context.Background()
	l := gradient.LogisticFit{ByGradient: ByGradient{Epsilon: 1, Delta: 1e-6, Steps: 10}}
	pl, err := l.Calibrate(q.end)
	if err != nil {
		t.Fatal(err)
	}
	w := make([]float64, pl.D+1)
	for j := range w {
		w[j] = 0.3 * float64(j%3-1)
	}
	if d := sumsDiffer(pl, a, b, w); d != 0 {
		t.Errorf("gradient sums differ by %v S", d)
	}
	fa, fb := must(l.Exact(ctx, rows.InProcess{In: a}, q.end)), must(l.Exact(ctx, rows.InProcess{In: b}, q.end))
	if !slices.Equal(fa.Coef, fb.Coef) || fa.Intercept != fb.Intercept {
		t.Errorf("public fits differ: %v and %v", fa.Coef, fb.Coef)
	}
	m := sums.Mean{Target: Target{Epsilon: 1, Delta: 1e-6}}
	g, err := m.Calibrate(q.end)
	if err != nil {
		t.Fatal(err)
	}
	if x, y := must(g.Sums(ctx, rows.InProcess{In: a})), must(g.Sums(ctx, rows.InProcess{In: b})); !slices.Equal(x, y) {
		t.Errorf("sums differ: %v and %v", x, y)
	}
	if x, y := must(m.Exact(ctx, rows.InProcess{In: a}, q.end)), must(m.Exact(ctx, rows.InProcess{In: b}, q.end)); !slices.Equal(x.Values, y.Values) {
		t.Errorf("public means differ: %v and %v", x.Values, y.Values)
	}
	h := sums.Histogram{Column: "income", Target: Target{Epsilon: 1, Delta: 1e-6}}
	ca, err := h.Counts(q.end, 2)(ctx, rows.InProcess{In: a})
	if err != nil {
		t.Fatal(err)
	}
	if cb, err := h.Counts(q.end, 2)(ctx, rows.InProcess{In: b}); err != nil || !slices.Equal(ca, cb) {
		t.Errorf("counts differ: %v and %v (%v)", ca, cb, err)
	}
}

// TestDedupAtPredictionTime: nothing is removed; rows are moved to centres where training rows were.
func TestDedupAtPredictionTime(t *testing.T) {
	for _, c := range []struct {
		name string
		how  func(Pipeline) Pipeline
		want []float64
	}{
		{"exact", func(p Pipeline) Pipeline { return p.Dedup(Exact{}) }, []float64{20.3, 1, 0.1, 0}},
		{"centres", func(p Pipeline) Pipeline { return p.Dedup(Grid{Width: 2}) }, []float64{20, 1, 0, 0}},
		{"centres of a key", func(p Pipeline) Pipeline { return p.Dedup(Grid{Width: 2}, "age") }, []float64{20, 1, 0.1, 0}},
		{"smallest", func(p Pipeline) Pipeline { return p.Dedup(Grid{Width: 2, Representative: CellSmallest}) }, []float64{20.3, 1, 0.1, 0}},
		{"ball", func(p Pipeline) Pipeline { return p.Dedup(Ball{Eta: 1, MaxCluster: 2}) }, []float64{20.3, 1, 0.1, 0}},
		{"moved", func(p Pipeline) Pipeline { return p.QuantizeBall(Ball{Eta: 1, MaxCluster: 2}) }, []float64{20.3, 1, 0.1, 0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := demo(t, tinyFrame(t, 40, 1))
			r := must(c.how(s.Data()).OneHot().Impute(Midpoint{}).Scale().FitLogistic(ByGradient{Epsilon: 1, Delta: 1e-6, Steps: 10}).Release(context.Background()))
			f, _, err := r.Value.Maps.Transform(4)
			if err != nil {
				t.Fatal(err)
			}
			plain := must(s.Data().OneHot().Impute(Midpoint{}).Scale().FitLogistic(ByGradient{Epsilon: 1, Delta: 1e-6, Steps: 10}).Release(context.Background()))
			g, _, err := plain.Value.Maps.Transform(4)
			if err != nil {
				t.Fatal(err)
			}
			x, y := make([]float64, len(r.Value.Coef)), make([]float64, len(r.Value.Coef))
			f.Map(x, []float64{20.3, 1, 0.1, 0}, 1)
			g.Map(y, c.want, 1)
			if !slices.Equal(x, y) {
				t.Errorf("a row is read as %v, want %v", x, y)
			}
		})
	}
}

// TestDedupOnPublicData runs without noise on the rows that are left.
func TestDedupOnPublicData(t *testing.T) {
	rows := [][]float64{{20, 0, 1, 1, 0}, {20, 0, 1, 1, 0}, {20, 0, 1, 1, 0}, {40, 0, 3, 1, 1}}
	s := must(OnPublic(frames.Public(frameOf(t, tinySchema(t), rows))))
	r := must(s.Data().Dedup(Exact{}).Select("age", "pay").Impute(Midpoint{}).Mean(Target{}).Release(context.Background()))
	if !slices.Equal(r.Value.Values, []float64{30, 2}) {
		t.Errorf("means of the rows that are left: got %v, want [30 2]", r.Value.Values)
	}
}
