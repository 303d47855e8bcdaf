package accountant

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// SGDIteration is one pass of projected noisy gradient descent over the rows in a fixed public order, one
// row at a time, that releases a single iterate, at a step T drawn uniformly from 1…Steps and kept secret.
// Privacy comes from the steps that follow a row's own (privacy amplification by iteration).
//
// It holds only where the maps between the releases of noise do not expand: every row's loss is convex and β-smooth
// on the convex set that iterates are projected to, the learning rate is at most 2/β, and C bounds the gradient's
// norm without clipping, as a Lipschitz constant, or the loss is of a linear model and its scalar
// derivative is clipped. The clipped gradient vector of a general loss is not the gradient of a convex
// function, and the bound fails; compose [SubsampledGaussian] or [Gaussian] steps then.
type SGDIteration struct {
	C          float64 // Lipschitz constant of each row's loss
	Shift      float64 // μτ: the sum over the rows that both tables have of the change of their gradients
	Sigma      float64 // standard deviation of the noise on one row's gradient, in each coordinate; 0 costs +Inf
	Steps      int     // m: rows in the pass; a row that is absent keeps its place with a zero gradient
	Neighbours Neighbours
}

var _ = registerLeaf[SGDIteration]("sgd_iteration")

// RDP is, with W = 2C + μτ (replace-one) or C + μτ (add/remove),
//
//	D_α ≤ (1/(α−1)) ln((1/m) Σ_{j=1}^m exp(α(α−1) W²/(2σ²j)))
//
// (docs/theory/preprocessing.md#amplification-by-iteration, from Feldman, Mironov, Talwar, Thakurta 2018, Theorem 22): for any positions and sizes
// of gradient changes that sum to W. Errors wrap [ErrNeighbours] or [ErrParameter].
func (s SGDIteration) RDP(rel Neighbours) (Curve, error) {
	mu, err := s.mu(rel)
	if err != nil {
		return nil, err
	}
	return perOrder(func(alpha float64) float64 { return iterationMoment(alpha, mu, s.Steps) }), nil
}

// String names the pass and its constants.
func (s SGDIteration) String() string {
	shift := ""
	if s.Shift != 0 {
		shift = fmt.Sprintf(", shift %.6g", s.Shift)
	}
	return fmt.Sprintf("SGDIteration(C %.6g%s, sigma %.6g, %d steps, %v)", s.C, shift, s.Sigma, s.Steps, s.Neighbours)
}

// mu is W/σ, rounded up.
func (s SGDIteration) mu(rel Neighbours) (float64, error) {
	if err := s.Neighbours.match("SGDIteration", rel); err != nil {
		return math.NaN(), err
	}
	if s.Steps < 1 {
		return math.NaN(), fmt.Errorf("accountant: SGDIteration: steps: got %d, want at least 1: %w", s.Steps, ErrParameter)
	}
	if !(s.Shift >= 0) || math.IsInf(s.Shift, 1) {
		return math.NaN(), fmt.Errorf("accountant: SGDIteration: shift: got %g, want a finite number, at least 0: %w", s.Shift, ErrParameter)
	}
	sides := 2.0
	if rel == AddRemove {
		sides = 1
	}
	if _, err := noiseRatio("SGDIteration", s.C, s.Sigma); err != nil {
		return math.NaN(), err
	}
	return noiseRatio("SGDIteration", quad.AddUp(sides*s.C, s.Shift), s.Sigma)
}

// iterationMoment is (α−1) D_α for W = mu standard deviations. The sum over j > J is at most the integral
// from J, and e^y − 1 ≤ y + y²/2·e^{y_J} below y_J = c/J.
func iterationMoment(alpha, mu float64, steps int) float64 {
	if mu == 0 {
		return 0
	}
	c := quad.Inflate(alpha*(alpha-1)*mu*mu/2, 8*eps)
	if math.IsInf(c, 1) {
		return c
	}
	m := float64(steps)
	const terms = 4096
	last := min(m, math.Ceil(max(terms, min(16*terms, 64*c))))
	top := 0.0
	if c > 300 {
		top = c
	}
	sum, down := 0.0, math.Exp(-top)
	for j := last; j >= 1; j-- {
		y := c / j
		if y > 40 {
			sum += math.Exp(y - top)
		} else {
			sum += down * math.Expm1(y)
		}
	}
	if last < m {
		y := c / last
		sum += down * (c*math.Log(m/last) + c*c/2*math.Exp(y)*(1/last-1/m))
	}
	sum = quad.Inflate(sum/m, kernelMargin)
	if top > 0 {
		return min(c, quad.Inflate(top+math.Log(sum+down), 8*eps))
	}
	return min(c, quad.Inflate(math.Log1p(sum), 4*eps))
}
