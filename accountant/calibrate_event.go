package accountant

import (
	"fmt"
	"math"
)

// Calibrate searches [lo, hi] for the parameter at which make gives an event that just meets the budget
// under rel, where ε is monotone in the parameter, rising or falling. It bisects to one part in 1e9, takes
// the end on the safe side, which was priced, and returns its price too. Where both ends meet the
// budget it returns the costlier one; where neither does, the error wraps [ErrBudget]. An event that
// cannot be priced ends the search with its error.
func Calibrate(b Budget, rel Neighbours, make func(x float64) Event, lo, hi float64) (x float64, g Guarantee, err error) {
	fail := func(err error) (float64, Guarantee, error) { return math.NaN(), Guarantee{}, err }
	if err := b.Validate(); err != nil {
		return fail(err)
	}
	if !(lo < hi) || math.IsInf(lo, 0) || math.IsInf(hi, 0) {
		return fail(fmt.Errorf("accountant: calibrate: range: got [%g, %g], want finite numbers that rise: %w", lo, hi, ErrParameter))
	}
	price := func(x float64) (Guarantee, bool, error) {
		g, err := EpsilonOf(make(x), rel, b.Delta)
		if err != nil {
			return g, false, fmt.Errorf("accountant: calibrate: at %g: %w", x, err)
		}
		return g, g.Epsilon <= b.Epsilon, nil
	}
	gLo, okLo, err := price(lo)
	if err != nil {
		return fail(err)
	}
	gHi, okHi, err := price(hi)
	switch {
	case err != nil:
		return fail(err)
	case !okLo && !okHi:
		return fail(fmt.Errorf("accountant: calibrate: ε = %.6g at %g and %.6g at %g for δ = %g, want %.6g or less at one of them; widen the range: %w",
			gLo.Epsilon, lo, gHi.Epsilon, hi, b.Delta, b.Epsilon, ErrBudget))
	case okLo && okHi && gLo.Epsilon >= gHi.Epsilon:
		return lo, gLo, nil
	case okLo && okHi:
		return hi, gHi, nil
	}
	safe, other, g := lo, hi, gLo
	if okHi {
		safe, other, g = hi, lo, gHi
	}
	for range 200 {
		mid := middle(safe, other)
		if mid == safe || mid == other || math.Abs(other-safe) <= 1e-9*math.Abs(safe) {
			break
		}
		at, ok, err := price(mid)
		if err != nil {
			return fail(err)
		}
		if ok {
			safe, g = mid, at
		} else {
			other = mid
		}
	}
	return safe, g, nil
}

// middle halves an interval, by its logarithm where it spans orders of magnitude.
func middle(a, b float64) float64 {
	if a > 0 && b > 0 && max(a, b) > 4*min(a, b) {
		return math.Sqrt(a) * math.Sqrt(b)
	}
	return a + (b-a)/2
}
