package accountant

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// Laplace is the release of a vector with independent real-valued Laplace noise in each coordinate:
// density exp(−|z|/b)/(2b) (docs/theory/mechanisms.md#laplace-noise).
type Laplace struct {
	Sensitivity float64    // L1 sensitivity of the vector under Neighbours
	Scale       float64    // b, in the same units, above 0
	Neighbours  Neighbours // the relation that the sensitivity was computed for
}

var _ = registerLeaf[Laplace]("laplace")

// leafMargin covers the relative error of the closed forms of the leaves before they are rounded up.
const leafMargin = 0x1p-46

// RDP is exact for a shift by t = Δ/b in one coordinate (Mironov 2017, Proposition 6):
//
//	D_α = ln(α/(2α−1) e^{(α−1)t} + (α−1)/(2α−1) e^{−αt}) / (α−1),
//
// and t at α = +Inf. It is convex in t and 0 at 0, hence superadditive: one coordinate is the worst
// way to spend an L1 sensitivity. Errors wrap [ErrNeighbours] or [ErrParameter].
func (l Laplace) RDP(rel Neighbours) (Curve, error) {
	t, err := l.shift(rel)
	if err != nil {
		return nil, err
	}
	return laplaceCurve(t), nil
}

// Profile is exact for a shift by t = Δ/b in one coordinate: δ(ε) = 1 − e^{(ε−t)/2} for |ε| ≤ t.
//
// One coordinate is the worst case here too: shifts a ≤ b of two coordinates are dominated by a shift
// of a + b in one. With L the loss of the first and w = e^{(ε−a−b)/2}, ε ≥ 0, the pair's profile is
//
//	E[(1 − w e^{(a−L)/2})₊] ≤ (1 − w)₊, as L ≤ a:
//
// the second coordinate's profile at ε − L ≥ −b has no other branch. The laws are symmetric, so
// ε ≥ 0 suffices, and domination survives products, so that induction covers any vector. ∎
func (l Laplace) Profile(rel Neighbours) (Profile, error) {
	t, err := l.shift(rel)
	if err != nil {
		return nil, err
	}
	return func(epsilon float64) float64 {
		switch {
		case math.IsNaN(epsilon):
			return 1
		case epsilon >= t:
			return 0
		case epsilon <= -t:
			return roundProfile(-math.Expm1(epsilon))
		}
		return roundProfile(-math.Expm1((epsilon - t) / 2))
	}, nil
}

// ZCDP bounds D_α/α over all orders; see [ZCDPer].
func (l Laplace) ZCDP(rel Neighbours) (float64, error) {
	t, err := l.shift(rel)
	if err != nil {
		return math.NaN(), err
	}
	return zcdpSup(laplaceCurve(t), halfSquare(t)), nil
}

// String names the mechanism, its sensitivity and its noise.
func (l Laplace) String() string {
	return fmt.Sprintf("Laplace(sensitivity %.6g, scale %.6g, %v)", l.Sensitivity, l.Scale, l.Neighbours)
}

// shift returns t = Δ/b, rounded up.
func (l Laplace) shift(rel Neighbours) (float64, error) {
	if err := l.Neighbours.match("Laplace", rel); err != nil {
		return math.NaN(), err
	}
	if !(l.Sensitivity >= 0) || math.IsInf(l.Sensitivity, 1) {
		return math.NaN(), fmt.Errorf("accountant: Laplace: sensitivity: got %g, want a finite number, at least 0; clip the contributions: %w",
			l.Sensitivity, ErrParameter)
	}
	if !(l.Scale > 0) || math.IsInf(l.Scale, 1) {
		return math.NaN(), fmt.Errorf("accountant: Laplace: scale b: got %g, want a positive finite number: %w", l.Scale, ErrParameter)
	}
	return quad.DivUp(l.Sensitivity, l.Scale), nil
}

// laplaceCurve is the RDP of one shift by t scales. With g(x) = e^x − 1 − x the linear terms of the
// two exponentials cancel, which leaves ln(1 + [α g((α−1)t) + (α−1) g(−αt)]/(2α−1)), all terms positive.
func laplaceCurve(t float64) Curve {
	return func(alpha float64) float64 {
		s := alpha - 1
		switch {
		case !(alpha > 1):
			return math.Inf(1)
		case t == 0:
			return 0
		case math.IsInf(t, 1) || math.IsInf(alpha, 1):
			return t
		}
		// The two weights; neither overflows.
		w1, w2 := 1/(2-1/alpha), 1/(1+alpha/s)
		var d float64
		if x := s * t; x < 1 {
			d = math.Log1p(w1*expm1x(x)+w2*expm1x(-alpha*t)) / s
		} else {
			d = t + (math.Log(w1)+math.Log1p(s/alpha*math.Exp(-alpha*t-x)))/s
		}
		return min(t, quad.Inflate(max(0, d), leafMargin))
	}
}

// expm1x returns e^x − 1 − x, with a relative error of a few units in the last place.
func expm1x(x float64) float64 {
	if math.Abs(x) > 0.75 {
		return math.Expm1(x) - x
	}
	// Taylor's series from the last term: 0.75^18/20! is below 2^-64 of the first.
	sum := 0.0
	for n := 20; n >= 3; n-- {
		sum = (sum + 1) * x / float64(n)
	}
	return (1 + sum) * x * x / 2
}

// roundProfile rounds a profile's value up, into [0, 1].
func roundProfile(delta float64) float64 {
	return min(1, quad.Inflate(max(0, delta), leafMargin))
}
