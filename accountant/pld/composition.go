package pld

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// An Interval bounds a number from both sides.
type Interval struct{ Lower, Upper float64 }

// Options tune a query. The zero value asks for the defaults.
type Options struct {
	// RelTol is the width of the interval that is accepted, relative to its upper end; the first
	// mesh aims for a fifth of it. 0 stands for 1e-4.
	RelTol float64
	// MaxPoints bounds the length of the transforms, and an eighth of their length times the number of distinct terms
	// before the mesh is refined again; the interval is wider where it is reached.
	// 0 stands for 2^20.
	MaxPoints int
	// UpperOnly leaves the lower end at 0, and takes the first mesh whose interval is not wider than ten times RelTol.
	UpperOnly bool
	// Beside ends the search where the upper end is at most it: the answer for another direction, beside whose lower end
	// this one does not count. 0 stands for none.
	Beside float64
}

// Composition is the product of the pairs of all terms. It is safe for concurrent use.
type Composition struct {
	terms  []Term
	coarse sum
	failed failures
}

// Compose merges Gaussian laws into one and failures into one, exactly, and plans the rest. No terms reveal nothing.
// The error wraps [ErrParameter].
func Compose(terms ...Term) (*Composition, error) {
	c := &Composition{}
	square := 0.0
	for i, t := range terms {
		if t.Law == nil || t.Count < 1 {
			return nil, fmt.Errorf("pld: term %d of %d: got law %v, count %d, want a law and a count of at least 1: %w",
				i+1, len(terms), t.Law, t.Count, ErrParameter)
		}
		if g, ok := t.Law.(gaussian); ok {
			square = quad.AddUp(square, quad.MulUp(float64(t.Count), quad.MulUp(g.mu, g.mu)))
			continue
		}
		if f, ok := t.Law.(failure); ok {
			c.failed.add(f, t.Count)
			continue
		}
		c.terms = append(c.terms, t)
	}
	if square > 0 {
		g, err := NewGaussian(quad.SqrtUp(square))
		if err != nil {
			return nil, err
		}
		c.terms = append(c.terms, Term{g, 1})
	}
	cells := 8
	if len(c.terms) > 16 {
		cells = 3
	}
	for _, t := range c.terms {
		c.coarse = append(c.coarse, coarse(t, cells))
	}
	return c, nil
}

// infinite returns P(L = +∞), rounded up.
func (c *Composition) infinite() float64 {
	log := 0.0
	for _, t := range c.terms {
		log += float64(t.Count) * math.Log1p(-t.Law.Infinite())
	}
	return certain(log)
}

// certain returns 1 − e^log, rounded up, for the logarithm of the probability of a finite loss.
func certain(log float64) float64 {
	if log == 0 {
		return 0
	}
	return min(1, quad.Inflate(-math.Expm1(log), 0x1p-45))
}

// Epsilon returns the least ε ≥ 0 with δ(ε) ≤ delta; +Inf where there is none. The error wraps
// [ErrParameter].
func (c *Composition) Epsilon(delta float64, o Options) (Interval, error) {
	if !(delta >= 0 && delta <= 1) {
		return Interval{math.NaN(), math.NaN()}, fmt.Errorf("pld: delta: got %g, want a number in [0, 1]: %w", delta, ErrParameter)
	}
	if err := o.fill(); err != nil {
		return Interval{math.NaN(), math.NaN()}, err
	}
	if c.failed.up > 0 {
		return c.failed.epsilon(delta, func(delta float64) (Interval, error) { return c.unfailing().Epsilon(delta, o) })
	}
	infinite := c.infinite()
	top := c.top()
	switch {
	case len(c.terms) == 0 || delta == 1:
		return Interval{}, nil
	case delta == 0 && infinite == 0:
		return Interval{c.coarse.top() * (1 - 0x1p-40), top}, nil
	case delta == 0 || infinite >= delta*(1+0x1p-40):
		return Interval{math.Inf(1), math.Inf(1)}, nil
	case infinite >= delta:
		return Interval{0, math.Inf(1)}, nil
	}
	known := Interval{c.reached(delta), top}
	if law, ok := c.single(); ok {
		return known.narrowed(singleEpsilon(law, delta)).answer(o), nil
	}
	logDelta := quad.Log(delta)
	read := func(l line) float64 { return l.epsilonAt(delta) }
	if q := c.atDelta(logDelta, o); q.theta == 0 {
		// δ(0) may be below: no mesh is too coarse to show that.
		d, err := c.Delta(0, Options{RelTol: 1e-2, UpperOnly: true, MaxPoints: min(o.MaxPoints, 1<<16)})
		if err != nil || d.Upper <= delta {
			return Interval{}, err
		}
	}
	r := c.search(o, known, 1, func(o Options, known Interval, hopeless float64) (Interval, bool) {
		q := c.atDelta(logDelta, o)
		return q.refine(o, known, hopeless, read)
	}, func(growth float64, last Interval, work *int) Interval {
		return c.epsilonBySquaring(delta, growth, last.Lower, work)
	})
	return r.answer(o), nil
}

// reached bounds the ε at δ from below by the largest loss alone: δ(ε) ≥ P(L = top)(1 − e^{ε − top}).
func (c *Composition) reached(delta float64) float64 {
	top, log := 0.0, 0.0
	for _, t := range c.terms {
		_, hi := t.Law.Range(0)
		if hi -= 0x1p-44 * math.Abs(hi); !(hi < math.MaxFloat64) {
			return 0
		}
		top += float64(t.Count) * hi
		log += float64(t.Count) * math.Log(t.Law.Tails(hi).PAbove*(1-0x1p-44))
	}
	share := delta / math.Exp(log-0x1p-48*math.Abs(log))
	if !(share < 1) {
		return 0
	}
	return max(0, top-0x1p-44*math.Abs(top)+math.Log1p(-share))
}

// Delta returns δ(ε) for a finite ε ≥ 0. The error wraps [ErrParameter].
func (c *Composition) Delta(epsilon float64, o Options) (Interval, error) {
	if !(epsilon >= 0) || math.IsInf(epsilon, 1) {
		return Interval{math.NaN(), math.NaN()}, fmt.Errorf("pld: epsilon: got %g, want a finite number, at least 0: %w", epsilon, ErrParameter)
	}
	if err := o.fill(); err != nil {
		return Interval{math.NaN(), math.NaN()}, err
	}
	if c.failed.up > 0 {
		r, err := c.unfailing().Delta(epsilon, o)
		return c.failed.delta(r).answer(o), err
	}
	infinite := c.infinite()
	if len(c.terms) == 0 || epsilon >= c.top() {
		return Interval{infinite * (1 - 0x1p-40), infinite}, nil
	}
	known := Interval{infinite * (1 - 0x1p-40), 1}
	if law, ok := c.single(); ok {
		return known.narrowed(singleDelta(law, epsilon)).positive().answer(o), nil
	}
	read := func(l line) float64 { return l.deltaAt(epsilon) }
	r := c.search(o, known, 10, func(o Options, known Interval, hopeless float64) (Interval, bool) {
		q := c.atEpsilon(epsilon, o)
		return q.refine(o, known, hopeless, read)
	}, func(growth float64, last Interval, work *int) Interval {
		return c.deltaBySquaring(epsilon, last, growth, work)
	})
	return r.positive().answer(o), nil
}

// positive is the interval of a δ that is not 0, however small: a loss above ε is possible.
func (r Interval) positive() Interval {
	r.Upper = max(r.Upper, math.SmallestNonzeroFloat64)
	return r
}

// unfailing is the composition without its mere failures.
func (c *Composition) unfailing() *Composition { return &Composition{terms: c.terms, coarse: c.coarse} }

// answer is what is told of an interval.
func (r Interval) answer(o Options) Interval {
	if o.UpperOnly {
		r.Lower = 0
	}
	return r
}

func (o *Options) fill() error {
	if o.RelTol == 0 {
		o.RelTol = 1e-4
	}
	if o.MaxPoints == 0 {
		o.MaxPoints = 1 << 20
	}
	if !(o.RelTol > 0) || o.MaxPoints < 16 || !(o.Beside >= 0) {
		return fmt.Errorf("pld: options: got %+v, want a positive RelTol, MaxPoints of at least 16 and Beside of at least 0: %w", *o, ErrParameter)
	}
	return nil
}

// top is the supremum of the finite losses, rounded up.
func (c *Composition) top() float64 {
	t := 0.0
	for _, a := range c.coarse {
		t = quad.AddUp(t, quad.MulUp(a.count, max(0, a.top)))
	}
	return quad.Inflate(t, 0x1p-50)
}

// Rough returns an estimate of the ε at δ without bounds, some percent off, to start a search from.
func (c *Composition) Rough(delta float64) float64 {
	if len(c.terms) == 0 || !(delta > 0) {
		return 0
	}
	if delta -= c.failed.up; !(delta > 0) {
		return math.Inf(1)
	}
	return max(0, c.atDelta(quad.Log(delta), Options{RelTol: 1e-2}).center)
}

// Revealing reports whether the loss is certainly +∞.
func (c *Composition) Revealing() bool { return c.infinite() >= 1 || c.failed.low >= 1-0x1p-40 }
