package accountant

import (
	"fmt"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// LaplaceOn is the Laplace noise of the given scale on the sum that q describes in the L1 norm, over
// the rows of a pair in the state p, by the direct route: its divergence is that of one coordinate
// shifted by the whole sensitivity. p.T1 must bound the total displacement in the norm for which
// q.Lipschitz holds. Errors wrap [ErrPair], [ErrNeighbours] or [ErrParameter].
func LaplaceOn(p Pair, q Query, scale float64) (Laplace, error) {
	total, _, err := q.Sensitivity(p)
	if err != nil {
		return Laplace{}, err
	}
	l := Laplace{Sensitivity: total, Scale: scale, Neighbours: p.Neighbours}
	_, err = l.RDP(p.Neighbours)
	return l, err
}

// ExponentialOn is the exponential mechanism with weights e^{η·score}, on a pair in the state p: a free
// row changes every score by at most 2C, and q.Lipschitz bounds the change by a displaced one. The
// log ratios lie in a range of 2η times the change (Dong, Durfee, Rogers 2020). Errors wrap
// [ErrPair], [ErrNeighbours] or [ErrParameter].
func ExponentialOn(p Pair, q Query, eta float64) (Exponential, error) {
	total, _, err := q.Sensitivity(p)
	if err != nil {
		return Exponential{}, err
	}
	if !(eta >= 0) {
		return Exponential{}, fmt.Errorf("accountant: exponential: eta: got %g, want at least 0: %w", eta, ErrParameter)
	}
	e := Exponential{Epsilon: quad.MulUp(2*eta, total), Neighbours: p.Neighbours}
	_, err = e.RDP(p.Neighbours)
	return e, err
}

// SubsampledGaussianOn is one step of subsampled gradient descent, with gradients of norm at most q.C
// that move by q.Lipschitz with their rows, on a pair in the state p with one free row. More
// free rows are an error that wraps [ErrNoRoute].
func SubsampledGaussianOn(p Pair, q Query, sigma float64, s Sampling) (SubsampledGaussian, error) {
	if _, _, err := q.Sensitivity(p); err != nil {
		return SubsampledGaussian{}, err
	}
	if p.F != 1 {
		return SubsampledGaussian{}, fmt.Errorf("accountant: subsampled Gaussian: got a pair with %d free rows, want 1; use a full-batch release: %w", p.F, ErrNoRoute)
	}
	g := SubsampledGaussian{C: q.C, Sigma: sigma, Sampling: s, Neighbours: p.Neighbours}
	if p.Displaced() {
		each := min(quad.MulUp(q.Lipschitz, p.TInf), 2*q.C)
		total := min(quad.MulUp(q.Lipschitz, p.T1), quad.MulUp(each, float64(p.M)))
		if each > 0 && total > 0 {
			g.Shift = DisplacedRows{Rows: p.M, Each: each, Total: total}
		}
	}
	_, err := g.RDP(p.Neighbours)
	return g, err
}

// SGDIterationOn is a pass of noisy stochastic gradient descent in a fixed order on a pair in the state
// p with one free row; see [SGDIteration] for what the losses must be. q.C is the Lipschitz
// constant of each loss. More free rows are an error that wraps [ErrNoRoute].
func SGDIterationOn(p Pair, q Query, sigma float64, steps int) (SGDIteration, error) {
	total, free, err := q.Sensitivity(p)
	if err != nil {
		return SGDIteration{}, err
	}
	if p.F != 1 {
		return SGDIteration{}, fmt.Errorf("accountant: SGD by iteration: got a pair with %d free rows, want 1: %w", p.F, ErrNoRoute)
	}
	s := SGDIteration{C: q.C, Shift: quad.AddUp(total, -free), Sigma: sigma, Steps: steps, Neighbours: p.Neighbours}
	_, err = s.RDP(p.Neighbours)
	return s, err
}
