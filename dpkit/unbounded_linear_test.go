package dpkit

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/linear"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/unbounded"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/frames"
)

// linearLabel is ⟨β, x⟩ + 5 + noise of the given size, β normal.
func linearLabel(seed uint64, rows [][]float64, noise float64) (y, beta []float64) {
	rng := rand.New(rand.NewPCG(seed, 5))
	beta = make([]float64, len(rows[0]))
	for j := range beta {
		beta[j] = rng.NormFloat64()
	}
	y = make([]float64, len(rows))
	for i, r := range rows {
		y[i] = 5 + noise*rng.NormFloat64()
		for j, b := range beta {
			y[i] += b * r[j]
		}
	}
	return y, beta
}

// TestFitUnboundedError: at ε = 1, δ = 1e-6 and d = 10 the relative error of the coefficients, and that of the moments
// behind them, is below 0.03 of n = 300 000 and below 0.1 of n = 100 000. (Measured over five populations: medians below
// 0.003; clipping at a guessed bound gives 0.3 to 0.7.)
func TestFitUnboundedError(t *testing.T) {
	t.Parallel()
	const d = 10
	for _, c := range []struct {
		n           int
		kappa, most float64
	}{{300_000, 1e4, 0.03}, {100_000, 100, 0.1}} {
		rows := gaussianRows(11, c.n, d, c.kappa, math.Sqrt(c.kappa), 0)
		y, beta := linearLabel(11, rows, 1)
		s := must(Demo(openFrame(t, rows, y, frames.UnboundedLabel("y")), 5, ReplaceOne))
		pl := s.Data().FitUnbounded(UnboundedLinear{Unbounded: Unbounded{Epsilon: 1, Delta: 1e-6, Smallest: 0.1, Largest: 1e4}})
		m := must(pl.Release(context.Background())).Value
		if e := distance(m.Coef, beta) / num.Norm2(beta); !(e <= c.most) || m.Refused != "" {
			t.Errorf("n = %d, κ = %g: relative error %.4g, want at most %g; refused %q", c.n, c.kappa, e, c.most, m.Refused)
		}
		for _, k := range must(pl.Cost()).Release.Constants {
			if k.Symbol == "α" && !(k.Value <= c.most) {
				t.Errorf("n = %d, κ = %g: predicted %.4g, want at most %g", c.n, c.kappa, k.Value, c.most)
			}
		}
	}
}

// TestFitUnboundedErrors: the standard deviations by noise are those of the draws. The squares of 60·4 errors in their
// units sum to a χ² of 240 degrees of freedom up to the correlation of the four; the bounds allow the whole of it (60
// degrees, each counted four times) a false alarm of 1e-10 a side.
func TestFitUnboundedErrors(t *testing.T) {
	t.Parallel()
	const n, d, runs = 20_000, 3, 60
	rows := gaussianRows(12, n, d, 20, 2, 1)
	y, _ := linearLabel(12, rows, 1)
	f := openFrame(t, rows, y, frames.UnboundedLabel("y"))
	exact := leastSquares(rows, y)
	var sum float64
	for seed := range uint64(runs) {
		s := must(Demo(f, seed, ReplaceOne))
		m := must(s.Data().FitUnbounded(UnboundedLinear{Unbounded: Unbounded{Epsilon: 8, Delta: 1e-6, Smallest: 0.1, Largest: 20}}).Release(context.Background())).Value
		for j, sd := range append(slices.Clone(m.Privacy), m.InterceptPrivacy) {
			z := (append(slices.Clone(m.Coef), m.Intercept)[j] - exact[j]) / sd
			sum += z * z
		}
	}
	chi := distuv.ChiSquared{K: runs}
	if lo, hi := 4*chi.Quantile(1e-10), 4*chi.Quantile(1-1e-10); !(sum >= lo && sum <= hi) {
		t.Errorf("squares of errors sum to %.4g, want %.4g to %.4g", sum, lo, hi)
	}
}

// leastSquares returns the coefficients of x, then the intercept, by the normal equations.
func leastSquares(rows [][]float64, y []float64) []float64 {
	d := len(rows[0])
	m := &linear.NormalEquations{Size: d + 2, Sum: make([]float64, (d+2)*(d+2))}
	for i, r := range rows {
		z := append(append(slices.Clone(r), 1), y[i])
		for a := range z {
			for b := range z {
				m.Sum[a*m.Size+b] += z[a] * z[b]
			}
		}
	}
	return must(m.Solve(0)).W
}

// TestFitUnboundedPublic: without noise it is least squares, on rows that no radius clips.
func TestFitUnboundedPublic(t *testing.T) {
	rows := gaussianRows(13, 20_000, 3, 1e6, 30, 7)
	y, beta := linearLabel(13, rows, 1e-3)
	f := openFrame(t, rows, y, frames.UnboundedLabel("y"))
	s := must(OnPublic(frames.Public(f)))
	m := must(s.Data().FitUnbounded(UnboundedLinear{Unbounded: Unbounded{Epsilon: 8, Delta: 1e-6}}).Release(context.Background())).Value
	if e := distance(m.Coef, beta) / num.Norm2(beta); e > 1e-2 || math.Abs(m.Intercept-5) > 0.02 || m.Noise != 0 {
		t.Errorf("relative error %.3g, intercept %g, noise %g", e, m.Intercept, m.Noise)
	}
	rmse := must(m.RMSE(context.Background(), frames.Public(f)))
	if !(rmse < 2e-3) {
		t.Errorf("RMSE %g, want about 0.001", rmse)
	}
	if p := must(m.Predict(context.Background(), frames.Public(f))); len(p) != len(rows) || math.Abs(p[0]-y[0]) > 0.05 {
		t.Errorf("prediction %g for %g", p[0], y[0])
	}
}

// TestFitUnboundedBoundedLabel: a label with bounds that is no linear function of the features: the best linear predictor,
// and predictions inside the bounds.
func TestFitUnboundedBoundedLabel(t *testing.T) {
	rows := gaussianRows(14, 60_000, 2, 10, 3, 0)
	y := make([]float64, len(rows))
	for i, r := range rows {
		y[i] = 10 + 5*math.Tanh(r[0]-r[1])
	}
	f := openFrame(t, rows, y, frames.NumericLabel("y", 5, 15))
	s := must(Demo(f, 2, AddRemove))
	m := must(s.Data().FitUnbounded(UnboundedLinear{Unbounded: Unbounded{Epsilon: 4, Delta: 1e-6, Smallest: 0.01, Largest: 100}}).Release(context.Background())).Value
	want := leastSquares(rows, y)
	if e := distance(m.Coef, want[:2]) / num.Norm2(want[:2]); e > 0.03 || math.Abs(m.Intercept-want[2]) > 0.05 {
		t.Errorf("relative error %.3g, intercept %g for %g", e, m.Intercept, want[2])
	}
	for _, p := range must(m.Predict(context.Background(), frames.Public(f))) {
		if p < 5 || p > 15 {
			t.Fatalf("prediction %g outside the label's bounds", p)
		}
	}
	if _, err := m.Accuracy(context.Background(), frames.Public(f)); !errors.Is(err, ErrColumn) {
		t.Errorf("accuracy of a number: got %v", err)
	}
}

// binaryLabels draws classes by a link.
func binaryLabels(seed uint64, rows [][]float64, beta []float64, b float64, link Link) []float64 {
	rng := rand.New(rand.NewPCG(seed, 6))
	y := make([]float64, len(rows))
	for i, r := range rows {
		eta := b
		for j, v := range beta {
			eta += v * r[j]
		}
		if rng.Float64() < link.Probability(eta) {
			y[i] = 1
		}
	}
	return y
}

// TestBinaryRegression: the direction whatever the link, and the coefficients where it is known.
func TestBinaryRegression(t *testing.T) {
	beta := []float64{1, -2, 0.5}
	rows := gaussianRows(15, 100_000, 3, 30, 1, 0.3)
	for _, link := range []Link{LinkLogistic, LinkProbit} {
		y := binaryLabels(15, rows, beta, 0.7, link)
		f := openFrame(t, rows, y, frames.Label("y", "no", "yes"))
		o := UnboundedLinear{Unbounded: Unbounded{Epsilon: 4, Delta: 1e-6, Smallest: 0.01, Largest: 10}}
		m := must(must(Demo(f, 2, ReplaceOne)).Data().FitUnbounded(o).Release(context.Background())).Value
		var along float64
		for j, c := range m.Coef {
			along += c * beta[j]
		}
		if cos := along / num.Norm2(m.Coef) / num.Norm2(beta); cos < 0.995 || m.Scaled {
			t.Errorf("%s: cosine %.4f, scaled %v", link, cos, m.Scaled)
		}
		if !strings.Contains(m.String(), "up to a positive factor") {
			t.Errorf("%s: the model does not say that its scale means nothing:\n%s", link, m)
		}
		if _, err := m.Intervals(0.9); err != nil {
			t.Errorf("%s: %v", link, err)
		}
		o.Link = link
		m = must(must(Demo(f, 2, ReplaceOne)).Data().FitUnbounded(o).Release(context.Background())).Value
		if e := distance(m.Coef, beta) / num.Norm2(beta); e > 0.1 || !m.Scaled || math.Abs(m.Intercept-0.7) > 0.1 {
			t.Errorf("%s: relative error %.3g, intercept %g, scaled %v", link, e, m.Intercept, m.Scaled)
		}
		p := must(m.Predict(context.Background(), frames.Public(f)))
		for i := range p {
			if p[i] < 0 || p[i] > 1 {
				t.Fatalf("%s: probability %g", link, p[i])
			}
		}
		if a := must(m.Accuracy(context.Background(), frames.Public(f))); a < 0.6 {
			t.Errorf("%s: accuracy %g", link, a)
		}
		if _, err := m.Intervals(0.9); !errors.Is(err, ErrParameter) {
			t.Errorf("%s: intervals of a recovered scale: got %v", link, err)
		}
	}
}

// TestSeparatedClasses: a hyperplane without noise has no scale.
func TestSeparatedClasses(t *testing.T) {
	rows := gaussianRows(16, 60_000, 2, 1, 1, 0)
	y := make([]float64, len(rows))
	for i, r := range rows {
		if r[0] > r[1] {
			y[i] = 1
		}
	}
	f := openFrame(t, rows, y, frames.Label("y", "no", "yes"))
	m := must(must(Demo(f, 2, ReplaceOne)).Data().FitUnbounded(UnboundedLinear{Unbounded: Unbounded{Epsilon: 4, Delta: 1e-6, Smallest: 0.01, Largest: 10}, Link: LinkProbit, NoIntercept: true}).Release(context.Background())).Value
	if m.Scaled || m.Refused != "" {
		t.Errorf("scaled %v, refused %q", m.Scaled, m.Refused)
	}
	if a := must(m.Accuracy(context.Background(), frames.Public(f))); a < 0.98 {
		t.Errorf("accuracy %g", a)
	}
}

// TestLinkMoments against 30-digit quadrature (mpmath), and the closed form of the probit.
func TestLinkMoments(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ mu, tau, mean, slope float64 }{
		{0, 0.5, 0.5, 0.23604442243988},
		{1, 0.99, 0.697260574373839, 0.17829098297917},
		{1, 1.01, 0.696208167755232, 0.177593897910861},
		{-2, 4, 0.323827781149253, 0.0820824465904918},
		{3, 25, 0.547634015490429, 0.0158023332892594},
	} {
		mean, slope := unbounded.LinkMoments(LinkLogistic, c.mu, c.tau)
		if math.Abs(mean-c.mean) > 1e-12 || math.Abs(slope-c.slope) > 1e-12 {
			t.Errorf("logistic at (%g, %g): got %.15g, %.15g, want %.15g, %.15g", c.mu, c.tau, mean, slope, c.mean, c.slope)
		}
		mean, slope = unbounded.LinkMoments(LinkProbit, c.mu, c.tau)
		r := math.Sqrt(1 + c.tau*c.tau)
		wantMean, wantSlope := LinkProbit.Probability(c.mu/r), LinkProbit.Slope(c.mu/r)/r
		if math.Abs(mean-wantMean) > 1e-12 || math.Abs(slope-wantSlope) > 1e-12 {
			t.Errorf("probit at (%g, %g): got %.15g, %.15g, want %.15g, %.15g", c.mu, c.tau, mean, slope, wantMean, wantSlope)
		}
		for _, link := range []Link{LinkLogistic, LinkProbit} {
			if c.tau > 1 && c.tau < 2 {
				continue // as the row before
			}
			mean, slope := unbounded.LinkMoments(link, c.mu, c.tau)
			mu, tau, ok := unbounded.RecoverLinear(link, 2*mean-1, 2*slope*c.tau)
			if !ok || math.Abs(mu-c.mu) > 1e-6*(1+c.tau*c.tau) || math.Abs(tau-c.tau) > 1e-6*(1+c.tau*c.tau*c.tau) {
				t.Errorf("%s: recovered (%g, %g), %v, want (%g, %g)", link, mu, tau, ok, c.mu, c.tau)
			}
		}
	}
	for _, bad := range [][2]float64{{1, 0.5}, {0, 0}, {0, 2}, {math.NaN(), 1}, {0, math.NaN()}} {
		if _, _, ok := unbounded.RecoverLinear(LinkLogistic, bad[0], bad[1]); ok {
			t.Errorf("recovered %v", bad)
		}
	}
}

// TestUnboundedRefusedElsewhere: whatever rests on bounds says so, and names what does not.
func TestUnboundedRefusedElsewhere(t *testing.T) {
	rows := gaussianRows(17, 500, 2, 1, 1, 0)
	y, _ := linearLabel(17, rows, 1)
	s := must(Demo(openFrame(t, rows, y, frames.UnboundedLabel("y")), 5, ReplaceOne))
	data := s.Data()
	target := Target{Epsilon: 1, Delta: 1e-6}
	clipped := must(frames.NewSchema(frames.Unbounded("x1"), frames.Unbounded("x2"), frames.NumericLabel("y", -20, 20).Clamped()))
	bounded := must(frames.Collect(context.Background(), rowSource{clipped, rows, y}))
	for name, price := range map[string]func() error{
		"Mean":        func() error { _, err := data.Mean(target).Cost(); return err },
		"Sum":         func() error { _, err := data.Sum(target).Cost(); return err },
		"Scale":       func() error { _, err := data.Scale().Schema(); return err },
		"ClipNorm":    func() error { _, err := data.ClipNorm(1).Schema(); return err },
		"Standardize": func() error { _, err := data.Standardize(RMS{}).Schema(); return err },
		"FitLinear":   func() error { _, err := data.FitLinear(BestLinear{Epsilon: 1, Delta: 1e-6}).Cost(); return err },
		"label alone": func() error {
			_, err := data.ClipColumns(-5, 5, "x1", "x2").FitLinear(BestLinear{Epsilon: 1, Delta: 1e-6}).Cost()
			return err
		},
		"GaussMix":      func() error { _, err := data.GaussMix(Sketching{Epsilon: 1, Delta: 1e-6}).Cost(); return err },
		"step of yours": func() error { _, err := data.With(step{name: "s"}).Schema(); return err },
		"on public data": func() error {
			_, err := must(OnPublic(frames.Public(bounded))).Data().Mean(target).Release(context.Background())
			return err
		},
	} {
		err := price()
		if !errors.Is(err, ErrOrder) || !strings.Contains(fmt.Sprint(err), "FitUnbounded") || !strings.Contains(fmt.Sprint(err), "ClipColumns") {
			t.Errorf("%s: got %v, want a privacy type error that names the alternatives", name, err)
		}
	}
	d := must(Demo(bounded, 5, ReplaceOne)).Data()
	if _, err := d.ClipColumns(-5, 5, "x1").Drop("x2").Mean(target).Cost(); err != nil {
		t.Errorf("Mean behind ClipColumns and Drop: %v", err)
	}
	if _, err := d.ClipColumns(-5, 5, "x1", "x2").Scale().FitLinear(BestLinear{Epsilon: 1, Delta: 1e-6}).Cost(); err != nil {
		t.Errorf("FitLinear behind ClipColumns: %v", err)
	}
	if _, err := d.Count(target, Between("x1", 0, 1)).Cost(); err != nil {
		t.Errorf("Count: %v", err)
	}
}

// TestUnboundedQuantile: ranks need no bounds.
func TestUnboundedQuantile(t *testing.T) {
	rows := gaussianRows(18, 20_000, 1, 1, 1e6, 0)
	s := must(Demo(openFrame(t, rows, nil, frames.Column{}), 5, ReplaceOne))
	for _, q := range []float64{0.1, 0.9} {
		e := must(s.Data().Quantile(Target{Epsilon: 1}, q, "x1").Release(context.Background())).Value
		want := 1e6 * distuv.UnitNormal.Quantile(q)
		if math.Abs(e.Value-want) > 0.06*math.Abs(want) {
			t.Errorf("quantile %g: got %g, want %g", q, e.Value, want)
		}
	}
	e := must(s.Data().Quantile(Target{Epsilon: 1}, 0.5, "x1", -1e5, 0, 1e5).Release(context.Background())).Value
	if e.Value != 0 {
		t.Errorf("median among own candidates: got %g, want 0", e.Value)
	}
}

// TestUnboundedChain: public steps lead to the measurement: constants in missing cells, and categories as 0/1 columns.
func TestUnboundedChain(t *testing.T) {
	s := must(frames.NewSchema(frames.Unbounded("a").MayMiss(), frames.Category("c", "u", "v", "w"), frames.Numeric("b", 0, 9), frames.UnboundedLabel("y")))
	rng := rand.New(rand.NewPCG(4, 9))
	rows, y := make([][]float64, 40_000), make([]float64, 40_000)
	for i := range rows {
		a, c, b := rng.NormFloat64(), float64(rng.IntN(3)), 9*rng.Float64()
		y[i] = 2*a + 3*c - b + rng.NormFloat64()
		if i%10 == 0 {
			a = math.NaN()
		}
		rows[i] = []float64{a, c, b}
	}
	f := must(frames.Collect(context.Background(), rowSource{s, rows, y}))
	o := UnboundedLinear{Unbounded: Unbounded{Epsilon: 4, Delta: 1e-6, Smallest: 0.01, Largest: 100}}
	data := must(Demo(f, 3, ReplaceOne)).Data()
	if _, err := data.OneHot().FitUnbounded(o).Cost(); !errors.Is(err, ErrOrder) || !strings.Contains(err.Error(), "Impute") {
		t.Errorf("missing cells: got %v", err)
	}
	plan := data.Impute(Fixed{Value: 0}, "a").OneHot().FitUnbounded(o)
	r := must(plan.Release(context.Background())).Value
	if r.Refused == "" { // the constant is the sum of the categories' columns
		t.Error("collinear columns are not refused")
	}
	plan = data.Impute(Fixed{Value: 0}, "a").OneHot().Drop("c").FitUnbounded(o)
	r = must(plan.Release(context.Background())).Value
	if r.Refused != "" || math.Abs(r.Coef[0]-2) > 0.1 || math.Abs(r.Coef[1]+1) > 0.05 {
		t.Errorf("got %v", r)
	}
	if _, err := r.Predict(context.Background(), frames.Public(f)); err != nil {
		t.Error(err)
	}
	o.NoIntercept = true
	plan = data.Impute(Fixed{Value: 0}, "a").OneHot().FitUnbounded(o)
	r = must(plan.Release(context.Background())).Value
	if r.Refused != "" || math.Abs(r.Coef[3]-6) > 0.1 || math.Abs(r.Coef[4]+1) > 0.05 {
		t.Errorf("got %v", r)
	}
	if _, err := plan.Compare(); err != nil {
		t.Errorf("compare: %v", err)
	}
	if text := must(plan.Explain()); !strings.Contains(text, "FitUnbounded") {
		t.Error(text)
	}
}
