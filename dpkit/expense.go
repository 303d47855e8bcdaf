package dpkit

import (
	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/internal/quad"
)

// expense is one private query of a step.
type expense struct {
	what  string // in words, for the cost table
	share float64
	query gaussianQuery

	// A test passes iff statistic + noise ≥ floor + Δ_T + tail(δ₀), so that a statistic below floor,
	// or that of a neighbour of such rows, passes with probability δ₀ at most
	// (docs/theory/calculus.md#lemma-7-propose-test-release, with Gaussian noise in place of Laplace noise: the proof only needs the tail).
	test  bool
	floor float64
	delta float64 // δ₀

	// A private bound certifies statistic ≥ noisy answer − Δ_T − tail(δ₀), on both sides of the pair with
	// probability 1 − δ₀ (docs/theory/calculus.md#private-bounds). The step is priced again with what came out.
	bound bool

	margin float64 // Δ_T + tail(δ₀) of a test or a bound, once the noise is calibrated
}

// calibrate settles the noise at the part μ of the budget, and the margin. The law on the grid has
// P(noise ≥ k·h) ≤ P(N(0, σ²) ≥ (k − 1)h) (Canonne, Kamath, Steinke 2020, Prop. 25): one step covers that,
// another the rounding of the statistic.
func (e *expense) calibrate(mu float64) error {
	if err := e.query.calibrate(mu); err != nil || !(e.test || e.bound) {
		return err
	}
	margin, err := accountant.TestThresholdGaussian(0, e.query.s, e.query.sigma, e.delta)
	e.margin = quad.AddUp(margin, 2*e.query.grid.Step())
	return err
}

// certified is the lower bound on the statistic that a noisy answer certifies.
func (e *expense) certified(noisy float64) float64 { return -quad.AddUp(e.margin, -noisy) }

func (e *expense) cost(rel accountant.Neighbours) QueryCost {
	c := QueryCost{
		Name: e.what, Share: e.share, Delta: e.delta, Sensitivity: e.query.s, Sigma: e.query.sigma,
	}
	if e.query.gridSD > 0 { // calibrated: a chain without a release at its end is not
		c.Event = e.query.event(rel, e.query.s).String()
		if e.test {
			c.Threshold = e.threshold()
		}
	}
	return c
}

// threshold is the least noisy statistic that passes.
func (e *expense) threshold() float64 { return quad.AddUp(e.floor, e.margin) }

// expenseOf is the query that asks for the statistic of a certificate: a test that it is at least floor, or a private
// bound on it from below.
func expenseOf(c Certificate, what string, floor float64, query gaussianQuery) expense {
	return expense{
		what: what, share: c.tested.Share, delta: c.tested.Delta,
		test: !c.open, floor: floor, bound: c.open, query: query,
	}
}
