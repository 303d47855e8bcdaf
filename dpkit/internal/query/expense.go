package query

import (
	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/internal/quad"
)

// Expense is one private query of a step.
type Expense struct {
	What  string // in words, for the cost table
	Share float64
	Query GaussianQuery

	// A test passes iff statistic + noise ≥ floor + Δ_T + tail(δ₀), so that a statistic below floor,
	// or that of a neighbour of such rows, passes with probability δ₀ at most
	// (docs/theory/calculus.md#lemma-7-propose-test-release, with Gaussian noise in place of Laplace noise: the proof only needs the tail).
	Test  bool
	Floor float64
	Delta float64 // δ₀

	// A private bound certifies statistic ≥ noisy answer − Δ_T − tail(δ₀), on both sides of the pair with
	// probability 1 − δ₀ (docs/theory/calculus.md#private-bounds). The step is priced again with what came out.
	Bound bool

	Margin float64 // Δ_T + tail(δ₀) of a test or a bound, once the noise is calibrated
}

// Calibrate settles the noise at the part μ of the budget, and the margin. The law on the grid has
// P(noise ≥ k·h) ≤ P(N(0, σ²) ≥ (k − 1)h) (Canonne, Kamath, Steinke 2020, Prop. 25): one step covers that,
// another the rounding of the statistic.
func (e *Expense) Calibrate(mu float64) error {
	if err := e.Query.Calibrate(mu); err != nil || !(e.Test || e.Bound) {
		return err
	}
	margin, err := accountant.TestThresholdGaussian(0, e.Query.S, e.Query.Sigma, e.Delta)
	e.Margin = quad.AddUp(margin, 2*e.Query.Grid.Step())
	return err
}

// Certified is the lower bound on the statistic that a noisy answer certifies.
func (e *Expense) Certified(noisy float64) float64 { return -quad.AddUp(e.Margin, -noisy) }

// Cost is the query's entry in the cost table of a release. Event and threshold are there once the noise is calibrated.
func (e *Expense) Cost(rel accountant.Neighbours) cost.Query {
	c := cost.Query{
		Name: e.What, Share: e.Share, Delta: e.Delta, Sensitivity: e.Query.S, Sigma: e.Query.Sigma,
	}
	if e.Query.GridSD > 0 { // calibrated: a chain without a release at its end is not
		c.Event = e.Query.Event(rel, e.Query.S).String()
		if e.Test {
			c.Threshold = e.Threshold()
		}
	}
	return c
}

// Threshold is the least noisy statistic that passes.
func (e *Expense) Threshold() float64 { return quad.AddUp(e.Floor, e.Margin) }

// ExpenseOf is the query that asks for the statistic of a certificate: a test that it is at least floor, or a private
// bound on it from below.
func ExpenseOf(c Certificate, what string, floor float64, query GaussianQuery) Expense {
	return Expense{
		What: what, Share: c.tested.Share, Delta: c.tested.Delta,
		Test: !c.open, Floor: floor, Bound: c.open, Query: query,
	}
}
