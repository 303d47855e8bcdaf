package accountant

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// Exponential is a mechanism of bounded range ε: over all outputs, the log-ratio of its laws on
// neighbouring datasets spans an interval of length at most ε (Durfee, Rogers 2019). The exponential
// mechanism with weights exp(ε q/(2Δ)), Δ the sensitivity of its scores q, has it; so has the
// noisy maximum with Gumbel noise of scale 2Δ/ε. Scores that are monotone in the dataset need half of it (docs/theory/mechanisms.md#bounded-range).
type Exponential struct {
	Epsilon    float64    // ε, the range
	Neighbours Neighbours // the relation that the scores' sensitivity was computed for
}

var _ = registerLeaf[Exponential]("exponential")

// RDP is the supremum over all mechanisms of range ε. Proof: under P the loss L has E e^{−L} = 1 and
// lies in some [t−ε, t]; e^{(α−1)L} is convex in e^{−L}, so that the worst law sits at the two ends
// (Dong, Durfee, Rogers 2020). Its moment is largest at
//
//	t = ε + ln((α−1)/α · (1−e^{−αε})/(1−e^{−(α−1)ε})), which gives
//	D_α = t + ln((1−e^{−αε})/(α(1−e^{−ε}))) / (α−1) ≤ min(ε, αε²/8). ∎
//
// Errors wrap [ErrNeighbours] or [ErrParameter].
func (e Exponential) RDP(rel Neighbours) (Curve, error) {
	if err := e.validate(rel); err != nil {
		return nil, err
	}
	return boundedRangeCurve(e.Epsilon), nil
}

// Profile is the supremum over all mechanisms of range ε at each of its arguments g,
//
//	δ(g) = (1 − e^{(g−ε)/2})² / (1 − e^{−ε}) for |g| ≤ ε
//
// (Dong, Durfee, Rogers 2020), by the same two-point law with t = (g+ε)/2.
func (e Exponential) Profile(rel Neighbours) (Profile, error) {
	if err := e.validate(rel); err != nil {
		return nil, err
	}
	eps := e.Epsilon
	return func(g float64) float64 {
		switch {
		case math.IsNaN(g):
			return 1
		case g >= eps:
			return 0
		case g <= -eps:
			return roundProfile(-math.Expm1(g))
		}
		half := -math.Expm1((g - eps) / 2)
		return roundProfile(half * half / -math.Expm1(-eps))
	}, nil
}

// ZCDP bounds D_α/α over all orders, at most ε²/8; see [ZCDPer].
func (e Exponential) ZCDP(rel Neighbours) (float64, error) {
	if err := e.validate(rel); err != nil {
		return math.NaN(), err
	}
	return zcdpSup(boundedRangeCurve(e.Epsilon), quad.MulUp(e.Epsilon, quad.MulUp(e.Epsilon, 0.125))), nil
}

// String names the mechanism and its range.
func (e Exponential) String() string {
	return fmt.Sprintf("Exponential(range %.6g, %v)", e.Epsilon, e.Neighbours)
}

func (e Exponential) validate(rel Neighbours) error {
	if err := e.Neighbours.match("Exponential", rel); err != nil {
		return err
	}
	return checkPure("Exponential", e.Epsilon)
}

// checkPure accepts a finite ε ≥ 0.
func checkPure(event string, epsilon float64) error {
	if !(epsilon >= 0) || math.IsInf(epsilon, 1) {
		return fmt.Errorf("accountant: %s: epsilon: got %g, want a finite number, at least 0: %w", event, epsilon, ErrParameter)
	}
	return nil
}

func boundedRangeCurve(eps float64) Curve {
	return func(alpha float64) float64 {
		switch {
		case !(alpha > 1):
			return math.Inf(1)
		case eps == 0:
			return 0
		case math.IsInf(alpha, 1):
			return eps
		}
		// αε²/8 by Hoeffding's lemma: K(s) = ln E_P (P/Q)^s has K(−1) = K(0) = 0 and K″ ≤ ε²/4.
		hoeffding := quad.MulUp(alpha, quad.MulUp(eps, quad.MulUp(eps, 0.125)))
		return min(eps, hoeffding, quad.Inflate(max(0, boundedRange(alpha, eps)), leafMargin))
	}
}

// boundedRange evaluates D_α of [Exponential.RDP], in the form that does not cancel.
func boundedRange(alpha, eps float64) float64 {
	s := alpha - 1
	c := -math.Expm1(-eps)
	switch {
	case alpha*eps <= 1:
		return boundedRangeSeries(s, eps)
	case s >= 1:
		t := eps + math.Log1p(-1/alpha) + math.Log1p(math.Exp(-s*eps)*c/-math.Expm1(-s*eps))
		return t + (math.Log(-math.Expm1(-alpha*eps)/c)-math.Log(alpha))/s
	default:
		// Here ε > 1/2. 1−e^{−(α−1)ε} = (α−1) r, and the argument of the logarithm is 1 − (α−1) y.
		r := -math.Expm1(-s*eps) / s
		y := (c - math.Exp(-eps)*r) / (alpha * c)
		return eps + math.Log(-math.Expm1(-alpha*eps)/(alpha*r)) + math.Log1p(-s*y)/s
	}
}

// boundedRangeSeries sums D_α for αε ≤ 1. With λ(x) = ln(sinh(x/2)/(x/2)) = Σ_k c_k x^{2k},
//
//	D_α = (αλ(αε) − (α−1)λ((α−1)ε) − λ(ε))/(α−1) = Σ_k c_k ε^{2k} Σ_{1≤j≤2k} C(2k+1, j) (α−1)^{j−1},
//
// c_k = B_{2k}/(2k (2k)!), which alternate and fall like (2π)^{−2k}: eleven reach 2^-55 of the first.
func boundedRangeSeries(s, eps float64) float64 {
	c := [11]float64{
		1.0 / 24, -1.0 / 2880, 1.0 / 181440, -1.0 / 9676800, 1.0 / 479001600, -691.0 / 15692092416000, 1.0 / 1046139494400,
		-3617.0 / 170729965486080000, 43867.0 / 91963695909076992000, -174611.0 / 16057153253965824000000, 77683.0 / 310224200866619719680000,
	}
	// Powers of (α−1)ε and of ε.
	const top = 2*len(c) + 1
	var px, pe [top]float64
	px[0], pe[0] = 1, 1
	for i := 1; i < top; i++ {
		px[i], pe[i] = px[i-1]*s*eps, pe[i-1]*eps
	}
	sum := 0.0
	for k := len(c); k >= 1; k-- {
		n := 2*k + 1
		inner, binomial := 0.0, 1.0 // Σ_j C(n, j) ((α−1)ε)^{j−1} ε^{n−j−1}
		for j := 1; j < n; j++ {
			binomial *= float64(n-j+1) / float64(j)
			inner += binomial * px[j-1] * pe[n-j-1]
		}
		sum += c[k-1] * inner
	}
	return sum * eps
}
