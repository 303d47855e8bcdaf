package accountant

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// Curve is a bound on the Rényi divergence D_α in nats as a function of the real order α > 1.
// It is +Inf at orders where no bound is known. Curves round up. At α = +Inf a curve bounds the
// max-divergence, which is pure DP.
type Curve func(alpha float64) float64

// roundoff is the relative error that conversion allows for in each logarithm and product.
const roundoff = 8 * 0x1p-52

// EpsilonAt converts the curve at one order: (ε, δ)-DP holds with
//
//	ε = D_α + ln(1 − 1/α) − (ln α + ln δ)/(α − 1)
//
// (Canonne, Kamath, Steinke 2020, Proposition 12; docs/theory/mechanisms.md#from-a-curve-to-a-budget), at least 0, rounded up. The order must be above 1
// (+Inf: max-divergence, for every δ), and δ in [0, 1]. Errors wrap [ErrOrder] or [ErrDelta].
func (c Curve) EpsilonAt(alpha, delta float64) (float64, error) {
	if err := checkDelta(delta); err != nil {
		return math.NaN(), err
	}
	if !(alpha > 1) {
		return math.NaN(), fmt.Errorf("accountant: order: got %g, want a number above 1: %w", alpha, ErrOrder)
	}
	return c.epsilonAt(alpha, quad.Log(delta)), nil
}

func (c Curve) epsilonAt(alpha, logDelta float64) float64 {
	d := c(alpha)
	switch {
	case math.IsNaN(d) || d == math.Inf(1):
		return math.Inf(1)
	case d <= 0:
		return 0 // the two laws are equal
	case math.IsInf(alpha, 1):
		return d
	}
	shrink := math.Log1p(-1 / alpha)
	logAlpha := math.Log1p(alpha - 1)
	eps := d + shrink - (logAlpha+logDelta)/(alpha-1)
	eps += roundoff * (d - shrink + (logAlpha-logDelta)/(alpha-1))
	return max(0, eps)
}

// DeltaAt converts the curve at one order: (ε, δ)-DP holds with
//
//	δ = exp((α − 1)(D_α − ε)) (1 − 1/α)^α / (α − 1)
//
// (Canonne, Kamath, Steinke 2020, Proposition 12), at most 1, rounded up. The order must be above 1
// and finite, ε finite and at least 0. Errors wrap [ErrOrder] or [ErrEpsilon].
func (c Curve) DeltaAt(alpha, epsilon float64) (float64, error) {
	if err := checkEpsilon(epsilon); err != nil {
		return math.NaN(), err
	}
	if !(alpha > 1) || math.IsInf(alpha, 1) {
		return math.NaN(), fmt.Errorf("accountant: order: got %g, want a finite number above 1: %w", alpha, ErrOrder)
	}
	return math.Exp(min(0, c.logDeltaAt(alpha, epsilon))), nil
}

// logDeltaAt is ln δ rounded up, so far that its exponential is too. It may be above 0, +Inf where no bound is known: what is more
// than 1 at two orders still tells a search which way to go.
func (c Curve) logDeltaAt(alpha, epsilon float64) float64 {
	d := c(alpha)
	switch {
	case math.IsNaN(d) || d == math.Inf(1):
		return math.Inf(1)
	case d <= 0:
		return math.Inf(-1)
	}
	grow := (alpha - 1) * (d - epsilon)
	shrink := alpha * math.Log1p(-1/alpha)
	scale := math.Log(alpha - 1)
	err := roundoff * (1 + (alpha-1)*(d+epsilon) - shrink + math.Abs(scale))
	return grow + shrink - scale + err
}

// Epsilon returns the smallest ε over all orders for which the curve gives (ε, δ)-DP, rounded up,
// and the order that gave it (+Inf: the max-divergence). At δ = 0 only the max-divergence counts.
// The ε is +Inf where no order gives a bound. The error wraps [ErrDelta].
func (c Curve) Epsilon(delta float64) (eps, order float64, err error) {
	return c.epsilonBy(nil, delta)
}

func (c Curve) epsilonBy(guide *guide, delta float64) (eps, order float64, err error) {
	if err := checkDelta(delta); err != nil {
		return math.NaN(), math.NaN(), err
	}
	order = math.Inf(1)
	eps = c.epsilonAt(order, 0)
	if delta == 0 {
		return eps, order, nil
	}
	if delta == 1 {
		return 0, order, nil
	}
	logDelta := quad.Log(delta)
	alpha, e := c.bestOrder(guide, func(c Curve, alpha float64) float64 { return c.epsilonAt(alpha, logDelta) })
	if e < eps {
		eps, order = e, alpha
	}
	return eps, order, nil
}

// Delta returns the smallest δ over all orders for which the curve gives (ε, δ)-DP, rounded up,
// and the order that gave it: 0 and +Inf where ε reaches the max-divergence. It is 1 where no order
// gives a bound. The error wraps [ErrEpsilon].
func (c Curve) Delta(epsilon float64) (delta, order float64, err error) {
	return c.deltaBy(nil, epsilon)
}

func (c Curve) deltaBy(guide *guide, epsilon float64) (delta, order float64, err error) {
	if err := checkEpsilon(epsilon); err != nil {
		return math.NaN(), math.NaN(), err
	}
	if c.epsilonAt(math.Inf(1), 0) <= epsilon {
		return 0, math.Inf(1), nil
	}
	alpha, logDelta := c.bestOrder(guide, func(c Curve, alpha float64) float64 { return c.logDeltaAt(alpha, epsilon) })
	if math.IsInf(logDelta, -1) {
		return 0, alpha, nil
	}
	return max(math.Exp(min(0, logDelta)), math.SmallestNonzeroFloat64), alpha, nil
}

// minimizeOrder searches the orders α with α − 1 in [1e-7, 1e10] for the least value: a grid of
// eight points per decade, then golden sections around its three lowest local minima. Curves need
// be neither convex nor finite: every order is a valid one, so the search can only cost tightness.
func minimizeOrder(f func(alpha float64) float64) (alpha, value float64) {
	const (
		lo, hi = -7, 10
		per    = 8
		count  = (hi-lo)*per + 1
		step   = math.Ln10 / per
	)
	at := func(u float64) float64 { return f(1 + math.Exp(u)) }
	grid := make([]float64, count)
	node := func(i int) float64 { return lo*math.Ln10 + float64(i)*step }
	for i := range grid {
		grid[i] = at(node(i))
	}
	var minima []int
	for i, v := range grid {
		if (i == 0 || v <= grid[i-1]) && (i == count-1 || v < grid[i+1]) {
			minima = append(minima, i)
		}
	}
	if len(minima) == 0 { // the same value everywhere
		return 1 + math.Exp(node(0)), grid[0]
	}
	slices.SortFunc(minima, func(i, j int) int { return cmp.Compare(grid[i], grid[j]) })
	u, value := node(minima[0]), grid[minima[0]]
	for _, i := range minima[:min(3, len(minima))] {
		if v, fv := quad.Minimize(at, node(max(i-1, 0)), node(min(i+1, count-1))); fv < value {
			u, value = v, fv
		}
	}
	return 1 + math.Exp(u), value
}
