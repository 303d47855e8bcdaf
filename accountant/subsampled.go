package accountant

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// SubsampledGaussian is one step of stochastic gradient descent: the sum of the drawn rows' gradients, each
// clipped to the norm C, with independent Gaussian noise in each coordinate. T steps are Repeat(e, T).
//
// Under [AddRemove] rows are drawn by Poisson sampling alone: the bounds without replacement are those of a replaced row. Under
// [ReplaceOne] the replaced row has its old and its new gradient. The draws must be secret and fresh in each step.
//
// Sigma is on the sum, in the units of C: the noise multiplier of the literature is Sigma/C under AddRemove.
type SubsampledGaussian struct {
	C          float64 // bound on the norm of one row's gradient
	Sigma      float64 // standard deviation of the noise on the sum; 0 costs +Inf
	Sampling   Sampling
	Neighbours Neighbours
	Shift      DisplacedRows // what preprocessing did to the rows that both tables have
}

var _ = registerLeaf[SubsampledGaussian]("subsampled_gaussian")

// RDP returns the least of the bounds that hold, at each order; [SubsampledGaussian.Route] names it.
//
//   - Poisson, AddRemove: the divergence itself (Mironov, Talwar, Zhang 2019), at every real order, and with displaced
//     rows of the worst collinear pair, in both directions (docs/theory/preprocessing.md#poisson-sampling-under-addremove).
//   - Poisson, ReplaceOne: the divergence itself of the worst pair. Displaced rows are drawn alike on both sides,
//     and e^{(α−1)D} is averaged over their number (docs/theory/preprocessing.md#poisson-sampling-under-replace-one). Or: the noise is split
//     among the two gradients and the displacement (docs/theory/calculus.md#subsampled-steps-by-noise-splitting).
//   - Without replacement: the hybrid bound and the corrected ternary expansion
//     (docs/theory/preprocessing.md#batches-without-replacement); displaced rows by the weak triangle inequality with the best parameter in both
//     orders, or by splitting the noise.
//   - Rate 0 costs nothing and rate 1 is a Gaussian.
//
// Everything is rounded up. Errors wrap [ErrNeighbours] or [ErrParameter].
func (g SubsampledGaussian) RDP(rel Neighbours) (Curve, error) {
	rs, err := g.bounds(rel)
	if err != nil {
		return nil, err
	}
	return func(alpha float64) float64 {
		d, _ := least(rs, alpha)
		return d
	}, nil
}

// Route names the bound that [SubsampledGaussian.RDP] takes at an order. Errors wrap [ErrNeighbours],
// [ErrParameter] or [ErrOrder].
func (g SubsampledGaussian) Route(rel Neighbours, alpha float64) (string, error) {
	rs, err := g.bounds(rel)
	if err != nil {
		return "", err
	}
	if !(alpha > 1) {
		return "", fmt.Errorf("accountant: order: got %g, want a number above 1: %w", alpha, ErrOrder)
	}
	_, name := least(rs, alpha)
	return name, nil
}

// GDP returns μ for a step that draws no row, or all of them; otherwise the error wraps [ErrNoRoute].
func (g SubsampledGaussian) GDP(rel Neighbours) (mu, tv float64, err error) {
	if err := g.validate(rel); err != nil {
		return math.NaN(), math.NaN(), err
	}
	switch {
	case g.Sampling.none():
		return 0, 0, nil
	case g.Sampling.all():
		return g.fullBatch(), 0, nil
	}
	return math.NaN(), math.NaN(), fmt.Errorf("accountant: %v: not dominated by a Gaussian: %w", g, ErrNoRoute)
}

// String names the step, its constants and its displacement.
func (g SubsampledGaussian) String() string {
	shift := ""
	if g.Shift != (DisplacedRows{}) {
		shift = fmt.Sprintf(", %d rows displaced by %.6g, total %.6g", g.Shift.Rows, g.Shift.Each, g.Shift.Total)
	}
	return fmt.Sprintf("SubsampledGaussian(C %.6g, sigma %.6g, %v%s, %v)", g.C, g.Sigma, g.Sampling, shift, g.Neighbours)
}

func (g SubsampledGaussian) validate(rel Neighbours) error {
	if err := g.Neighbours.match("SubsampledGaussian", rel); err != nil {
		return err
	}
	if _, err := noiseRatio("SubsampledGaussian", g.C, g.Sigma); err != nil {
		return err
	}
	if err := g.Sampling.Validate(); err != nil {
		return err
	}
	if err := g.Shift.Validate(); err != nil {
		return err
	}
	if g.Sampling.Kind == WithoutReplacement && g.Neighbours != ReplaceOne {
		return fmt.Errorf("accountant: SubsampledGaussian: neighbours: got %v without replacement, want %v, as the bounds are those of a replaced row; or sample by Poisson: %w",
			g.Neighbours, ReplaceOne, ErrParameter)
	}
	return nil
}

// free is what the row that differs moves the sum by when it is drawn, in units of the noise.
func (g SubsampledGaussian) free() float64 {
	sides := 2.0
	if g.Neighbours == AddRemove {
		sides = 1
	}
	mu, _ := noiseRatio("SubsampledGaussian", sides*g.C, g.Sigma)
	return mu
}

func (g SubsampledGaussian) fullBatch() float64 {
	if g.Sigma == 0 && g.Shift.Rows > 0 {
		return math.Inf(1)
	}
	return quad.AddUp(g.free(), g.Shift.scaled(g.C, g.Sigma).Total)
}

// A bound is one valid and named bound on D_α.
type bound struct {
	name  string
	rdp   Curve
	above Curve // nil, or a value that rdp is not below, in a fraction of its time
}

// least is the smallest bound at an order and its name.
func least(bs []bound, alpha float64) (d float64, name string) {
	d = math.Inf(1)
	if !(alpha > 1) {
		return d, ""
	}
	for _, b := range bs {
		if b.above != nil && b.above(alpha) > d {
			continue
		}
		v := b.rdp(alpha)
		if math.IsNaN(v) {
			v = math.Inf(1)
		}
		if v < d || name == "" {
			d, name = v, b.name
		}
	}
	return d, name
}

// perOrder turns (α−1) D_α into D_α.
func perOrder(moment func(alpha float64) float64) Curve {
	return func(alpha float64) float64 {
		if !(alpha > 1) {
			return math.Inf(1)
		}
		if math.IsInf(alpha, 1) {
			return moment(alpha)
		}
		return quad.DivUp(moment(alpha), alpha-1)
	}
}

// bounds lists all that is known about a step.
func (g SubsampledGaussian) bounds(rel Neighbours) ([]bound, error) {
	if err := g.validate(rel); err != nil {
		return nil, err
	}
	switch {
	case g.Sampling.none():
		return []bound{{name: "nothing is drawn", rdp: gaussianCurve(0)}}, nil
	case g.Sampling.all() || g.Sigma == 0 || g.C == 0:
		return []bound{{name: "Gaussian, all rows", rdp: gaussianCurve(g.fullBatch())}}, nil
	}
	shift := g.Shift.scaled(g.C, g.Sigma)
	t := quad.DivUp(g.C, g.Sigma)
	switch {
	case g.Sampling.Kind == WithoutReplacement:
		return worBounds(g.Sampling, 2*t, shift), nil
	case g.Neighbours == AddRemove:
		return addRemoveBounds(g.Sampling.Rate, t, shift), nil
	default:
		return replaceBounds(g.Sampling.Rate, t, shift), nil
	}
}
