package dpkit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/baseline"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/unbounded"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/frames"
)

// rotation is a random one, and the standard deviations that gaussianRows gives its columns.
func rotation(rng *rand.Rand, d int, kappa, size float64) (q mat.Dense, sd []float64) {
	raw := mat.NewDense(d, d, nil)
	for i := range d {
		for j := range d {
			raw.Set(i, j, rng.NormFloat64())
		}
	}
	var qr mat.QR
	qr.Factorize(raw)
	qr.QTo(&q)
	for j := range d {
		sd = append(sd, size*math.Pow(kappa, -0.5*float64(j)/float64(max(d-1, 1))))
	}
	return q, sd
}

func rowsSource(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 99)) }

// gaussianRows draws n rows of N(mean, Q D² Qᵀ): Q a rotation, the largest of D size, κ the condition number of D².
func gaussianRows(seed uint64, n, d int, kappa, size, mean float64) (rows [][]float64) {
	rng := rowsSource(seed)
	q, sd := rotation(rng, d, kappa, size)
	rows = make([][]float64, n)
	g := make([]float64, d)
	for i := range rows {
		rows[i] = make([]float64, d)
		for j := range g {
			g[j] = rng.NormFloat64() * sd[j]
		}
		for j := range d {
			rows[i][j] = mean
			for k := range d {
				rows[i][j] += q.At(j, k) * g[k]
			}
		}
	}
	return rows
}

// openFrame puts rows under unbounded columns; y may be nil.
func openFrame(t testing.TB, rows [][]float64, y []float64, label frames.Column) *frames.Frame {
	t.Helper()
	var cols []frames.Column
	for j := range rows[0] {
		cols = append(cols, frames.Unbounded(fmt.Sprintf("x%d", j+1)))
	}
	if y != nil {
		cols = append(cols, label)
	}
	s := must(frames.NewSchema(cols...))
	return must(frames.Collect(context.Background(), rowSource{s, rows, y}))
}

type rowSource struct {
	s    frames.Schema
	rows [][]float64
	y    []float64
}

func (r rowSource) Schema() frames.Schema { return r.s }

func (r rowSource) Rows() int { return len(r.rows) }

func (r rowSource) Scan(_ context.Context, fn func(*frames.Block) error) error {
	for i, row := range r.rows {
		b := &frames.Block{First: i, Rows: 1, Cols: len(row), X: row}
		if r.y != nil {
			b.Y = r.y[i : i+1]
		}
		if err := fn(b); err != nil {
			return err
		}
	}
	return nil
}

// relativeError is the spectral norm of S^−½ (M − S) S^−½.
func relativeError(m, s []float64, d int) float64 {
	var chol mat.Cholesky
	if !chol.Factorize(mat.NewSymDense(d, s)) {
		return math.Inf(1)
	}
	var l mat.TriDense
	chol.LTo(&l)
	var x, y mat.Dense
	diff := mat.NewDense(d, d, nil)
	diff.Sub(mat.NewDense(d, d, m), mat.NewDense(d, d, s))
	for _, err := range []error{x.Solve(&l, diff), y.Solve(&l, x.T())} {
		if _, ill := err.(mat.Condition); err != nil && !ill { // by design
			return math.Inf(1)
		}
	}
	var svd mat.SVD
	if !svd.Factorize(&y, mat.SVDNone) {
		return math.Inf(1)
	}
	return svd.Values(nil)[0]
}

// truth is the covariance of gaussianRows.
func truth(seed uint64, d int, kappa, size float64) []float64 {
	q, sd := rotation(rowsSource(seed), d, kappa, size)
	out := make([]float64, d*d)
	for a := range d {
		for b := range d {
			for k := range d {
				out[a*d+b] += q.At(a, k) * sd[k] * sd[k] * q.At(b, k)
			}
		}
	}
	return out
}

func empirical(rows [][]float64) []float64 {
	d := len(rows[0])
	out := make([]float64, d*d)
	for _, r := range rows {
		for a := range d {
			for b := range d {
				out[a*d+b] += r[a] * r[b] / float64(len(rows))
			}
		}
	}
	return out
}

// rhoTarget is (ε, δ) with μ = √(2ρ).
func rhoTarget(t testing.TB, rho float64) (epsilon, delta float64) {
	t.Helper()
	delta = 1e-6
	g := must(accountant.EpsilonOf(accountant.Gaussian{Sensitivity: math.Sqrt(2 * rho), Sigma: 1, Neighbours: ReplaceOne}, ReplaceOne, delta))
	return g.Epsilon * (1 + 1e-6), delta
}

// TestMomentRowsStayInTheBall attacks the bound on which privacy rests with rows and matrices of all sizes.
func TestMomentRowsStayInTheBall(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, m := range []int{1, 2, 7, 40} {
		for _, r := range []float64{1e-3, 1, 7.3, math.Nextafter(8, 0), 8, 1e6} {
			g := must(unbounded.NewMomentRows(1000, m, false, false, r))
			a, u, y, k := make([]float64, m*m), make([]float64, m), make([]float64, m), make([]float64, m)
			for range 200 {
				wide := rng.Float64() * 300
				for i := range a {
					a[i] = rng.NormFloat64() * math.Pow(10, wide/10*(rng.Float64()-0.5))
				}
				for i := range u {
					u[i] = rng.NormFloat64() * math.Pow(10, wide*2*(rng.Float64()-0.5))
					if rng.IntN(400) == 0 {
						u[i] = []float64{0, math.MaxFloat64, -math.MaxFloat64, 5e-324, math.Inf(1), math.NaN()}[rng.IntN(6)]
					}
				}
				g.Place(k, y, u, a)
				var all float64
				for _, v := range k {
					if v != math.Trunc(v) {
						t.Fatalf("m = %d, r = %g: got %g steps, want an integer", m, r, v)
					}
					all += v * v
				}
				if !(all <= g.Limit) {
					t.Fatalf("m = %d, r = %g: got ‖k‖² = %g above the limit %g", m, r, all, g.Limit)
				}
			}
			if bound := g.Norm(); !(bound >= r && bound <= r*(1+1e-3*math.Sqrt(float64(m)))) {
				t.Errorf("m = %d, r = %g: norm bound %g, want r and little more", m, r, bound)
			}
		}
	}
}

// TestMomentRowsClip: rows of any size keep their direction, and those inside the ball their place.
func TestMomentRowsClip(t *testing.T) {
	g := must(unbounded.NewMomentRows(1000, 2, false, false, 5))
	a := []float64{1, 0, 0, 1}
	y, k := make([]float64, 2), make([]float64, 2)
	for _, c := range []struct{ u, want [2]float64 }{
		{[2]float64{3, -1}, [2]float64{3, -1}},
		{[2]float64{30, -40}, [2]float64{3, -4}},
		{[2]float64{3e300, -4e300}, [2]float64{3, -4}},
		{[2]float64{1.5e308, 1.5e308}, [2]float64{5 / math.Sqrt2, 5 / math.Sqrt2}},
		{[2]float64{0, -1.7e308}, [2]float64{0, -5}},
		{[2]float64{5e-324, 0}, [2]float64{0, 0}},
		{[2]float64{math.Inf(1), 0}, [2]float64{0, 0}},
		{[2]float64{math.NaN(), 1}, [2]float64{0, 0}},
	} {
		g.Place(k, y, c.u[:], a)
		for j := range k {
			if math.Abs(k[j]*g.H-c.want[j]) > g.H {
				t.Errorf("row %v: got (%g, %g), want %v", c.u, k[0]*g.H, k[1]*g.H, c.want)
				break
			}
		}
	}
}

// momentPlanOf settles a plan over n rows of d unbounded columns.
func momentPlanOf(t *testing.T, n, d int, rel accountant.Neighbours, o Unbounded) *unbounded.CalibratedMoments {
	t.Helper()
	rows := make([][]float64, n)
	for i := range rows {
		rows[i] = make([]float64, d)
	}
	s := must(Demo(openFrame(t, rows, nil, frames.Column{}), 1, rel))
	_, end, err := s.Data().trace()
	if err != nil {
		t.Fatal(err)
	}
	return must(o.Calibrate(end, false, false))
}

// TestMomentRoundOnWorstPair: a pair of datasets attains the sensitivity of a round, so that its noise is as it has to
// be, and the noise that the source prints, r²/(nε) at ρ = ε²/2, pays for half of that.
func TestMomentRoundOnWorstPair(t *testing.T) {
	const n, d = 20_000, 4
	for _, rel := range []accountant.Neighbours{ReplaceOne, AddRemove} {
		p := momentPlanOf(t, n, d, rel, Unbounded{Epsilon: 2, Delta: 1e-6, Smallest: 1e-2, Largest: 1})
		a := make([]float64, d*d)
		for i := range d {
			a[i*d+i] = 1
		}
		statistic := func(g *unbounded.MomentRows, u []float64) []float64 {
			y, k := make([]float64, d), make([]float64, d)
			g.Place(k, y, u, a)
			var psi []float64
			for i := range d {
				for j := i; j < d; j++ {
					v := k[i] * k[j] * g.H * g.H
					if j > i {
						v *= math.Sqrt2
					}
					psi = append(psi, v)
				}
			}
			return psi
		}
		mu := must(accountant.CalibrateShared(accountant.Budget{Epsilon: 2, Delta: 1e-6}))
		total := 0.0
		for _, c := range []struct {
			name  string
			rows  *unbounded.MomentRows
			query *query.GaussianQuery
			times float64
			share float64
		}{
			{"round", &p.Search, &p.Round, float64(p.Rounds), p.Share},
			{"last", &p.MomentRows, &p.Last, 1, 1 - p.Share},
		} {
			x := statistic(c.rows, []float64{1e9, 0, 0, 0})
			other := make([]float64, len(x)) // the row is gone
			if rel == ReplaceOne {
				other = statistic(c.rows, []float64{0, 0, -1e9, 0})
			}
			var square float64
			for i := range x {
				square += (x[i] - other[i]) * (x[i] - other[i])
			}
			if moved := math.Sqrt(square); !(moved <= c.query.S) || moved < 0.999*c.query.S {
				t.Errorf("%v, %s: the pair moves the statistic by %.6g, it is charged for %.6g", rel, c.name, moved, c.query.S)
			}
			rho := mu * mu / 2 * c.share / c.times
			spent := func(s float64) float64 { // ρ of the pair at noise s on an off-diagonal entry of the mean
				sd := math.Sqrt2 * s * n
				return square / (2 * sd * sd)
			}
			got := spent(p.Scale(c.query))
			if !(got <= rho) || got < 0.99*rho {
				t.Errorf("%v, %s: the pair costs ρ = %.6g of %.6g", rel, c.name, got, rho)
			}
			printed := c.rows.R * c.rows.R / (n * math.Sqrt(2*rho)) / math.Sqrt2
			if rel == ReplaceOne && spent(printed) < 1.99*rho {
				t.Errorf("%s: the printed noise pays ρ = %.6g, want twice %.6g", c.name, spent(printed), rho)
			}
			want := must(accountant.SecondMomentNoise(c.rows.Norm(), n, rho, rel))
			if s := p.Scale(c.query); math.Abs(s-want) > 1e-6*want {
				t.Errorf("%v, %s: noise s = %.9g, the accountant says %.9g", rel, c.name, s, want)
			}
			total += c.times * got
		}
		if !(total <= mu*mu/2) || total < 0.99*mu*mu/2 {
			t.Errorf("%v: all rounds cost ρ = %.6g of %.6g", rel, total, mu*mu/2)
		}
	}
}

// TestSecondMomentError: at ρ = 0.5 the private estimate is within 1.2 times the error of the moments themselves, for any
// condition number, and its error beside them as predicted.
func TestSecondMomentError(t *testing.T) {
	t.Parallel()
	const n, d = 100_000, 10
	epsilon, delta := rhoTarget(t, 0.5)
	for _, kappa := range []float64{1, 1e4, 1e12} {
		rows := gaussianRows(3, n, d, kappa, 1, 0)
		s := must(Demo(openFrame(t, rows, nil, frames.Column{}), 7, ReplaceOne))
		got := must(s.Data().SecondMoment(Unbounded{Epsilon: epsilon, Delta: delta, Smallest: 1 / math.Sqrt(kappa), Largest: 1}).Release(context.Background())).Value
		law, sample := truth(3, d, kappa, 1), empirical(rows)
		private, open := relativeError(got.Matrix, law, d), relativeError(sample, law, d)
		if !(private <= 1.2*open) {
			t.Errorf("κ = %g: error %.4g, want at most 1.2 times %.4g", kappa, private, open)
		}
		if e := relativeError(got.Matrix, sample, d); !(e <= 3*got.Error) {
			t.Errorf("κ = %g: error by noise %.4g, predicted %.4g", kappa, e, got.Error)
		}
		if !got.Definite {
			t.Errorf("κ = %g: not definite", kappa)
		}
	}
}

// TestMomentMethods: one measurement is lost, and a weak contraction needs more rounds for a larger predicted error.
func TestMomentMethods(t *testing.T) {
	const n, d, kappa = 30_000, 4, 1e6
	rows := gaussianRows(5, n, d, kappa, 1, 0)
	f := openFrame(t, rows, nil, frames.Column{})
	sample := empirical(rows)
	got, rounds, predicted := map[MomentMethod]float64{}, map[MomentMethod]float64{}, map[MomentMethod]float64{}
	for _, m := range []MomentMethod{MomentsAdaptive, baseline.Naive, baseline.WeakContraction} {
		s := must(Demo(f, 7, ReplaceOne))
		r := must(s.Data().SecondMoment(Unbounded{Epsilon: 4, Delta: 1e-6, Method: m, Smallest: 1e-3, Largest: 1}).Release(context.Background()))
		got[m], predicted[m] = relativeError(r.Value.Matrix, sample, d), r.Value.Error
		for _, c := range r.Cost.Release.Constants {
			if c.Symbol == "T" {
				rounds[m] = c.Value
			}
		}
	}
	if !(got[MomentsAdaptive] < 0.03 && got[baseline.WeakContraction] < 0.1 && got[baseline.Naive] > 10) {
		t.Errorf("errors: got %v", got)
	}
	if !(predicted[MomentsAdaptive] < predicted[baseline.WeakContraction] && rounds[MomentsAdaptive] < rounds[baseline.WeakContraction]/2 && rounds[baseline.Naive] == 0) {
		t.Errorf("predicted errors %v in %v rounds", predicted, rounds)
	}
}

// TestUnboundedStreams: the rows of a frame, of small blocks and of a file give the same bits.
func TestUnboundedStreams(t *testing.T) {
	t.Parallel()
	rows := gaussianRows(8, 5000, 3, 100, 50, 20)
	y := make([]float64, len(rows))
	var text strings.Builder
	text.WriteString("x1,x2,x3,y\n")
	for i, r := range rows {
		y[i] = 3*r[0] - r[2]
		fmt.Fprintf(&text, "%v,%v,%v,%v\n", r[0], r[1], r[2], y[i])
	}
	f := openFrame(t, rows, y, frames.UnboundedLabel("y"))
	path := filepath.Join(t.TempDir(), "rows.csv")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	file := must(frames.OpenCSV(path, f.Schema(), frames.CSVOptions{Header: true}))
	var want string
	for _, src := range []frames.Source{f, f.Blocks(7), file} {
		s := must(Demo(src, 7, ReplaceOne))
		o := Unbounded{Epsilon: 20, Delta: 1e-6, Smallest: 0.1, Largest: 1e3}
		model := must(s.Data().FitUnbounded(UnboundedLinear{Unbounded: o}).Release(context.Background())).Value
		s = must(Demo(src, 7, ReplaceOne))
		moments := must(s.Data().Covariance(o).Release(context.Background())).Value
		s = must(Demo(src, 7, ReplaceOne))
		mean := must(s.Data().UnboundedMean(UnboundedMeans{Epsilon: 4, Delta: 1e-6}).Release(context.Background())).Value
		got := fmt.Sprintf("%v %v %v", model.Coef, moments.Matrix, mean.Values)
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("%T: got other bits:\n%s\nwant\n%s", src, got, want)
		}
	}
}

// TestCovarianceFarFromZero: a mean that is far away costs its logarithm.
func TestCovarianceFarFromZero(t *testing.T) {
	t.Parallel()
	const n, d = 40_000, 3
	rows := gaussianRows(9, n, d, 100, 1, 3000)
	for _, rel := range []accountant.Neighbours{ReplaceOne, AddRemove} {
		s := must(Demo(openFrame(t, rows, nil, frames.Column{}), 3, rel))
		got := must(s.Data().Covariance(Unbounded{Epsilon: 4, Delta: 1e-6, Smallest: 1e-5, Largest: 1e4}).Release(context.Background())).Value
		if e := relativeError(got.Matrix, truth(9, d, 100, 1), d); e > 0.06 {
			t.Errorf("%v: covariance is off by %.3g", rel, e)
		}
		for j, m := range got.Mean {
			if math.Abs(m-3000) > 0.05 {
				t.Errorf("%v: mean %d: got %g, want 3000 ± 0.05", rel, j, m)
			}
		}
	}
}

// TestUnboundedBadRows: data that break every promise give a value all the same, for the price that was asked.
func TestUnboundedBadRows(t *testing.T) {
	t.Parallel()
	const n = 20_000
	rng := rand.New(rand.NewPCG(4, 4))
	fill := func(f func(g float64, i int) []float64) (rows [][]float64) {
		for i := range n {
			rows = append(rows, f(rng.NormFloat64(), i))
		}
		return rows
	}
	normal := rng.NormFloat64
	for name, c := range map[string]struct {
		rows    [][]float64
		refused bool
	}{
		"constant column": {fill(func(g float64, _ int) []float64 { return []float64{g, 4, normal()} }), true},
		"collinear":       {fill(func(g float64, _ int) []float64 { v := normal(); return []float64{g, v, g - v} }), true},
		"zeros":           {fill(func(float64, int) []float64 { return []float64{0, 0, 0} }), true},
		"Cauchy":          {fill(func(g float64, _ int) []float64 { return []float64{g / normal(), normal() / normal(), normal()} }), false},
		"huge":            {fill(func(g float64, i int) []float64 { return []float64{g, math.MaxFloat64, -1e300 * float64(i%2)} }), true},
		"one outlier": {fill(func(g float64, i int) []float64 {
			return []float64{g, normal(), map[bool]float64{true: 1e300}[i == 0] + normal()}
		}), false},
	} {
		y := make([]float64, n)
		for i, r := range c.rows {
			y[i] = r[0] + normal()
		}
		s := must(Demo(openFrame(t, c.rows, y, frames.UnboundedLabel("y")), 3, ReplaceOne))
		r, err := s.Data().FitUnbounded(UnboundedLinear{Unbounded: Unbounded{Epsilon: 6, Delta: 1e-6}}).Release(context.Background())
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if r.Cost.Guarantee.Epsilon > 6 {
			t.Errorf("%s: costs ε = %g", name, r.Cost.Guarantee.Epsilon)
		}
		m := r.Value
		if _, err := json.Marshal(m); err != nil {
			t.Errorf("%s: the model does not survive JSON: %v", name, err)
		}
		if c.refused != (m.Refused != "") {
			t.Errorf("%s: refused: got %q (noise %.3g), want refused = %v", name, m.Refused, m.Noise, c.refused)
		}
		if _, err := m.Intervals(0.95); c.refused != errors.Is(err, ErrRefused) {
			t.Errorf("%s: intervals: got %v", name, err)
		}
		s = must(Demo(openFrame(t, c.rows, nil, frames.Column{}), 3, ReplaceOne))
		v := must(s.Data().Covariance(Unbounded{Epsilon: 6, Delta: 1e-6}).Release(context.Background())).Value
		if v.Definite == c.refused {
			t.Errorf("%s: definite: got %v", name, v.Definite)
		}
		if _, err := json.Marshal(v); err != nil {
			t.Errorf("%s: the moments do not survive JSON: %v", name, err)
		}
	}
}

// TestUnboundedTooFewRows: the refusal is public, and names a number of rows that is enough.
func TestUnboundedTooFewRows(t *testing.T) {
	o := Unbounded{Epsilon: 1, Delta: 1e-6}
	rows := gaussianRows(1, 300, 5, 1, 1, 0)
	s := must(Demo(openFrame(t, rows, nil, frames.Column{}), 3, ReplaceOne))
	_, err := s.Data().SecondMoment(o).Cost()
	if !errors.Is(err, ErrParameter) {
		t.Fatalf("got %v, want %v", err, ErrParameter)
	}
	var got, columns, need int
	at := strings.Index(err.Error(), "got ")
	if _, err := fmt.Sscanf(err.Error()[at:], "got %d rows of %d columns, want about %d", &got, &columns, &need); err != nil {
		t.Fatal(err)
	}
	if got != 300 || columns != 5 || need < 1000 {
		t.Errorf("got %d rows, %d columns, needed %d", got, columns, need)
	}
	rows = gaussianRows(1, need, 5, 1, 1, 0)
	s = must(Demo(openFrame(t, rows, nil, frames.Column{}), 3, ReplaceOne))
	if _, err := s.Data().SecondMoment(o).Cost(); err != nil {
		t.Errorf("with the needed rows: %v", err)
	}
}

// TestUnboundedScaleTooSmall: directions beyond Largest are clipped: biased downwards, at the same price.
func TestUnboundedScaleTooSmall(t *testing.T) {
	rows := gaussianRows(2, 20_000, 2, 1, 100, 0)
	s := must(Demo(openFrame(t, rows, nil, frames.Column{}), 3, ReplaceOne))
	r := must(s.Data().SecondMoment(Unbounded{Epsilon: 2, Delta: 1e-6, Smallest: 0.1, Largest: 1}).Release(context.Background()))
	if r.Cost.Guarantee.Epsilon > 2 || r.Value.SDs()[0] > 10 {
		t.Errorf("got sd %g for 100 declared as at most 1, ε = %g", r.Value.SDs()[0], r.Cost.Guarantee.Epsilon)
	}
}

// TestUnboundedParameters: every wrong parameter is told before anything is charged.
func TestUnboundedParameters(t *testing.T) {
	f := openFrame(t, gaussianRows(1, 5000, 2, 1, 1, 0), nil, frames.Column{})
	data := must(Demo(f, 1, ReplaceOne)).Data()
	ok := Unbounded{Epsilon: 1, Delta: 1e-6}
	for name, edit := range map[string]func(*Unbounded){
		"no epsilon":  func(o *Unbounded) { o.Epsilon = 0 },
		"NaN epsilon": func(o *Unbounded) { o.Epsilon = math.NaN() },
		"no delta":    func(o *Unbounded) { o.Delta = 0 },
		"method":      func(o *Unbounded) { o.Method = "x" },
		"NaN scale":   func(o *Unbounded) { o.Smallest = math.NaN() },
		"negative":    func(o *Unbounded) { o.Largest = -1 },
		"reversed":    func(o *Unbounded) { o.Smallest, o.Largest = 2, 1 },
		"too wide":    func(o *Unbounded) { o.Smallest, o.Largest = 1e-9, 1e9 },
	} {
		o := ok
		edit(&o)
		if _, err := data.SecondMoment(o).Cost(); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
	if _, err := data.FitUnbounded(UnboundedLinear{Unbounded: ok}).Cost(); !errors.Is(err, ErrColumn) {
		t.Errorf("no label: got %v", err)
	}
	for name, o := range map[string]UnboundedMeans{
		"no epsilon":        {Delta: 1e-6},
		"pure with a delta": {Epsilon: 1, Delta: 1e-6, Locator: BinsPure},
		"locator":           {Epsilon: 1, Delta: 1e-6, Locator: "x"},
		"failure above":     {Epsilon: 1, Delta: 1e-6, Failure: 1e-6},
		"failure elsewhere": {Epsilon: 1, Delta: 1e-6, Failure: 1e-7, Locator: BinsLaplace},
		"tiny epsilon":      {Epsilon: 1e-22, Delta: 1e-6, Locator: BinsLaplace},
		"NaN failure":       {Epsilon: 1, Delta: 1e-6, Failure: math.NaN()},
	} {
		if _, err := data.UnboundedMean(o).Cost(); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
}
