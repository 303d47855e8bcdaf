package accountant

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// A ZCDPer is an Event that is ρ-zero-concentrated DP: D_α ≤ ρα at every order, rounded up.
// Rates add in composition. A combinator with other parts returns an error that wraps [ErrNoRoute].
type ZCDPer interface {
	ZCDP(rel Neighbours) (rho float64, err error)
}

// RhoOf returns the least known ρ for which the event is ρ-zCDP under rel, rounded up.
// Errors wrap [ErrNoRoute], [ErrNeighbours] or [ErrParameter].
func RhoOf(e Event, rel Neighbours) (rho float64, err error) {
	if e == nil {
		return math.NaN(), fmt.Errorf("accountant: zCDP: event: got nil, want an event: %w", ErrParameter)
	}
	z, ok := e.(ZCDPer)
	if !ok {
		return math.NaN(), fmt.Errorf("accountant: %v: not zero-concentrated: %w", e, ErrNoRoute)
	}
	return z.ZCDP(rel)
}

// ZCDP is μ²/2; see [ZCDPer].
func (g Gaussian) ZCDP(rel Neighbours) (float64, error) {
	mu, err := g.mu(rel)
	return halfSquare(mu), err
}

// ZCDP is μ²/2, as for the Gaussian (Canonne, Kamath, Steinke 2020, Theorem 14); see [ZCDPer].
func (g DiscreteGaussian) ZCDP(rel Neighbours) (float64, error) {
	mu, err := g.nominal(rel)
	return halfSquare(mu), err
}

// ZCDP adds the rates of the parts; see [ZCDPer].
func (c composition) ZCDP(rel Neighbours) (float64, error) {
	if err := rel.Validate(); err != nil {
		return math.NaN(), err
	}
	sum := 0.0
	for i, e := range c.parts {
		rho, err := RhoOf(e, rel)
		if err != nil {
			return math.NaN(), fmt.Errorf("accountant: Compose: event %d of %d: %w", i+1, len(c.parts), err)
		}
		sum = quad.AddUp(sum, rho)
	}
	return sum, nil
}

// ZCDP is n times the rate of the repeated event; see [ZCDPer].
func (r repetition) ZCDP(rel Neighbours) (float64, error) {
	if err := r.validate(); err != nil {
		return math.NaN(), err
	}
	rho, err := RhoOf(r.of, rel)
	return quad.MulUp(float64(r.n), rho), err
}

// halfSquare is x²/2, rounded up, for x ≥ 0: the rate of a shift by x standard deviations, and a bound on
// that of any (x, 0)-DP release (Bun, Steinke 2016).
func halfSquare(x float64) float64 {
	if x == 0 {
		return 0
	}
	return quad.AddUp(quad.MulUp(x, x)/2, math.SmallestNonzeroFloat64)
}

func zcdpCurve(rho float64) Curve {
	return func(alpha float64) float64 {
		if !(alpha > 0) {
			return math.Inf(1)
		}
		return quad.MulUp(alpha, rho)
	}
}

// zcdpSup bounds sup_α D_α/α from above, to about five digits, for a curve that rises with α and for
// which K = (α−1) D_α is convex with K = 0 at α = 1, as it is for the exact divergences of a pair of laws
// and for a supremum of such. With s = α − 1, on an interval K is below its chord c s − d, d ≥ 0, and
// (c s − d)/(s(s+1)) has its only maximum over s > 0 at (d + √(d² + cd))/c. The interval with the
// largest bound is halved until that is close to a value of the function. The result is at most limit, a bound
// that the caller has.
func zcdpSup(c Curve, limit float64) float64 {
	const (
		first = 0x1p-40 // below it D_α/α ≤ D at its end
		close = 1e-6
	)
	top := c(math.Inf(1))
	if top == 0 || math.IsInf(top, 1) {
		return min(top, limit)
	}
	type span struct{ lo, hi, bound float64 }
	seen := 0.0
	bound := func(lo, hi float64) span {
		kl, kh := lo*c(1+lo), hi*c(1+hi)
		slope := (kh - kl) / (hi - lo)
		if !(slope > 0) { // underflow, or overflow
			return span{lo, hi, c(1+hi) / (1 + lo)}
		}
		d := max(0, slope*lo-kl)
		s := min(hi, max(lo, (d+math.Sqrt(d*d+slope*d))/slope))
		seen = max(seen, kl/lo/(1+lo), kh/hi/(1+hi))
		return span{lo, hi, (slope*s - d) / s / (s + 1)}
	}
	var spans []span
	hi := first
	for !(top/(1+hi) <= seen) && hi < 0x1p200 {
		spans = append(spans, bound(hi, 2*hi))
		hi *= 2
	}
	tails := max(c(1+first), top/(1+hi))
	for range 500 {
		worst := 0
		for i := range spans {
			if spans[i].bound > spans[worst].bound {
				worst = i
			}
		}
		w := spans[worst]
		if min(w.bound, limit) <= max(seen, tails)*(1+close) {
			break
		}
		mid := math.Sqrt(w.lo) * math.Sqrt(w.hi)
		spans[worst] = bound(w.lo, mid)
		spans = append(spans, bound(mid, w.hi))
	}
	sup := max(seen, tails)
	for _, s := range spans {
		sup = max(sup, s.bound)
	}
	return min(limit, quad.Inflate(sup, 1e-9)) // the chords' rounding
}
