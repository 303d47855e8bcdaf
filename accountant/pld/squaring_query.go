package pld

import (
	"math"
	"sync"
)

// both composes by squaring in both directions.
func (c *Composition) both(growth, target, least float64, work *int) (low, up cloud) {
	d := ladder{growth: growth, target: target, least: least, work: work}
	for _, t := range c.terms {
		d.total += float64(t.Count)
	}
	var wait sync.WaitGroup
	tail := d.target * cutShare / (2 * d.total)
	wait.Go(func() {
		l := d
		l.low, l.work = true, new(int)
		low = l.compose(c.terms, tail)
	})
	up = d.compose(c.terms, tail)
	wait.Wait()
	return low, up
}

// epsilonBySquaring bounds the ε at δ, of which least is a lower bound.
func (c *Composition) epsilonBySquaring(delta, growth, least float64, work *int) Interval {
	low, up := c.both(growth, delta, 3e-2*growth*least, work)
	infinite := c.infinite()
	r := Interval{Upper: math.Inf(1)}
	if rest := (delta - infinite - up.lost) / math.Exp(up.rel) * (1 - 0x1p-40); rest > 0 {
		r.Upper = max(0, up.epsilonAt(rest)+up.shift)
	}
	if rest := (delta - infinite*(1-0x1p-40)) * math.Exp(low.rel) * (1 + 0x1p-40); rest > 0 {
		r.Lower = max(0, low.epsilonAt(rest)-low.shift)
	}
	return r
}

// leastTarget is the least δ that masses are kept for; of smaller ones that bound is told, or a little less.
const leastTarget = 1e-290

// deltaBySquaring bounds the δ at ε. What is cut must be small against it: where nothing else is known, smaller masses are kept
// until it is, or until they are the least.
func (c *Composition) deltaBySquaring(epsilon float64, known Interval, growth float64, work *int) (r Interval) {
	infinite := c.infinite()
	for target := max(known.Upper, leastTarget); ; target = max(leastTarget, r.Upper) {
		low, up := c.both(growth, target, 3e-2*growth*epsilon, work)
		r = Interval{
			Lower: infinite*(1-0x1p-40) + low.deltaAt(epsilon+low.shift)*math.Exp(-low.rel)*(1-0x1p-40),
			Upper: min(1, infinite+up.lost+up.deltaAt(epsilon-up.shift)*math.Exp(up.rel)*(1+0x1p-40)),
		}
		if !(up.lost > 1e-4*r.Upper && r.Upper < target && target > leastTarget) {
			return r
		}
	}
}
