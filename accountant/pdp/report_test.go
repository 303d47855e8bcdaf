package pdp

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/internal/quad"
)

// population is a small dataset with the noise scales of a release and of its report.
type population struct {
	rows          [][]float64 // in the unit ball, the constant feature last
	labels        []float64
	constant      float64
	sigma, lambda float64
	sg, sh, sl    float64 // of gradient, Hessian, eigenvalue; 0: not released
	squared       bool    // least squares
}

func (p *population) loss() Loss {
	if p.squared {
		return Squared{}
	}
	return Logistic{}
}

// minimiser is θ* for the noise b: Newton's method, damped.
func (p *population) minimiser(t testing.TB, b []float64) []float64 {
	t.Helper()
	k := len(b)
	theta := make([]float64, k)
	for range 200 {
		grad, hess := p.sums(theta)
		norm := 0.0
		for j := range k {
			grad[j] += p.lambda*theta[j] + b[j]
			hess.SetSym(j, j, hess.At(j, j)+p.lambda)
			norm += grad[j] * grad[j]
		}
		if norm < 1e-22 {
			return theta
		}
		var step mat.VecDense
		var chol mat.Cholesky
		if !chol.Factorize(hess) {
			t.Fatal("no factor")
		}
		if err := chol.SolveVecTo(&step, mat.NewVecDense(k, grad)); err != nil {
			t.Fatal(err)
		}
		shrink := 1.0
		if size := mat.Norm(&step, 2); size > 1 && !p.squared {
			shrink = math.Log1p(size) / size
		}
		for j := range k {
			theta[j] -= shrink * step.AtVec(j)
		}
	}
	t.Fatal("Newton's method did not converge")
	return nil
}

// sums are the gradient and the Hessian of the losses.
func (p *population) sums(theta []float64) ([]float64, *mat.SymDense) {
	k := len(theta)
	grad, raw := make([]float64, k), make([]float64, k*k)
	for i, x := range p.rows {
		first, second := p.loss().Derivatives(dot(x, theta), p.labels[i])
		for j, v := range x {
			grad[j] += first * v
			for l, u := range x[:j+1] {
				raw[l*k+j] += second * u * v
			}
		}
	}
	return grad, mat.NewSymDense(k, raw)
}

// drawn is the noise of a report's statistics.
type drawn struct {
	gradient, hessian []float64
	eigenvalue        float64
}

// release draws a report; its exact minimiser is that of the model.
func (p *population) release(t testing.TB, rng *rand.Rand, rho float64) (Report, drawn) {
	t.Helper()
	k := len(p.rows[0])
	b, noise := make([]float64, k), drawn{}
	for j := range b {
		b[j] = p.sigma * rng.NormFloat64()
	}
	normal := func(to *[]float64, sigma float64) float64 {
		e := sigma * rng.NormFloat64()
		*to = append(*to, e)
		return e
	}
	r := Report{
		Theta: p.minimiser(t, b), Constant: p.constant, Radius: 1, Sigma: p.sigma, Lambda: p.lambda, Rows: len(p.rows), Rho: rho,
		Near: 1e-9, Output: 1e-6, Slip: rho * 1e-6, Worst: accountant.Budget{Epsilon: 1, Delta: 1e-6}, Squared: p.squared,
	}
	if p.squared {
		r.Worst = accountant.Budget{}
	}
	_, hess := p.sums(r.Theta)
	if p.sg > 0 {
		r.Gradient = &NoisyVector{Sigma: p.sg}
		for _, v := range b {
			r.Gradient.Value = append(r.Gradient.Value, -v+normal(&noise.gradient, p.sg))
		}
	}
	if p.sh > 0 {
		r.Hessian = &NoisyVector{Sigma: p.sh}
		for i := range k {
			for j := i; j < k; j++ {
				v := hess.At(i, j)
				if j > i {
					v *= math.Sqrt2
				}
				r.Hessian.Value = append(r.Hessian.Value, v+normal(&noise.hessian, p.sh))
			}
		}
	}
	if p.sl > 0 {
		var eig mat.EigenSym
		if !eig.Factorize(hess, false) {
			t.Fatal("no eigenvalues")
		}
		noise.eigenvalue = p.sl * rng.NormFloat64()
		r.Eigenvalue = &NoisyNumber{Value: eig.Values(nil)[0] + noise.eigenvalue, Sigma: p.sl}
	}
	return r, noise
}

// own is the loss of a report's statistics for a record, of the i-th row or of one that is away: the difference of squares of
// the noise with and without it.
func (p *population) own(t testing.TB, r Report, noise drawn, x []float64, y float64, isMember bool) float64 {
	t.Helper()
	first, second := p.loss().Derivatives(dot(x, r.Theta), y)
	sign := 1.0
	if !isMember {
		sign = -1
	}
	loss := func(noise, shift, sigma float64) float64 {
		return (sign*noise + shift/2) * shift / (sigma * sigma)
	}
	sum, at := 0.0, 0
	for j, v := range x {
		if p.sg > 0 {
			sum += loss(noise.gradient[j], first*v, p.sg)
		}
		for l := j; p.sh > 0 && l < len(x); l++ {
			shift := second * v * x[l]
			if l > j {
				shift *= math.Sqrt2
			}
			sum += loss(noise.hessian[at], shift, p.sh)
			at++
		}
	}
	if p.sl > 0 {
		_, with := p.sums(r.Theta)
		var without mat.SymDense
		without.SymRankOne(with, -sign*second, mat.NewVecDense(len(x), x))
		least := func(m mat.Symmetric) float64 {
			var eig mat.EigenSym
			if !eig.Factorize(m, false) {
				t.Fatal("no eigenvalues")
			}
			return eig.Values(nil)[0]
		}
		sum += loss(noise.eigenvalue, sign*(least(with)-least(&without)), p.sl)
	}
	return sum
}

func newPopulation(rng *rand.Rand, n, d int) *population {
	p := &population{constant: 0.5, sigma: 2, lambda: 0.8}
	p.rows, p.labels = randomData(rng, n, d)
	for i := range p.rows {
		p.rows[i] = append(p.rows[i], p.constant)
	}
	return p
}

// TestReportCovers: over 300 releases of each kind, what a report says of a member and of another record fails no more often
// than ρ, of the coefficients, of its own statistics, and of both, and the one for all rows no more often for any of them. Failures of a kind are compared with the binomial law: its
// tail beyond the limit is below 1e-10 at the rate ρ.
func TestReportCovers(t *testing.T) {
	const runs, rho = 300, 0.1
	limit := 0
	for tail := 1.0; tail > 1e-10; limit++ { // P(Binomial(runs, ρ) ≥ limit)
		tail = 0
		for k := limit; k <= runs; k++ {
			a, _ := math.Lgamma(runs + 1)
			b, _ := math.Lgamma(float64(k) + 1)
			c, _ := math.Lgamma(float64(runs-k) + 1)
			tail += math.Exp(a - b - c + float64(k)*math.Log(rho) + float64(runs-k)*math.Log1p(-rho))
		}
	}
	rng := rand.New(rand.NewPCG(91, 92))
	for _, c := range []struct {
		name       string
		n, d       int
		sg, sh, sl float64
		typical    float64 // the median of bound/|loss| is below
		squared    bool
	}{
		{"independent", 60, 4, 0, 0, 0, 5, false},
		{"gradient", 60, 4, 1, 0, 0, 4, false},
		{"Hessian", 120, 4, 0, 0.2, 0, 4.5, false},
		{"eigenvalue", 120, 4, 0, 0, 0.2, 4.5, false},
		{"all", 120, 4, 1, 0.2, 0.2, 4, false},
		{"least squares, independent", 60, 4, 0, 0, 0, 20, true},
		{"least squares, gradient", 60, 4, 1, 0, 0, 10, true},
		{"least squares, all", 120, 4, 1, 0.8, 0.8, 3, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPopulation(rng, c.n, c.d)
			p.sg, p.sh, p.sl = c.sg, c.sh, c.sl
			if p.squared = c.squared; c.squared { // labels of two sizes
				for i := range p.labels {
					p.labels[i] *= []float64{0.1, 3}[i%2] * rng.NormFloat64()
				}
			}
			away := append(make([]float64, c.d), p.constant)
			away[0] = -1
			var missed, missedOwn, missedBoth [2]int
			missedAny, missedAll := 0, 0
			var ratios []float64
			for range runs {
				r, noise := p.release(t, rng, rho)
				raw, err := json.Marshal(r)
				if err != nil {
					t.Fatal(err)
				}
				var stored Report
				if err := json.Unmarshal(raw, &stored); err != nil {
					t.Fatal(err)
				}
				o := ObjectivePerturbation{Theta: r.Theta, Sigma: p.sigma, Lambda: p.lambda, Loss: p.loss()}
				a, err := o.Audit(p.rows, p.labels)
				if err != nil {
					t.Fatal(err)
				}
				var all [3]*Bounds
				for who := range ForAnyone + 1 {
					if all[who], err = stored.Bounds(who); err != nil {
						t.Fatal(err)
					}
				}
				sealed, err := a.Members()
				if err != nil {
					t.Fatal(err)
				}
				losses := opened(t, sealed)
				beyond := func(who Who, i int) bool {
					v, err := all[who].At(p.rows[i][:c.d], p.labels[i])
					if err != nil {
						t.Fatal(err)
					}
					if who == ForOne {
						ratios = append(ratios, v.Model/math.Abs(losses[i]))
					}
					return math.Abs(losses[i]) > v.Model
				}
				out, err := a.NonMember(away, 1)
				if err != nil {
					t.Fatal(err)
				}
				for j, c := range []struct {
					x, row []float64
					y      float64
					loss   float64
					ask    func([]float64, float64) (View, error)
				}{
					{p.rows[0][:c.d], p.rows[0], p.labels[0], losses[0], all[ForOne].Member},
					{away[:c.d], away, 1, opened(t, out), all[ForOne].NonMember},
				} {
					v, err := c.ask(c.x, c.y)
					if err != nil {
						t.Fatal(err)
					}
					own := p.own(t, r, noise, c.row, c.y, j == 0)
					for _, m := range []struct {
						of   *[2]int
						loss float64
						said float64
					}{{&missed, c.loss, v.Model}, {&missedOwn, own, v.Report}, {&missedBoth, c.loss + own, v.Total()}} {
						if math.Abs(m.loss) > m.said {
							m.of[j]++
						}
					}
				}
				any, every := false, false
				for i := range p.rows {
					any, every = any || beyond(ForAllRows, i), every || beyond(ForAnyone, i)
					if i%20 == 0 {
						beyond(ForOne, i)
					}
				}
				if any {
					missedAny++
				}
				if every {
					missedAll++
				}
			}
			middle := median(ratios)
			t.Logf("member and other beyond in %v, by statistics %v, by both %v, any row in %d and %d of %d runs; median bound/true %.3g", missed, missedOwn, missedBoth, missedAny, missedAll, runs, middle)
			if worst := max(missed[0], missed[1], missedOwn[0], missedOwn[1], missedBoth[0], missedBoth[1], missedAny, missedAll); worst >= limit {
				t.Errorf("beyond a bound in %d of %d runs, want fewer than %d", worst, runs, limit)
			}
			if middle > c.typical {
				t.Errorf("median bound/true %.3g, want at most %g", middle, c.typical)
			}
		})
	}
}

func median(x []float64) float64 {
	best := append([]float64{}, x...)
	for i := range best { // few: by selection
		for j := i + 1; j < len(best); j++ {
			if best[j] < best[i] {
				best[i], best[j] = best[j], best[i]
			}
		}
		if i == len(best)/2 {
			break
		}
	}
	return best[len(best)/2]
}

// TestPrintedReportIsWrong: the three lines of the source fail, each where the corrected one holds.
func TestPrintedReportIsWrong(t *testing.T) {
	rng := rand.New(rand.NewPCG(93, 94))
	t.Run("g-bar without an absolute value", func(t *testing.T) {
		// |f'g^x + s|f'x|q| against |f'gx|, with s of the size of g: the sum cancels where f'g^x < 0.
		const runs, rho = 20000, 0.025
		q := -quad.NormalQuantile(rho)
		printed, corrected := 0, 0
		const s, sigma = 0.5, 1.0
		for range runs {
			g := sigma * rng.NormFloat64()
			noisy := g + s*rng.NormFloat64()
			if math.Abs(noisy+s*q) < math.Abs(g) {
				printed++
			}
			if math.Abs(noisy)+s*q < math.Abs(g) {
				corrected++
			}
		}
		if p := float64(printed) / runs; p < 0.15 {
			t.Errorf("the printed line fails in %.4f of the runs: it is not refuted", p)
		}
		if p := float64(corrected) / runs; p > rho+0.024 { // Hoeffding: 1e-10
			t.Errorf("the corrected line fails in %.4f of the runs, want at most %g", p, rho)
		}
	})
	t.Run("the logarithm of a negative number", func(t *testing.T) {
		// A Hessian without noise to speak of but in a direction in which the noisy one is negative.
		r := Report{
			Theta: []float64{0, 0}, Radius: 1, Sigma: 3, Lambda: 0.1, Rows: 10, Rho: 0.1, Worst: accountant.Budget{Epsilon: 1},
			Hessian: &NoisyVector{Value: []float64{0.12, 0, -0.3}, Sigma: 1e-3},
		}
		x := []float64{0.6, 0.8}
		bar := 1.5 * (x[0]*x[0]/(0.12+r.Lambda) + x[1]*x[1]/(-0.3+r.Lambda)) // printed: (3/2) xᵀĤ⁻¹x
		if v := math.Log1p(0.25 * bar); v > 0 {
			t.Fatalf("the printed bound on a logarithm above 0 is %g: it is not refuted", v)
		}
		if v := math.Log(1 - 0.25*1.5*(x[0]*x[0]+x[1]*x[1])/r.Lambda); !math.IsNaN(v) {
			t.Fatalf("the printed line is %g, not NaN", v)
		}
		b, err := r.Bounds(ForOne)
		if err != nil {
			t.Fatal(err)
		}
		got, err := b.At(x, 1)
		if err != nil {
			t.Fatal(err)
		}
		if !(got.Model > 0) || math.IsInf(got.Model, 1) || got.Model > math.Log1p(0.25/r.Lambda)+1 {
			t.Errorf("got %v", got)
		}
	})
	t.Run("the quantile in another normalisation", func(t *testing.T) {
		// d = 50 and off-diagonal variance 1: the printed 12 is exceeded by every draw, the corrected 12√2 by none.
		const d, rho = 50, 8.465e-6
		tau := quad.GOEQuantile(d, rho/2)
		if math.Abs(tau-12*math.Sqrt2) > 1e-4 {
			t.Fatalf("quantile %.8g, want 12√2", tau)
		}
		for range 20 {
			m := mat.NewSymDense(d, nil)
			for i := range d {
				m.SetSym(i, i, math.Sqrt2*rng.NormFloat64())
				for j := range i {
					m.SetSym(i, j, rng.NormFloat64())
				}
			}
			var eig mat.EigenSym
			if !eig.Factorize(m, false) {
				t.Fatal("no eigenvalues")
			}
			v := eig.Values(nil)
			if size := max(v[d-1], -v[0]); size <= 12 || size > tau {
				t.Errorf("‖G‖ = %g, want in (12, %g]: that misses in 1 of 1000 draws", size, tau)
			}
		}
	})
}

// TestReportLimits: with noise that is without end a statistic says nothing, and the report is as if without it, but for
// the part of ρ that it holds; with more data the bound falls.
func TestReportLimits(t *testing.T) {
	rng := rand.New(rand.NewPCG(95, 96))
	p := newPopulation(rng, 300, 3)
	plain, _ := p.release(t, rng, 0.05)
	noisy := plain
	noisy.Gradient = &NoisyVector{Value: []float64{1e9, -1e9, 3e8, 1}, Sigma: 1e12}
	noisy.Hessian = &NoisyVector{Value: make([]float64, 10), Sigma: 1e12}
	noisy.Eigenvalue = &NoisyNumber{Value: 5, Sigma: 1e12}
	at := func(r Report, who Who) View {
		b, err := r.Bounds(who)
		if err != nil {
			t.Fatal(err)
		}
		v, err := b.At(p.rows[0][:3], p.labels[0])
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	one, with := at(plain, ForOne), at(noisy, ForOne)
	if !(with.Model >= one.Model && with.Model <= 1.05*one.Model) || with.Report > 1e-10 || one.Report != 0 {
		t.Errorf("%v and with endless noise %v", one, with)
	}
	rows, any := at(plain, ForAllRows), at(plain, ForAnyone)
	if !(one.Model < rows.Model && one.Model < any.Model) {
		t.Errorf("for one %g, for all rows %g, for anyone %g", one.Model, rows.Model, any.Model)
	}
	exact := plain
	_, hess := p.sums(plain.Theta)
	exact.Hessian = &NoisyVector{Sigma: 1e-9}
	for i := range 4 {
		for j := i; j < 4; j++ {
			v := hess.At(i, j)
			if j > i {
				v *= math.Sqrt2
			}
			exact.Hessian.Value = append(exact.Hessian.Value, v)
		}
	}
	b, err := exact.Bounds(ForOne)
	if err != nil {
		t.Fatal(err)
	}
	row := p.rows[0]
	o := ObjectivePerturbation{Theta: plain.Theta, Sigma: p.sigma, Lambda: p.lambda, Loss: Squared{}} // ℓ'' = 1
	a, err := ObjectivePerturbation{Theta: o.Theta, Sigma: o.Sigma, Lambda: o.Lambda, Loss: Logistic{}}.Audit(p.rows, p.labels)
	if err != nil {
		t.Fatal(err)
	}
	leverage, err := a.Leverage(row, p.labels[0])
	if err != nil {
		t.Fatal(err)
	}
	_, second := Logistic{}.Derivatives(dot(row, o.Theta), p.labels[0])
	if got, want := b.leverage(row), opened(t, leverage)/second; !(got >= want && got <= want*(1+1e-6)) {
		t.Errorf("leverage from a Hessian without noise %.12g, want %.12g, rounded up", got, want)
	}
}

// TestLeverageOfALargeNoise: where the noise leaves nothing of the Hessian's small eigenvalues and Λ is small, the bound is not above
// the source's regularised estimator (1 + 2τs/Λ) xᵀ(Ĥ + τs)⁻¹x with the quantile in the noise's normalisation, nor below the truth.
func TestLeverageOfALargeNoise(t *testing.T) {
	rng := rand.New(rand.NewPCG(97, 98))
	const d, lambda, sigma = 12, 0.01, 4.0 // of the diagonal
	for range 20 {
		r := Report{Theta: make([]float64, d), Radius: 1, Sigma: 1, Lambda: lambda, Rows: 3, Rho: 0.1, Worst: accountant.Budget{Epsilon: 1}, Hessian: &NoisyVector{Sigma: sigma}}
		exact, noisy := mat.NewSymDense(d, nil), mat.NewSymDense(d, nil)
		for i := range d {
			exact.SetSym(i, i, lambda+float64(20*i))
			for j := i; j < d; j++ {
				v, e := 0.0, sigma*rng.NormFloat64()
				if i == j {
					v = float64(20 * i)
				}
				r.Hessian.Value = append(r.Hessian.Value, v+e)
				if j > i {
					e /= math.Sqrt2
				}
				noisy.SetSym(i, j, v+e)
			}
		}
		b, err := r.Bounds(ForOne)
		if err != nil {
			t.Fatal(err)
		}
		tau := quad.GOEQuantile(d, r.Rho*spectralPart) * sigma / math.Sqrt2
		for i := range d {
			noisy.SetSym(i, i, noisy.At(i, i)+lambda+tau)
		}
		x := make([]float64, d)
		for j := range x {
			x[j] = rng.NormFloat64() / 6
		}
		inverse := func(m *mat.SymDense) float64 {
			var chol mat.Cholesky
			if !chol.Factorize(m) {
				t.Fatal("not positive definite")
			}
			var v mat.VecDense
			if err := chol.SolveVecTo(&v, mat.NewVecDense(d, x)); err != nil {
				t.Fatal(err)
			}
			return dot(v.RawVector().Data, x)
		}
		truth, source := inverse(exact), (1+2*tau/lambda)*inverse(noisy)
		if got := b.leverage(x); !(got >= truth) || got > 1.02*source {
			t.Errorf("leverage at most %.6g, of the source %.6g, true %.6g", got, source, truth)
		}
	}
}

func TestReportErrors(t *testing.T) {
	nan := math.NaN()
	good := Report{Theta: []float64{0.1, 0.2}, Radius: 1, Sigma: 1, Lambda: 1, Rows: 3, Rho: 0.1, Worst: accountant.Budget{Epsilon: 1}}
	for name, spoil := range map[string]func(r *Report){
		"theta":      func(r *Report) { r.Theta = nil },
		"theta ":     func(r *Report) { r.Theta = []float64{nan} },
		"constant":   func(r *Report) { r.Constant = -1 },
		"radius":     func(r *Report) { r.Radius = 0 },
		"sigma":      func(r *Report) { r.Sigma = nan },
		"lambda":     func(r *Report) { r.Lambda = math.Inf(1) },
		"rows":       func(r *Report) { r.Rows = 0 },
		"rho":        func(r *Report) { r.Rho = 1 },
		"near":       func(r *Report) { r.Near = -1 },
		"slip":       func(r *Report) { r.Slip = 0.09 },
		"output":     func(r *Report) { r.Output = nan },
		"worst":      func(r *Report) { r.Worst.Epsilon = -1 },
		"gradient":   func(r *Report) { r.Gradient = &NoisyVector{Value: []float64{1}, Sigma: 1} },
		"hessian":    func(r *Report) { r.Hessian = &NoisyVector{Value: []float64{1, 2, nan}, Sigma: 1} },
		"eigenvalue": func(r *Report) { r.Eigenvalue = &NoisyNumber{Value: 1} },
	} {
		r := good
		spoil(&r)
		if err := r.Validate(); !errors.Is(err, ErrParameter) || !strings.Contains(err.Error(), strings.TrimSpace(name)) {
			t.Errorf("%s: got %v", name, err)
		}
		if _, err := r.Bounds(ForOne); !errors.Is(err, ErrParameter) {
			t.Errorf("%s: bounds: got %v", name, err)
		}
	}
	if _, err := good.Bounds(ForAnyone + 1); !errors.Is(err, ErrParameter) {
		t.Errorf("who: got %v", err)
	}
	b, err := good.Bounds(ForOne)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		x []float64
		y float64
	}{"features": {[]float64{1}, 1}, "NaN": {[]float64{nan, 1}, 1}, "label": {[]float64{1, 1}, 0.987654321}} {
		if _, err := b.At(c.x, c.y); !errors.Is(err, ErrParameter) || strings.Contains(err.Error(), "98765") {
			t.Errorf("%s: got %v", name, err)
		}
	}
	for _, text := range []string{`{`, `{"theta":[1],"radius":-1}`, `[]`} {
		var r Report
		if err := json.Unmarshal([]byte(text), &r); err == nil {
			t.Errorf("%s: no error", text)
		}
	}
}

// FuzzReport: a report that decodes evaluates to a finite number or an error, and survives another round of JSON.
func FuzzReport(f *testing.F) {
	f.Add([]byte(`{"theta":[0.1,-0.2],"constant":0.5,"radius":1,"sigma":4,"lambda":2,"rows":100,"rho":0.05,"worst":{"epsilon":1,"delta":1e-6}}`), 0.3, 1.0)
	f.Add([]byte(`{"theta":[0.1,-0.2],"radius":1,"sigma":4,"lambda":2,"rows":100,"rho":0.05,"near":1e-6,"output":1e-4,"slip":1e-9,"worst":{"epsilon":1,"delta":1e-6},"gradient":{"value":[1,2],"sigma":3},"hessian":{"value":[3,-1,4],"sigma":0.5},"eigenvalue":{"value":2,"sigma":0.1}}`), -1.0, -1.0)
	f.Add([]byte(`{"theta":[1e200],"radius":1e200,"sigma":1e-200,"lambda":1e-200,"rows":1,"rho":0.5}`), 1e300, 1.0)
	f.Fuzz(func(t *testing.T, raw []byte, x, y float64) {
		var r Report
		if err := json.Unmarshal(raw, &r); err != nil {
			return
		}
		if len(r.Theta) > 8 {
			return
		}
		again, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		var same Report
		if err := json.Unmarshal(again, &same); err != nil || fmt.Sprintf("%+v", r.Theta) != fmt.Sprintf("%+v", same.Theta) {
			t.Fatalf("read back: %v", err)
		}
		for who := range ForAnyone + 1 {
			b, err := r.Bounds(who)
			if err != nil {
				continue
			}
			d := len(r.Theta)
			if r.Constant > 0 {
				d--
			}
			row := make([]float64, d)
			for j := range row {
				row[j] = x
			}
			v, err := b.At(row, y)
			if err == nil && (math.IsNaN(v.Total()) || v.Total() < 0) {
				t.Fatalf("%v: %+v", who, v)
			}
			_ = v.String()
		}
	})
}

// ExampleReport reads a released report in a process of its own and asks about a person.
func ExampleReport() {
	var report Report
	err := json.Unmarshal([]byte(`{"theta":[0.4,-0.2,0.1],"constant":0.5,"radius":1,"sigma":5.2,"lambda":5,"rows":1000,
		"rho":0.05,"near":1e-6,"output":0.0003,"slip":1e-9,"worst":{"epsilon":1,"delta":1e-6}}`), &report)
	if err != nil {
		fmt.Println(err)
		return
	}
	bounds, err := report.Bounds(ForOne)
	if err != nil {
		fmt.Println(err)
		return
	}
	view, err := bounds.At([]float64{0.3, 0.1}, 1)
	fmt.Println(view, err)
	// Output:
	// your loss is at most 0.118 (worst case 1), with probability 0.95 <nil>
}

// Who knows that their row was fitted, or that it was not, is told a little less, as a rule.
func ExampleBounds_Member() {
	report := Report{Theta: []float64{0.4, -0.2, 0.1}, Constant: 0.5, Radius: 1, Sigma: 5.2, Lambda: 20, Rows: 1000, Rho: 0.1, Worst: accountant.Budget{Epsilon: 1, Delta: 1e-6}}
	bounds, err := report.Bounds(ForOne)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, ask := range []func([]float64, float64) (View, error){bounds.At, bounds.Member, bounds.NonMember} {
		view, err := ask([]float64{0.9, 0.1}, 1)
		fmt.Println(view, err)
	}
	// Output:
	// your loss is at most 0.143 (worst case 1), with probability 0.9 <nil>
	// your loss is at most 0.14 (worst case 1), with probability 0.9 <nil>
	// your loss is at most 0.139 (worst case 1), with probability 0.9 <nil>
}

// Least squares through the origin: nobody is promised an ε, and each person learns a bound of their own.
func ExampleReport_leastSquares() {
	x, y := []float64{0.2, -0.7, 1, 0.4, -0.9}, []float64{1, -2, 2.5, 1.5, -2}
	const sigma, lambda = 3, 1
	b, noise := 1.2, -0.1 // of the minimiser and of the report: drawn from N(0, σ²) and N(0, 0.5²)
	gram, right := 0.0, 0.0
	for i := range x {
		gram, right = gram+x[i]*x[i], right+x[i]*y[i]
	}
	report := Report{
		Theta: []float64{(right - b) / (gram + lambda)}, Squared: true,
		Radius: 1, Sigma: sigma, Lambda: lambda, Rows: len(x), Rho: 0.05,
		Hessian: &NoisyVector{Value: []float64{gram + noise}, Sigma: 0.5},
	}
	bounds, err := report.Bounds(ForOne)
	if err != nil {
		panic(err)
	}
	for i := range 2 {
		v, err := bounds.At(x[i:i+1], y[i])
		if err != nil {
			panic(err)
		}
		fmt.Println(v)
		if _, err := json.Marshal(v); err != nil {
			panic(err)
		}
	}
	// Output:
	// your loss is at most 0.34 (no worst case), with probability 0.95
	// your loss is at most 3.95 (no worst case), with probability 0.95
}
