package pld

import "math"

// The widths from which on an answer is looked for in another way, relative to ε; those of δ are ten times as wide.
const (
	firstTol    = 1e-3    // tolerance of the first transform
	firstPoints = 1 << 17 // and its points at the most
	lost        = 0.2     // no finer mesh of a transform will do
	wide        = 3e-3    // squaring may do better
	finestRun   = 0.01    // last growth of the nodes for squaring
)

// search narrows an interval by one way after another: transforms at ten times smaller tolerances each, and squaring where they fail.
// What is done depends on the tolerance only by where it ends, so that a smaller one never gives a wider
// interval. Widths are in units of unit.
func (c *Composition) search(
	o Options, known Interval, unit float64,
	transform func(o Options, known Interval, hopeless float64) (Interval, bool),
	square func(growth float64, last Interval, work *int) Interval,
) Interval {
	best, enough, first := known, o.RelTol, firstTol
	if o.UpperOnly {
		first, enough = o.RelTol, 10*o.RelTol
	}
	level := first
	// A mesh aims for a fifth of its tolerance: one of a larger tolerance is enough where it is as good.
	done := func() bool {
		return best.width() <= enough/5 || level <= 1.001*enough && best.width() <= enough || best.Upper <= o.Beside
	}
	at := func(tol float64, points int, hopeless float64) (width float64, held bool) {
		p := o
		p.RelTol, p.MaxPoints = tol, min(points, o.MaxPoints)
		r, held := transform(p, known, hopeless)
		best = best.narrowed(r)
		return r.width(), held
	}
	width, held := at(first, firstPoints, lost*unit)
	if done() {
		return best
	}
	if !held {
		if best.width() > wide*unit {
			best = c.bySquaring(o, best, enough, square)
		}
		// More points cost time: where few of them said something, or all else failed.
		if hopeless := width > lost*unit; !done() && (!hopeless || best.width() > 10*wide*unit) {
			_, held = at(first, math.MaxInt, math.Inf(1))
		}
	}
	for held && !done() && level > 1e-13 {
		level /= 10
		_, held = at(level, math.MaxInt, math.Inf(1))
	}
	return best
}

// bySquaring halves the distances of nodes until the interval is narrow enough, or costs too much.
func (c *Composition) bySquaring(o Options, best Interval, enough float64, square func(growth float64, last Interval, work *int) Interval) Interval {
	for growth := 0.08; growth >= finestRun && best.width() > enough && best.Upper > o.Beside; growth /= 2 {
		work := 0
		best = best.narrowed(square(growth, best, &work))
		if 4*work > 512*o.MaxPoints {
			break
		}
	}
	return best
}

// single is the law of a composition that is one.
func (c *Composition) single() (Law, bool) {
	if len(c.terms) == 1 && c.terms[0].Count == 1 {
		return c.terms[0].Law, true
	}
	return nil, false
}

// singleDelta bounds the profile of one law, P(L > ε) − e^ε Q(L > ε) + P(L = ∞), by its tails and what those may be wrong by.
func singleDelta(law Law, epsilon float64) Interval {
	up, _ := singleBounds(law, epsilon*(1-lawError))
	_, low := singleBounds(law, epsilon*(1+lawError))
	return Interval{low, min(1, up)}
}

func singleBounds(law Law, epsilon float64) (up, low float64) {
	t := law.Tails(epsilon)
	infinite := law.Infinite()
	err := lawError * (t.PAbove + t.QAbove)
	d := t.PAbove - t.QAbove
	return max(0, d) + err + infinite*(1+0x1p-50), max(0, d-err) + infinite*(1-0x1p-50)
}

// singleEpsilon bounds the ε at δ of one law.
func singleEpsilon(law Law, delta float64) Interval {
	_, hi := law.Range(0)
	if hi >= math.MaxFloat64 {
		_, hi = law.Range(0.1 * delta)
	}
	hi = max(0, hi) * (1 + lawError)
	upper := leastRoot(hi, func(e float64) bool { up, _ := singleBounds(law, e); return up <= delta })
	lower := leastRoot(hi, func(e float64) bool { _, low := singleBounds(law, e); return low <= delta })
	return Interval{max(0, lower*(1-2*lawError)), upper * (1 + 2*lawError)}
}

// leastRoot is the end of [0, hi] from which on the condition holds, from above, and hi where it does not hold.
func leastRoot(hi float64, holds func(float64) bool) float64 {
	if holds(0) {
		return 0
	}
	lo := 0.0
	for range 1100 { // from the largest to the least number
		mid := lo + (hi-lo)/2
		if lo < hi/16 { // of numbers of other sizes, the exponent first
			mid = hi / 4
		}
		if !(mid > lo && mid < hi) || hi-lo < 0x1p-50*hi {
			break
		}
		if holds(mid) {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi
}
