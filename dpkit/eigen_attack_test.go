package dpkit

import (
	"context"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/glm"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/linear"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/reports"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/sums"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// eigenAttack is what rests on eigenvalues, on n rows of d features and a label in [-size, size]: each function gives the
// largest observed/claimed of two datasets that differ in one row.
type eigenAttack struct {
	size   float64
	n, d   int
	ratios map[string]func(a, b *rows.Matrix) float64
}

// spectralSteps are those of PCA without a certificate.
var spectralSteps = []Components{
	SoftThreshold{Lambda: 0.05},
	SoftThreshold{Lambda: 0.05, Centered: true},
	SoftThreshold{Lambda: 1e-6},
	Tikhonov{Lambda: 0.05},
	Tikhonov{Lambda: 0.05, Centered: true},
	Tikhonov{Lambda: 1e-6},
	Ramp{Start: 0.2, Width: 0.3},
	Ramp{Start: 0.2, Width: 0.3, Centered: true},
	Ramp{Width: 1e-6},
}

func newEigenAttack(t testing.TB, size float64, n, d int) *eigenAttack {
	t.Helper()
	var cols []frames.Column
	for j := range d {
		cols = append(cols, frames.Numeric(fmt.Sprint("x", j), -size, size))
	}
	s := must(frames.NewSchema(append(cols, frames.NumericLabel("y", -size, size))...))
	table := make2D(n, d+1)
	e := &eigenAttack{size, n, d, map[string]func(a, b *rows.Matrix) float64{}}
	data := demo(t, frameOf(t, s, table)).Data()
	for _, how := range spectralSteps {
		e.displacement(t, data.PCA(how), how.String(), nil)
	}
	for _, beta := range []float64{0.3, 0.001} {
		how := Hard{K: 1, Gap: Declare(beta)}
		e.displacement(t, data.PCA(how), how.String(), func(m *rows.Matrix) bool {
			return e.gap(m, 1) >= beta*(1+1e-9)*e.square()
		})
	}
	for k := 1; k < d; k++ {
		how := Hard{K: k, Gap: Test(0.01, Tested{Share: 0.1, Delta: 1e-9})}
		e.statistic(t, data.PCA(how), how.String())
	}
	ridge := Ridge{Lambda: 0.01, MinEigen: Test(0.1, Tested{Share: 0.1, Delta: 1e-9}), On: []string{"x0", "x1"}}
	missing := slices.Clone(cols)
	missing[d-1] = missing[d-1].MayMiss()
	if d > 2 {
		with := must(frames.NewSchema(append(missing, frames.NumericLabel("y", -size, size))...))
		e.statistic(t, demo(t, frameOf(t, with, table)).Data().Impute(ridge, cols[d-1].Name), "MinEigen of Ridge")
	}
	_, end, err := data.trace()
	if err != nil {
		t.Fatal(err)
	}
	e.linear(t, end)
	e.report(t)
	return e
}

// report is the eigenvalue beside a logistic model: row 0 is in one of the datasets, its neighbour lacks it. Labels are signs of the
// label column, coefficients public.
func (e *eigenAttack) report(t testing.TB) {
	t.Helper()
	cols := slices.Clone(e.schema().Features())
	s := must(frames.NewSchema(append(cols, frames.Label("y", "-", "+"))...))
	data := must(Demo(frameOf(t, s, make2D(e.n, e.d+1)), 1, AddRemove)).Data()
	_, end, err := data.trace()
	if err != nil {
		t.Fatal(err)
	}
	r := reports.ReportFit{
		ObjectiveFit:  glm.ObjectiveFit{How: ByObjective{Epsilon: 1, Delta: 1e-6}},
		PrivacyReport: PrivacyReport{Rho: 1e-12, Share: 0.5, Eigenvalue: 1},
	}
	pl, err := r.Calibrate(end)
	if err != nil {
		t.Fatalf("report of %d rows of %d, size %g: %v", e.n, e.d, e.size, err)
	}
	theta := make([]float64, pl.K)
	for j := range theta {
		theta[j] = 0.3 / e.size * float64(j%3-1)
	}
	e.ratios["eigenvalue of FitLogisticWithReport"] = func(a, _ *rows.Matrix) float64 {
		var least [2]float64
		for k, m := range []*rows.Matrix{a, a} {
			m = &rows.Matrix{Domain: s, Cols: e.d, X: m.X, Y: slices.Clone(m.Y), Empty: make([]bool, e.n)}
			m.Empty[0] = k == 1
			for i, y := range m.Y {
				m.Y[i] = 0
				if y > 0 {
					m.Y[i] = 1
				}
			}
			at := must(pl.LossSums(context.Background(), rows.InProcess{In: m}, theta))
			least[k] = (&rows.Gram{D: pl.K, Total: at.Hessian}).Eigen(pl.Smallest.Max).Values[pl.K-1]
		}
		return math.Abs(least[0]-least[1]) / pl.Smallest.Sensitivity
	}
}

func make2D(rows, cols int) [][]float64 {
	out := make([][]float64, rows)
	for i := range out {
		out[i] = make([]float64, cols)
	}
	return out
}

func (e *eigenAttack) square() float64 { return float64(e.d) * e.size * e.size }

// gap is that of XᵀX/n, by the solver.
func (e *eigenAttack) gap(m *rows.Matrix, k int) float64 {
	g := must(rows.GramOf(context.Background(), m, e.d, math.Sqrt(e.square())))
	g.Scale(e.n)
	v := g.Eigen(e.square()).Values
	return v[k-1] - v[k]
}

// displacement measures what the rows that the two datasets share move by, in the three norms, and what their sum does.
func (e *eigenAttack) displacement(t testing.TB, p Pipeline, name string, only func(*rows.Matrix) bool) {
	t.Helper()
	stages, end, err := p.trace()
	if err != nil {
		t.Fatalf("%s of %d rows of %d, size %g: %v", name, e.n, e.d, e.size, err)
	}
	st := stages[0]
	totals := must(sums.Mean{Target: Target{Epsilon: 1, Delta: 1e-6}}.Calibrate(end))
	claimed, _ := totals.Sensitivity()
	e.ratios[name] = func(a, b *rows.Matrix) float64 {
		if only != nil && !(only(a) && only(b)) {
			return 0
		}
		var out [2]*rows.Matrix
		for k, m := range []*rows.Matrix{a, b} {
			out[k] = must(rows.Materialise(context.Background(), m, st.Out, must(st.Step.Fit(context.Background(), m, st.Stage))))
		}
		var t1, tf, ti, moved float64
		for i := 1; i < e.n; i++ {
			d := distance(out[0].Row(i), out[1].Row(i))
			t1, tf, ti = t1+d, math.Hypot(tf, d), max(ti, d)
		}
		x, y := must(totals.Sums(context.Background(), rows.InProcess{In: out[0]})), must(totals.Sums(context.Background(), rows.InProcess{In: out[1]}))
		for j := range x {
			moved = math.Hypot(moved, float64(x[j]-y[j])*totals.Lattice().Step())
		}
		return max(t1/st.After.T1, tf/st.After.TF, ti/st.After.TInf, moved/claimed)
	}
}

// statistic measures what a step asks the rows for.
func (e *eigenAttack) statistic(t testing.TB, p Pipeline, name string) {
	t.Helper()
	stages, _, err := p.trace()
	if err != nil {
		t.Fatal(err)
	}
	asks := stages[0].Step.(query.Spender)
	asked := must(asks.Expenses(stages[0].Stage))
	q := asked[len(asked)-1].Query
	e.ratios[name] = func(a, b *rows.Matrix) float64 {
		answer := func(m *rows.Matrix) float64 {
			all := must(asks.Measure(context.Background(), m, stages[0].Stage))
			return num.Clamp(all[len(all)-1][0], -q.Max, q.Max)
		}
		return math.Abs(answer(a)-answer(b)) / q.Sensitivity
	}
}

// linear are the releases of a model that read eigenvalues.
func (e *eigenAttack) linear(t testing.TB, end stage.Stage) {
	t.Helper()
	of := func(method string, change func(*linear.Settings)) linear.LinearFit {
		l := linear.Settings{Epsilon: 1, Delta: 1e-6, Method: method, LabelScale: 1, NoIntercept: true}
		if change != nil {
			change(&l)
		}
		fit, err := linear.LeastSquares{Settings: l}.Choose(end)
		if err != nil {
			t.Fatalf("%v of %d rows of %d, size %g: %v", method, e.n, e.d, e.size, err)
		}
		return fit
	}
	least := func(fit linear.LinearFit, p int, bound, sensitivity float64) func(a, b *rows.Matrix) float64 {
		dom := fit.Domain()
		return func(a, b *rows.Matrix) float64 {
			x, y := must(dom.NormalEquations(context.Background(), rows.InProcess{In: a})).Smallest(p, bound), must(dom.NormalEquations(context.Background(), rows.InProcess{In: b})).Smallest(p, bound)
			return math.Abs(num.Clamp(x, 0, bound)-num.Clamp(y, 0, bound)) / sensitivity
		}
	}
	// The sensitivity does not depend on the rows of the sketch: one number of them is calibrated once for all sizes.
	mix := of(models.LinearMixing, func(l *linear.Settings) { l.ReleaseEigenvalue, l.Rows = true, 40 }).(*linear.SketchFit)
	if err := mix.Finish(); err != nil {
		t.Fatal(err)
	}
	most := float64(e.n) * mix.Square()
	e.ratios["eigenvalue of LinearMixing"] = least(mix, mix.M, most, mix.Lambda.Sensitivity)
	she := of(models.Sheffet2017Exact, nil).(*linear.Sheffet)
	if err := she.Finish(); err != nil {
		t.Fatal(err)
	}
	e.ratios["eigenvalue of Sheffet2017Exact"] = least(she, she.M, most, she.Test.S)
	if e.size > 1e-40 && e.size < 1e40 { // beyond, its squares are refused
		rel := of(models.RelativeGaussianDescent, func(l *linear.Settings) {
			l.Strength, l.Ridge, l.Steps = Test(0.01, Tested{Share: 0.1, Delta: 1e-9}), 0.01, 1
		}).(*linear.RelativeDescent)
		e.ratios["strength of RelativeGaussianDescent"] = least(rel, rel.Coefficients(), float64(rel.N)*rel.Rx*rel.Rx, float64(rel.N)*rel.Query.Query.Sensitivity)
	}
	for _, ridge := range []float64{1e-3, 1} {
		out := of(models.OutputPerturbation, func(l *linear.Settings) { l.Ridge = ridge }).(*linear.OutputFit)
		e.ratios[fmt.Sprint("minimiser of models.OutputPerturbation, ridge ", ridge)] = func(a, b *rows.Matrix) float64 {
			return distance(out.Minimiser(must(out.NormalEquations(context.Background(), rows.InProcess{In: a}))), out.Minimiser(must(out.NormalEquations(context.Background(), rows.InProcess{In: b})))) / out.Sensitivity
		}
	}
}

// hostileCells are what cells are made of, in units of the bound: blocks of different magnitude, ties, extremes, subnormals.
var hostileCells = []float64{
	0, 1, -1, 0.5, -0.5, 0.7, 1e-1, 1e-3, 1e-8, 1e-14, 1e-15, 2e-15, 7e-16, 1e-16, 1e-30, 1e-50, 1e-60, 7e-61, 1e-61, 1e-62, 7e-63, 1e-66, 1e-75, 1e-77, 1e-100, 1e-140, 1e-160, 5e-324,
}

func (e *eigenAttack) cell(r *rand.Rand) float64 {
	c := hostileCells[r.IntN(len(hostileCells))]
	switch r.IntN(6) {
	case 0:
		c *= 2*r.Float64() - 1
	case 1:
		c = 2*r.Float64() - 1
	}
	if c == 5e-324 {
		return c // of whatever bound
	}
	return c * e.size
}

// pair draws two datasets: columns in blocks of one magnitude, a few different rows, many times.
func (e *eigenAttack) pair(r *rand.Rand) pairOfRows {
	magnitude := make([]float64, e.d+1)
	for j := range magnitude {
		magnitude[j] = 1
		if j > 0 && r.IntN(2) == 0 {
			magnitude[j] = magnitude[j-1]
		} else if r.IntN(2) == 0 {
			magnitude[j] = math.Abs(hostileCells[1+r.IntN(len(hostileCells)-2)])
		}
	}
	row := func() []float64 {
		x := make([]float64, e.d+1)
		if r.IntN(8) == 0 {
			return x
		}
		kind := r.IntN(3)
		for j := range x {
			switch x[j] = e.cell(r) * magnitude[j]; kind {
			case 0:
				x[j] = e.size * magnitude[j] * float64(r.IntN(3)-1)
			case 1: // as long as rows may be
				x[j] = e.size * float64(2*r.IntN(2)-1)
			}
		}
		if r.IntN(3) == 0 { // one block alone
			from := r.IntN(e.d)
			for j := range from {
				x[j] = 0
			}
		}
		return x
	}
	p := pairOfRows{a: row(), b: row()}
	few := [][]float64{row()}
	for range r.IntN(e.d + 2) {
		few = append(few, row())
	}
	for range e.n - 1 {
		p.common = append(p.common, slices.Clone(few[r.IntN(1+r.IntN(len(few)))]))
	}
	return p
}

func (e *eigenAttack) change(r *rand.Rand, p pairOfRows) pairOfRows {
	q := pairOfRows{slices.Clone(p.common), slices.Clone(p.a), slices.Clone(p.b)}
	for range 1 + r.IntN(2) {
		at := r.IntN(len(q.common) + 4)
		row := q.a
		switch {
		case at < len(q.common):
			q.common[at] = slices.Clone(q.common[at])
			row = q.common[at]
		case at%2 == 0:
			row = q.b
		}
		j := r.IntN(len(row))
		switch r.IntN(4) {
		case 0:
			row[j] = row[r.IntN(len(row))]
		case 1:
			row[j] = num.Clamp(row[j]*math.Exp(r.NormFloat64()), -e.size, e.size)
		case 2:
			row[j] = num.Clamp(row[j]+0.1*e.size*r.NormFloat64(), -e.size, e.size)
		default:
			row[j] = e.cell(r)
		}
		if at < len(q.common) && r.IntN(3) == 0 { // a tie
			q.common[r.IntN(len(q.common))] = slices.Clone(row)
		}
	}
	return q
}

func (e *eigenAttack) matrices(p pairOfRows, s frames.Schema) (a, b *rows.Matrix) {
	x, y := p.sides()
	of := func(table [][]float64) *rows.Matrix {
		m := &rows.Matrix{Domain: s, Cols: e.d}
		for _, row := range table {
			m.X, m.Y = append(m.X, row[:e.d]...), append(m.Y, row[e.d])
		}
		return m
	}
	return of(x), of(y)
}

func (e *eigenAttack) schema() frames.Schema {
	var cols []frames.Column
	for j := range e.d {
		cols = append(cols, frames.Numeric(fmt.Sprint("x", j), -e.size, e.size))
	}
	return must(frames.NewSchema(append(cols, frames.NumericLabel("y", -e.size, e.size))...))
}

// TestAttackEigenvalues searches for one replaced row that moves what rests on eigenvalues further than is claimed: structured
// starts and a hill climb, at sizes from one end of the range to the other.
func TestAttackEigenvalues(t *testing.T) { attackEigenvalues(t, 0, 2, 20) }

func attackEigenvalues(t *testing.T, seed uint64, starts, steps int) {
	worst := map[string]float64{}
	for i, size := range []float64{1e-60, 1e-30, 1, 1e30, 2e59} {
		for _, shape := range [][2]int{{2, 2}, {3, 3}, {9, 4}, {60, 6}} {
			n, d := shape[0], shape[1]
			r := rand.New(rand.NewPCG(seed+uint64(i), uint64(n)))
			e := newEigenAttack(t, size, n, d)
			s := e.schema()
			for _, name := range slices.Sorted(maps.Keys(e.ratios)) {
				for range starts {
					p := e.pair(r)
					best := e.ratios[name](e.matrices(p, s))
					for range steps {
						q := e.change(r, p)
						if got := e.ratios[name](e.matrices(q, s)); got >= best {
							p, best = q, got
						}
					}
					worst[name] = max(worst[name], best)
					if !(best <= 1) {
						t.Errorf("%s, %d rows of %d, size %g: observed/claimed %.6g on %v", name, n, d, size, best, p)
					}
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(worst)) {
		t.Logf("observed/claimed %.4f: %s", worst[name], name)
	}
}

// TestTinyBlockMovesNothing: one replaced row, zeros against numbers whose squares are below 1e-122, must not touch the eigenvalues of
// other columns. Behind gonum's solver a sum moved by 554 times what was claimed.
func TestTinyBlockMovesNothing(t *testing.T) {
	t.Parallel()
	for _, n := range []int{100, 1000, 20_000} {
		e := newEigenAttack(t, 1, n, 4)
		p := pairOfRows{a: []float64{0, 0, 0, 0, 1}}
		for i := 1; i < n; i++ {
			x := float64(i)
			p.common = append(p.common, []float64{0, 0, 0.5 + 0.4*math.Cos(x), 0.3 + 0.5*math.Sin(x), math.Cos(x)})
		}
		for _, tiny := range []float64{5, 20, 50, 60, 61, 62, 63, 64, 66, 70, 77, 100, 150, 160} {
			if n > 1000 && tiny != 60 && tiny != 62 {
				continue
			}
			size := math.Pow(10, -tiny)
			p.b = []float64{size, 0.7 * size, 0, 0, 1}
			a, b := e.matrices(p, e.schema())
			for name, ratio := range e.ratios {
				if got := ratio(a, b); !(got <= 1e-3) {
					t.Errorf("%d rows, 1e-%g, %s: observed/claimed %.6g, want nothing to be seen", n, tiny, name, got)
				}
			}
		}
	}
}
