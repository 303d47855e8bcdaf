package pair

import (
	"fmt"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/internal/quad"
)

// GaussianOn is the Gaussian noise of standard deviation sigma on the sum that q describes, over the rows of a pair in the
// state p, by the direct route: α S²/(2σ²) for the sensitivity S of [Query.Sensitivity], the exact worst case. On
// a pair without free rows it is the smooth curve. Errors wrap [ErrPair], [accountant.ErrNeighbours] or [accountant.ErrParameter].
func GaussianOn(p State, q Query, sigma float64) (accountant.Gaussian, error) {
	total, _, err := q.Sensitivity(p)
	if err != nil {
		return accountant.Gaussian{}, err
	}
	g := accountant.Gaussian{Sensitivity: total, Sigma: sigma, Neighbours: p.Neighbours}
	_, _, err = g.GDP(p.Neighbours)
	return g, err
}

// LaplaceOn is the Laplace noise of the given scale on the sum that q describes in the L1 norm, over
// the rows of a pair in the state p, by the direct route: its divergence is that of one coordinate
// shifted by the whole sensitivity. p.T1 must bound the total displacement in the norm for which
// q.Lipschitz holds. Errors wrap [ErrPair], [accountant.ErrNeighbours] or [accountant.ErrParameter].
func LaplaceOn(p State, q Query, scale float64) (accountant.Laplace, error) {
	total, _, err := q.Sensitivity(p)
	if err != nil {
		return accountant.Laplace{}, err
	}
	l := accountant.Laplace{Sensitivity: total, Scale: scale, Neighbours: p.Neighbours}
	_, err = l.RDP(p.Neighbours)
	return l, err
}

// ExponentialOn is the exponential mechanism with weights e^{η·score}, on a pair in the state p: a free
// row changes every score by at most 2C, and q.Lipschitz bounds the change by a displaced one. The
// log ratios lie in a range of 2η times the change (Dong, Durfee, Rogers 2020). Errors wrap
// [ErrPair], [accountant.ErrNeighbours] or [accountant.ErrParameter].
func ExponentialOn(p State, q Query, eta float64) (accountant.Exponential, error) {
	total, _, err := q.Sensitivity(p)
	if err != nil {
		return accountant.Exponential{}, err
	}
	if !(eta >= 0) {
		return accountant.Exponential{}, fmt.Errorf("pair: exponential: eta: got %g, want at least 0: %w", eta, accountant.ErrParameter)
	}
	e := accountant.Exponential{Epsilon: quad.MulUp(2*eta, total), Neighbours: p.Neighbours}
	_, err = e.RDP(p.Neighbours)
	return e, err
}

// SubsampledGaussianOn is one step of subsampled gradient descent, with gradients of norm at most q.C
// that move by q.Lipschitz with their rows, on a pair in the state p with one free row. More
// free rows are an error that wraps [accountant.ErrNoRoute].
func SubsampledGaussianOn(p State, q Query, sigma float64, s accountant.Sampling) (accountant.SubsampledGaussian, error) {
	if _, _, err := q.Sensitivity(p); err != nil {
		return accountant.SubsampledGaussian{}, err
	}
	if p.F != 1 {
		return accountant.SubsampledGaussian{}, fmt.Errorf("pair: subsampled Gaussian: got a pair with %d free rows, want 1; use a full-batch release: %w", p.F, accountant.ErrNoRoute)
	}
	g := accountant.SubsampledGaussian{C: q.C, Sigma: sigma, Sampling: s, Neighbours: p.Neighbours}
	if p.Displaced() {
		each := min(quad.MulUp(q.Lipschitz, p.TInf), 2*q.C)
		total := min(quad.MulUp(q.Lipschitz, p.T1), quad.MulUp(each, float64(p.M)))
		if each > 0 && total > 0 {
			g.Shift = accountant.DisplacedRows{Rows: p.M, Each: each, Total: total}
		}
	}
	_, err := g.RDP(p.Neighbours)
	return g, err
}

// SGDIterationOn is a pass of noisy stochastic gradient descent in a fixed order on a pair in the state
// p with one free row; see [accountant.SGDIteration] for what the losses must be. q.C is the Lipschitz
// constant of each loss. More free rows are an error that wraps [accountant.ErrNoRoute].
func SGDIterationOn(p State, q Query, sigma float64, steps int) (accountant.SGDIteration, error) {
	total, free, err := q.Sensitivity(p)
	if err != nil {
		return accountant.SGDIteration{}, err
	}
	if p.F != 1 {
		return accountant.SGDIteration{}, fmt.Errorf("pair: SGD by iteration: got a pair with %d free rows, want 1: %w", p.F, accountant.ErrNoRoute)
	}
	s := accountant.SGDIteration{C: q.C, Shift: quad.AddUp(total, -free), Sigma: sigma, Steps: steps, Neighbours: p.Neighbours}
	_, err = s.RDP(p.Neighbours)
	return s, err
}
