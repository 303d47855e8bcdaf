package accountant

import (
	"fmt"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// SphericalPair is a pair of laws N(m, s I_d) and N(m', s' I_d): the outputs of a mechanism whose noise grows with
// what it hides, such as [RelativeGaussian], on two datasets. What is exact for one pair is no guarantee: the worst
// of all pairs is not always the one with the extreme norms. It measures how far a guarantee is from the truth.
type SphericalPair struct {
	Distance    float64 // ‖m − m'‖
	From, To    float64 // the variances s and s'
	Coordinates int     // d
}

// Divergence is the Rényi divergence of the first law from the second,
//
//	D_α = α ‖m−m'‖²/(2v) + d/(2(α−1)) ((1−α) ln s + α ln s' − ln v),  v = α s' + (1−α) s,
//
// and +Inf where v ≤ 0: a larger variance is told from a smaller one by its tails, which is why noise that
// is scaled by the data may cost everything. At α = +Inf it is ‖m−m'‖²/(2(s'−s)) + (d/2) ln(s'/s) where s < s'.
// Rounded up. The error wraps [ErrParameter] or [ErrOrder].
func (p SphericalPair) Divergence(alpha float64) (float64, error) {
	if err := p.validate(); err != nil {
		return math.NaN(), err
	}
	if !(alpha > 1) {
		return math.NaN(), fmt.Errorf("accountant: SphericalPair: order: got %g, want a number above 1: %w", alpha, ErrOrder)
	}
	// With r = s/s' the mixed variance is s' (1 − (α−1)(r−1)).
	swell := (p.From - p.To) / p.To
	left := 1 - (alpha-1)*swell
	switch {
	case p.Distance == 0 && p.From == p.To:
		return 0, nil
	case math.IsInf(alpha, 1) && p.From < p.To:
		return quad.Inflate(p.Distance/(p.To-p.From)*p.Distance/2-float64(p.Coordinates)/2*math.Log1p(swell), 0x1p-46), nil
	case !(left > 0) || math.IsInf(alpha, 1):
		return math.Inf(1), nil
	}
	mean := alpha * p.Distance / p.To * p.Distance / (2 * left)
	// ((1−α) ln(1+swell) − ln(1 − (α−1) swell)) is the sum of two convex errors of the logarithm, each at least 0.
	scale := (alpha-1)*quad.XMinusLog1p(swell) + quad.XMinusLog1p(-(alpha-1)*swell)
	return quad.Inflate(mean+float64(p.Coordinates)*scale/(2*(alpha-1)), 0x1p-46/min(1, left)), nil
}

// Delta is the hockey-stick divergence of the first law from the second, E[(1 − e^(ε−L))_+] for the loss L, for
// every real ε, rounded up: exact up to a quadrature of relative error 1e-12. Along the difference of the
// means the loss is a parabola in one normal variable; the other coordinates have that of a χ² pair, in closed
// form. (It is the difference of two noncentral χ² probabilities, without their cancellation.)
// Errors wrap [ErrParameter].
func (p SphericalPair) Delta(epsilon float64) (float64, error) {
	if err := p.validate(); err != nil {
		return math.NaN(), err
	}
	if math.IsNaN(epsilon) {
		return math.NaN(), fmt.Errorf("accountant: SphericalPair: epsilon: got NaN, want a number: %w", ErrEpsilon)
	}
	if p.From == p.To {
		return gaussianDelta(epsilon, quad.DivUp(p.Distance, math.Sqrt(p.To)*(1-0x1p-52))), nil
	}
	// The loss at v standard deviations along the axis is a v² + b v + c.
	root := math.Sqrt(p.From)
	a := (p.From - p.To) / (2 * p.To)
	b := -p.Distance / p.To * root
	c := math.Log(p.To/p.From)/2 + p.Distance/p.To*p.Distance/2
	rest := p.others()
	f := func(v float64) float64 {
		e := epsilon - (c + v*(b+v*a))
		e -= 0x1p-48 * (math.Abs(epsilon) + math.Abs(c) + math.Abs(v*b) + math.Abs(a)*v*v) // its rounding
		if math.IsInf(e, 0) {
			return quad.NormalPDF(v, 0) * max(0, math.Copysign(1, -e))
		}
		return quad.NormalPDF(v, 0) * rest(e)
	}
	// Densities beyond 38 are below 1e-313. Where the loss passes ε there may be a kink.
	cuts := []float64{-38, 38}
	for v := -36.0; v < 38; v += 4 {
		cuts = append(cuts, v)
	}
	if disc := b*b - 4*a*(c-epsilon); disc > 0 {
		q := -(b + math.Copysign(math.Sqrt(disc), b)) / 2
		for _, v := range []float64{q / a, (c - epsilon) / q} {
			if math.Abs(v) < 38 {
				cuts = append(cuts, v)
			}
		}
	}
	slices.Sort(cuts)
	rough := 0.0
	for i, lo := range cuts[:len(cuts)-1] {
		rough += quad.Legendre(f, lo, cuts[i+1])
	}
	total := 0.0
	for i, lo := range cuts[:len(cuts)-1] {
		value, err := quad.AdaptiveAbs(f, lo, cuts[i+1], 1e-13, max(1e-14*rough, 1e-300))
		total += value + 2*err
	}
	return min(1, quad.Inflate(total, 0x1p-44)), nil
}

// others is the profile of the d − 1 coordinates in which the means agree.
func (p SphericalPair) others() Profile {
	k := p.Coordinates - 1
	switch {
	case k == 0:
		return func(e float64) float64 { return max(0, -math.Expm1(e)) }
	case p.From > p.To:
		s := p.To / (p.From - p.To)
		return func(e float64) float64 { return mixForwardDelta(e, k, s) }
	default:
		s := p.From / (p.To - p.From)
		return func(e float64) float64 { return mixBackwardDelta(e, k, s) }
	}
}

func (p SphericalPair) validate() error {
	bad := func(name string, got any, want string) error {
		return fmt.Errorf("accountant: SphericalPair: %s: got %v, want %s: %w", name, got, want, ErrParameter)
	}
	switch {
	case !(p.Distance >= 0) || p.Distance > 1e100:
		return bad("distance", p.Distance, "a finite number, at least 0")
	case !(p.From > 1e-100) || p.From > 1e100:
		return bad("variance from", p.From, "a positive finite number")
	case !(p.To > 1e-100) || p.To > 1e100:
		return bad("variance to", p.To, "a positive finite number")
	case p.Coordinates < 1 || p.Coordinates > math.MaxInt32:
		return bad("coordinates", p.Coordinates, "at least 1")
	}
	return nil
}
