package dpkit

import (
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/internal/golden"
)

// goldenDivergence is an entry of the mechanisms of preprocessing.json.
type goldenDivergence struct {
	Alpha, Q, L, Mu, Sigma, V, Gamma, Shift, W float64
	N, Rows, M, R1, R2                         int
	B                                          float64 // a batch size, or the displacement b
	Value, MP                                  float64
	ImprovedBinomial                           *float64 `json:"improved_binomial"`
	WBK                                        *float64
	LowerAddpair2L                             *float64 `json:"lower_addpair_2L"`

	A, Direct, C2 float64
	CStar         float64 `json:"c_star"`
	SigmaAvg      float64 `json:"sigma_avg"`
	MuGDP         float64 `json:"mu_gdp"`
	Tau, T        float64
	Eps, Delta    float64

	ShiftOverB float64 `json:"shift_over_b"`
	Simple     float64
}

// best is the number of the file with more digits.
func (m goldenDivergence) best() float64 { return cmp.Or(m.MP, m.Value) }

func (m goldenDivergence) poisson(rel accountant.Neighbours) accountant.SubsampledGaussian {
	return accountant.SubsampledGaussian{C: m.L, Sigma: m.Sigma, Sampling: accountant.PoissonSampling(m.Q), Neighbours: rel}
}

// divergences are the mechanisms of preprocessing.json. Worst pairs of laws on a line are integrated here; the
// events of the accountant are held to them, exactly where an event is that pair, else from both sides.
func (g goldenHandlers) divergences(t *testing.T, raw json.RawMessage) {
	var group map[string]json.RawMessage
	golden.Decode(t, raw, &group)
	handlers, examples := goldenDivergences(), map[string]func(goldenHandlers, *testing.T, json.RawMessage){
		"thm13_counterexample": goldenHandlers.theorem13,
		"thm14_counterexample": goldenHandlers.theorem14,
		"data_dependent_noise": goldenHandlers.scaledNoise,
	}
	for name, raw := range group {
		if example, ok := examples[name]; ok {
			t.Run(name, func(t *testing.T) { example(g, t, raw) })
			continue
		}
		handler, ok := handlers[name]
		if !ok {
			t.Errorf("no handler for the mechanism %q", name)
			continue
		}
		var list []goldenDivergence
		golden.Decode(t, raw, &list)
		for i, m := range list {
			t.Run(fmt.Sprintf("%s/%d", name, i), func(t *testing.T) { handler(g, t, m) })
		}
	}
}

// between wants a bound that is least for one configuration and most for another.
func between(t *testing.T, what string, got, low, high float64) {
	t.Helper()
	if !(got >= low*(1-1e-9)) || !(got <= high*(1+1e-9)) {
		t.Errorf("%s = %.12g, want %.12g to %.12g", what, got, low, high)
	}
}

func goldenDivergences() map[string]func(g goldenHandlers, t *testing.T, m goldenDivergence) {
	// A quadrature here is good to 1e-10.
	const quadrature = 1e-9
	return map[string]func(g goldenHandlers, t *testing.T, m goldenDivergence){
		"poisson_replace": func(g goldenHandlers, t *testing.T, m goldenDivergence) {
			p, q := coin(m.Q, 0, m.L), coin(m.Q, -m.V, -m.V-m.L)
			golden.Within(t, "pair", p.rdp(q, m.Sigma, m.Alpha), m.best(), quadrature, quadrature)
			e := m.poisson(ReplaceOne)
			still := rdp(t, e, ReplaceOne, m.Alpha)
			if m.V == 0 {
				golden.Within(t, "event", still, m.best(), quadrature, 1e-10)
				return
			}
			e.Shift = accountant.DisplacedRows{Rows: 1, Each: m.V} // not in every draw
			between(t, "event", rdp(t, e, ReplaceOne, m.Alpha), still, m.best())
		},
		"poisson_add": func(g goldenHandlers, t *testing.T, m goldenDivergence) {
			p, q := coin(m.Q, 0, m.L), line{{0, -m.V}}
			worst := max(p.rdp(q, m.Sigma, m.Alpha), q.rdp(p, m.Sigma, m.Alpha))
			golden.Within(t, "pair", worst, m.best(), quadrature, quadrature)
			e := m.poisson(accountant.AddRemove)
			still := rdp(t, e, accountant.AddRemove, m.Alpha)
			if m.V == 0 {
				golden.Within(t, "event", still, m.best(), quadrature, 1e-10)
				return
			}
			e.Shift = accountant.DisplacedRows{Rows: 1, Each: m.V}
			between(t, "event", rdp(t, e, accountant.AddRemove, m.Alpha), still, m.best())
		},
		"poisson_group": func(g goldenHandlers, t *testing.T, m goldenDivergence) {
			var p, q line
			for k, w := range binomialLaw(m.R1, m.Q) {
				p = append(p, atom{w, m.L * float64(k)})
			}
			for k, w := range binomialLaw(m.R2, m.Q) {
				q = append(q, atom{w, -m.V - m.L*float64(k)})
			}
			golden.Within(t, "pair", p.rdp(q, m.Sigma, m.Alpha), m.Value, quadrature, quadrature)
			// One replaced row less, and as many clipped gradients in a full batch more.
			one := m.poisson(ReplaceOne)
			low := rdp(t, one, ReplaceOne, m.Alpha)
			if m.R1 < 1 || m.R2 < 1 {
				low = 0
			}
			full := accountant.Gaussian{Sensitivity: m.L*float64(m.R1+m.R2) + m.V, Sigma: m.Sigma, Neighbours: ReplaceOne}
			between(t, "pair", m.Value, low, rdp(t, full, ReplaceOne, m.Alpha))
		},
		"wor_hybrid": func(g goldenHandlers, t *testing.T, m goldenDivergence) {
			golden.Within(t, "hybrid", hybrid(m.Alpha, m.Gamma, 2*m.L/m.Sigma), m.Value, quadrature, quadrature)
			most, least := m.Value, 0.0
			for _, other := range []*float64{m.ImprovedBinomial, m.WBK} {
				if other != nil {
					most = min(most, *other)
				}
			}
			if m.LowerAddpair2L != nil {
				least = *m.LowerAddpair2L
			}
			const rows = 1_000_000
			e := accountant.SubsampledGaussian{
				C: m.L, Sigma: m.Sigma, Sampling: accountant.BatchSampling(int(math.Round(m.Gamma*rows)), rows), Neighbours: ReplaceOne,
			}
			between(t, "event", rdp(t, e, ReplaceOne, m.Alpha), least, most)
		},
		"srdp_wor": func(g goldenHandlers, t *testing.T, m goldenDivergence) {
			law := hypergeometricLaw(m.N, m.Rows, int(m.B))
			golden.Within(t, "shift", drawn(law, m), m.Value, quadrature, quadrature)
			e := accountant.SubsampledGaussian{
				C: m.Shift, Sigma: m.Sigma, Sampling: accountant.BatchSampling(int(m.B), m.N), Neighbours: ReplaceOne,
				Shift: accountant.DisplacedRows{Rows: min(m.Rows, m.N-1), Each: m.Shift},
			}
			all := accountant.Gaussian{Sensitivity: m.Shift * (2 + min(m.B, float64(m.Rows))), Sigma: m.Sigma, Neighbours: ReplaceOne}
			between(t, "event", rdp(t, e, ReplaceOne, m.Alpha), 0, rdp(t, all, ReplaceOne, m.Alpha))
		},
		"srdp_poisson": func(g goldenHandlers, t *testing.T, m goldenDivergence) {
			law := binomialLaw(m.Rows, m.Q)
			golden.Within(t, "shift", drawn(law, m), m.Value, quadrature, quadrature)
			// A free row of next to no weight beside the displaced ones.
			e := m.poisson(ReplaceOne)
			e.C = m.Shift / 2
			e.Shift = accountant.DisplacedRows{Rows: m.Rows, Each: m.Shift}
			between(t, "event", rdp(t, e, ReplaceOne, m.Alpha), 0, drawn(binomialLaw(m.Rows+1, m.Q), m))
		},
		"onehop_poisson": func(g goldenHandlers, t *testing.T, m goldenDivergence) {
			e := m.poisson(ReplaceOne)
			e.Shift = accountant.DisplacedRows{Rows: m.Rows, Each: m.Shift}
			golden.Within(t, "event", rdp(t, e, ReplaceOne, m.Alpha), m.Value, quadrature, 1e-10)
		},
		"sgd_iter": func(g goldenHandlers, t *testing.T, m goldenDivergence) {
			for _, s := range []accountant.SGDIteration{
				{C: m.W / 2, Sigma: m.Sigma, Steps: m.M, Neighbours: ReplaceOne},
				{C: m.W / 4, Shift: m.W / 2, Sigma: m.Sigma, Steps: m.M, Neighbours: ReplaceOne},
				{C: m.W / 2, Shift: m.W / 2, Sigma: m.Sigma, Steps: m.M, Neighbours: accountant.AddRemove},
			} {
				g.Same(t, s.String(), rdp(t, s, s.Neighbours, m.Alpha), m.Value)
			}
		},
		"laplace": func(g goldenHandlers, t *testing.T, m goldenDivergence) {
			e := accountant.Laplace{Sensitivity: m.ShiftOverB, Scale: 1, Neighbours: ReplaceOne}
			g.Same(t, "event", rdp(t, e, ReplaceOne, m.Alpha), m.Value)
		},
		"bounded_range": func(g goldenHandlers, t *testing.T, m goldenDivergence) {
			got := rdp(t, accountant.Exponential{Epsilon: m.Eps, Neighbours: ReplaceOne}, ReplaceOne, m.Alpha)
			golden.Within(t, "event", got, m.Value, 1e-5, 1e-9) // the file's supremum is of a grid
			g.Near(t, "simple bound", m.Alpha*m.Eps*m.Eps/8, m.Simple)
			g.AtMost(t, "event", got, min(m.Simple, m.Eps))
		},
		"gaussian_direct": func(g goldenHandlers, t *testing.T, m goldenDivergence) {
			direct := m.Alpha * (m.A + m.B) * (m.A + m.B) / 2
			e := accountant.Gaussian{Sensitivity: m.A + m.B, Sigma: 1, Neighbours: ReplaceOne}
			g.Same(t, "event", rdp(t, e, ReplaceOne, m.Alpha), m.Direct)
			g.Near(t, "c*", 1+(m.Alpha-1)*m.A/(m.Alpha*m.B), m.CStar)
			free := func(alpha float64) float64 { return alpha * m.A * m.A / 2 }
			shift := func(alpha float64) float64 { return alpha * m.B * m.B / 2 }
			golden.Within(t, "the best triangle", accountant.WeakTriangle(free, shift)(m.Alpha), direct, 1e-4, 1e-12)
			// With c = 2, and the larger factor on both parts.
			coarse := m.Alpha * (2*m.Alpha - 1) / (2*m.Alpha - 2) * (m.A*m.A + m.B*m.B)
			g.Near(t, "the paper's", coarse, m.C2)
			between(t, "Theorem 2", accountant.PaperTheorem2(free, shift)(m.Alpha), direct, coarse)
		},
		"dpgd": func(g goldenHandlers, t *testing.T, m goldenDivergence) {
			s := (2*m.L + m.Mu*m.Tau) / float64(m.N)
			e := accountant.Repeat(accountant.Gaussian{Sensitivity: s, Sigma: m.SigmaAvg, Neighbours: ReplaceOne}, int(m.T))
			g.Same(t, "event", rdp(t, e, ReplaceOne, m.Alpha), m.Value)
			g.Near(t, "μ", s*math.Sqrt(m.T)/m.SigmaAvg, m.MuGDP)
		},
		"gdp_delta": func(g goldenHandlers, t *testing.T, m goldenDivergence) {
			e := accountant.Gaussian{Sensitivity: m.Mu, Sigma: 1, Neighbours: ReplaceOne}
			got, err := accountant.DeltaOf(e, ReplaceOne, m.Eps)
			if err != nil {
				t.Fatal(err)
			}
			g.Same(t, "δ", got.Delta, m.Delta)
		},
	}
}

// drawn is (1/(α−1)) ln E exp(α(α−1)K²s²/(2σ²)) for the number K of displaced rows in a draw.
func drawn(law []float64, m goldenDivergence) float64 {
	c := m.Alpha * (m.Alpha - 1) * m.Shift * m.Shift / (2 * m.Sigma * m.Sigma)
	return logMeanExp(law, func(k float64) float64 { return c * k * k }) / (m.Alpha - 1)
}

// A line is a mixture of normal laws of one variance on a line.
type line []atom

type atom struct{ logWeight, at float64 }

func coin(q, tails, heads float64) line { return line{{math.Log1p(-q), tails}, {math.Log(q), heads}} }

// rdp is D_α of the mixture from another, with noise σ, by the trapezoidal rule, which converges faster than any
// power of its step for such integrands.
func (p line) rdp(q line, sigma, alpha float64) float64 {
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, a := range p {
		lo, hi = min(lo, a.at), max(hi, a.at)
		for _, b := range q {
			peak := alpha*a.at - (alpha-1)*b.at
			lo, hi = min(lo, peak, b.at), max(hi, peak, b.at)
		}
	}
	const tails, perSigma = 12, 16
	lo, hi = lo-tails*sigma, hi+tails*sigma
	n := int((hi-lo)/sigma*perSigma) + 1
	h := (hi - lo) / float64(n)
	terms := make([]float64, n+1)
	for i := range terms {
		x := lo + float64(i)*h
		terms[i] = alpha*p.logDensity(x, sigma) + (1-alpha)*q.logDensity(x, sigma)
	}
	return (logSumExp(terms) + math.Log(h)) / (alpha - 1)
}

func (p line) logDensity(x, sigma float64) float64 {
	terms := make([]float64, len(p))
	for i, a := range p {
		z := (x - a.at) / sigma
		terms[i] = a.logWeight - z*z/2
	}
	return logSumExp(terms) - math.Log(sigma) - math.Log(2*math.Pi)/2
}

// hybrid is the bound of sampling without replacement (docs/theory/preprocessing.md#batches-without-replacement),
//
//	e^((α−1)D) ≤ 1 + ∫_{x≥d/2} φ(x)(r^α + r^(1−α) − r − 1) dx,  r = 1 − γ + γe^(dx − d²/2),
//
// d = 2L/σ. The integrand is r^(1−α)(r^α − 1)(r^(α−1) − 1), by Simpson's rule.
func hybrid(alpha, gamma, d float64) float64 {
	const n = 40000
	lo, hi := d/2, max(d/2, alpha*d)+14
	h := (hi - lo) / n
	terms := make([]float64, 0, n)
	for i := 1; i <= n; i++ { // it is 0 at d/2
		x := lo + float64(i)*h
		l := logSumExp([]float64{math.Log1p(-gamma), math.Log(gamma) + d*x - d*d/2})
		if !(l > 0) {
			continue
		}
		weight := 2.0
		if i%2 == 1 {
			weight = 4
		} else if i == n {
			weight = 1
		}
		terms = append(terms, math.Log(weight*h/3)-x*x/2-math.Log(2*math.Pi)/2+(1-alpha)*l+logExpm1(alpha*l)+logExpm1((alpha-1)*l))
	}
	return math.Log1p(math.Exp(logSumExp(terms))) / (alpha - 1)
}

func logExpm1(x float64) float64 {
	if x > 30 {
		return x
	}
	return math.Log(math.Expm1(x))
}

// theorem13: gradient descent on a linear loss costs what a Gaussian of sensitivity 2L costs, more than the
// paper's claim.
func (g goldenHandlers) theorem13(t *testing.T, raw json.RawMessage) {
	var c struct {
		Loss  string
		Exact string `json:"exact_over_eps2"`
		Paper string `json:"paper_over_eps2"`
	}
	golden.Decode(t, raw, &c)
	e := accountant.SubsampledGaussian{C: 1, Sigma: 1, Sampling: accountant.PoissonSampling(1), Neighbours: ReplaceOne}
	for _, alpha := range []float64{1.5, 2, 30} {
		vars := map[string]float64{"alpha": alpha}
		exact, paper := must(evaluate(c.Exact, vars)), must(evaluate(c.Paper, vars))
		g.Same(t, "full batch", rdp(t, e, ReplaceOne, alpha), exact)
		if !(exact > paper) {
			t.Errorf("order %g: exact %g does not break the paper's %g", alpha, exact, paper)
		}
	}
}

// theorem14: one row of n is drawn in each step, rows at zero beside the replaced one; the exact loss is that of the
// Poisson pair and bounds the step without replacement from below.
func (g goldenHandlers) theorem14(t *testing.T, raw json.RawMessage) {
	var c struct {
		N, T          int
		Eps, L, Sigma float64
		C             float64
		Rows          []struct{ Alpha, Exact, Paper float64 }
	}
	golden.Decode(t, raw, &c)
	if len(c.Rows) == 0 {
		t.Fatal("no rows")
	}
	price := func(s accountant.Sampling, alpha float64) float64 {
		e := accountant.SubsampledGaussian{C: c.L, Sigma: c.Sigma, Sampling: s, Neighbours: ReplaceOne}
		return rdp(t, accountant.Repeat(e, c.T), ReplaceOne, alpha)
	}
	for _, r := range c.Rows {
		// The references are differences of numbers near 1, good to 1e-7.
		golden.Within(t, "Poisson", price(accountant.PoissonSampling(1/float64(c.N)), r.Alpha), r.Exact, 2e-7, 2e-7)
		batch := price(accountant.BatchSampling(1, c.N), r.Alpha)
		if !(batch >= r.Exact) {
			t.Errorf("order %g: without replacement %g, below the exact %g", r.Alpha, batch, r.Exact)
		}
		elsewhere(t, "thm14_counterexample.printed")
	}
}

// scaledNoise: noise that is calibrated to what the data show has laws of different variance, one of which the other
// cannot dominate.
func (g goldenHandlers) scaledNoise(t *testing.T, raw json.RawMessage) {
	var c struct {
		S1, S2 float64
		D2     golden.OrNull
	}
	golden.Decode(t, raw, &c)
	p := accountant.SphericalPair{From: c.S2 * c.S2, To: c.S1 * c.S1, Coordinates: 1}
	got := must(p.Divergence(2))
	p.From, p.To = p.To, p.From
	back := must(p.Divergence(2))
	g.Same(t, "D_2", max(got, back), float64(c.D2))
	if !(min(got, back) < max(got, back)) {
		t.Errorf("D_2 is %g and %g: the laws have one variance", got, back)
	}
}
