package pld

import (
	"math"
	"slices"
	"sync"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// A query is one question to a composition with its plan.
type query struct {
	*Composition
	plan
	scale     float64      // change of ln δ or ε to which the relative tolerance refers
	tolerance float64      // relative error of δ for truncation and aliasing
	target    float64      // rough ln δ
	smooth    bool         // the optimistic discretisation is that by tangents
	least     float64      // loss that the window must hold: about the ε
	coarse    sum          // without the tails that are cut
	spectra   [2]*spectrum // of the two discretisations, which run side by side
}

// tail is the mass of each law that is cut off at either end: that of all together is within the tolerance.
func (c *Composition) tail(target, tolerance float64) float64 {
	steps := 0.0
	for _, t := range c.terms {
		steps += float64(t.Count)
	}
	return math.Exp(max(-700, target+math.Log(tolerance)-math.Log(2*steps)))
}

// atDelta plans the ε at δ.
func (c *Composition) atDelta(logDelta float64, o Options) query {
	q := query{Composition: c, tolerance: 1e-5, target: logDelta}
	for range 2 {
		q.coarse = c.coarse.cut(c.terms, c.tail(logDelta, q.tolerance))
		q.plan = q.coarse.planDelta(logDelta)
		q.scale = max(q.center, 0)
		q.least = q.center + 1.1*quad.Log1mExp(min(-1e-3, logDelta)) // as if the loss were certain
		// What truncation and aliasing may change δ by.
		tolerance := min(1e-5, max(1e-12, 2e-3*o.RelTol*q.scale*(q.theta+1/q.sd)))
		if tolerance == q.tolerance {
			break
		}
		q.tolerance = tolerance
	}
	return q
}

// atEpsilon plans the δ at ε.
func (c *Composition) atEpsilon(epsilon float64, o Options) query {
	q := query{Composition: c, tolerance: 2e-4 * o.RelTol, coarse: c.coarse}
	q.plan = q.coarse.planEpsilon(epsilon)
	q.target = q.logDelta
	// A heavy tail makes the first estimate wrong: too high, and what is cut by it may be all that counts.
	for range 24 {
		q.coarse = c.coarse.cut(c.terms, c.tail(q.target, q.tolerance))
		if top := q.coarse.top(); top <= epsilon*(1+1e-9) && q.target > -700 {
			q.target -= 30
			continue
		}
		q.plan = q.coarse.planEpsilon(epsilon)
		last := q.target
		q.target = min(q.target, q.logDelta)
		if !(q.target < last-1) {
			break
		}
	}
	q.scale = 1 / (q.theta + 1/q.sd)
	q.least = epsilon
	return q
}

// refine makes the mesh finer until the interval, of which known is a superset, is narrow enough, seven times at most. It
// held if it was. One that is hopeless after both optimistic discretisations is given up, if that is wanted.
//
// Each loss is moved by ξ with E ξ² of h²/6 on average, and h²/12 for the merger of cells, which changes the cumulant by θ(1+θ) E ξ²/2 and ε by (1+θ) Σ E ξ²/2.
func (q *query) refine(o Options, known Interval, hopeless float64, read func(line) float64) (best Interval, held bool) {
	steps := 0.0
	for _, t := range q.terms {
		steps += float64(t.Count)
	}
	tilt := q.theta + 1/q.sd
	h := math.Sqrt(0.8 * o.RelTol * q.scale / ((1 + tilt) * steps))
	if !(h > 0) {
		h = q.sd / math.Sqrt(steps) / 100
	}
	if q.sd == 0 {
		h = max(1e-3*math.Abs(q.center), 1e-300)
	}
	best = known
	defer func() { // no line of theirs is read any more
		for i := range q.spectra {
			q.spectra[i].rest()
			q.spectra[i] = nil
		}
	}()
	for i := range 8 { // the optimistic discretisations take turns
		mesh, exact := q.lattice(h)
		q.smooth = i%2 == 0
		r, full := q.run(mesh, exact, o, read)
		best = best.narrowed(r)
		width := best.width()
		if width <= o.RelTol {
			return best, true
		}
		if exact || full && (i > 0 || width < 10*o.RelTol) || i > 0 && width > hopeless {
			break
		}
		finer := min(0.7, 0.8*math.Sqrt(o.RelTol/width))
		if i == 0 {
			finer = max(finer, 0.2) // the other optimistic law may do
		}
		h = mesh.width * finer
	}
	return best, false
}

// narrowed is the intersection with the interval of another mesh. One whose lower end is above the upper one, or NaN, is of a
// mesh that failed and says nothing; two that exclude each other say no more than what both allow.
func (r Interval) narrowed(s Interval) Interval {
	if !(s.Lower <= s.Upper*(1+0x1p-30)) {
		return r
	}
	t := Interval{max(r.Lower, s.Lower), min(r.Upper, s.Upper)}
	if t.Lower > t.Upper*(1+0x1p-30) {
		return Interval{min(r.Lower, s.Lower), max(r.Upper, s.Upper)}
	}
	t.Lower = min(t.Lower, t.Upper)
	return t
}

// width is relative to the upper end.
func (r Interval) width() float64 {
	if r.Upper <= r.Lower {
		return 0
	}
	if math.IsInf(r.Upper, 1) {
		return 1
	}
	return (r.Upper - r.Lower) / r.Upper
}

// lattice returns a mesh of about the given width on which all atoms lie if the laws have a common
// lattice. It is exact if there are no other losses.
func (q *query) lattice(width float64) (m mesh, exact bool) {
	m.width = width
	step, exact := q.commonStep()
	switch {
	case step == 0:
		return m, false
	case exact:
		m.width = step
	case step > width:
		m.width = step / math.Ceil(step/width)
	default:
		return m, false
	}
	m.offset = math.NaN() // that of each law
	return m, exact
}

// widest returns the mesh of the given width, or a little more, that the points suffice for: on the common lattice of the laws where
// that is not finer, so that their atoms stay nodes.
func (q *query) widest(width float64) mesh {
	if step, _ := q.commonStep(); step > width {
		return mesh{width: step / math.Floor(step/width), offset: math.NaN()}
	}
	return mesh{width: width}
}

// commonStep returns a number that the steps of all laws are multiples of, so far as rounding tells, 0 without one,
// and whether the laws have no losses but on their lattices.
func (q *query) commonStep() (step float64, only bool) {
	only = true
	steps := make([]float64, len(q.terms))
	least := math.Inf(1)
	for i, t := range q.terms {
		l, ok := t.Law.(Lattice)
		if !ok {
			return 0, false
		}
		_, s, o := l.Lattice()
		steps[i], only, least = s, only && o, min(least, s)
	}
	for part := 1.0; part <= 32; part++ {
		step = least / part
		if !slices.ContainsFunc(steps, func(s float64) bool {
			r := s / step
			return r > 1e5 || math.Abs(r-math.Round(r)) > 0x1p-51*r
		}) {
			return step, only
		}
	}
	return 0, false
}

// run composes both discretisations on one mesh; full says that the mesh is as fine as it may be.
func (q *query) run(m mesh, exact bool, o Options, read func(line) float64) (r Interval, full bool) {
	logTol := math.Log(q.tolerance)
	if exact {
		logTol = math.Log(1e-13) // there is no other error, and it is cheap
	}
	steps := 0.0
	for _, t := range q.terms {
		steps += float64(t.Count)
	}
	tail := q.tail(q.target, math.Exp(logTol))
	up, right := q.coarse.above(0, q.target+logTol)
	// Each node is at most one width away from its losses.
	floor, reach := q.coarse.bottom()-steps*m.width, q.coarse.top()+steps*m.width
	right = min(right, reach)
	// Near a phase transition the plan may be vague on the tail of the discretised laws: then they say where it ends.
	for try := range 3 {
		w := q.window(right, logTol, floor, reach)
		margin := 0.05*q.sd + 2*m.width
		w.left -= margin
		length := w.right + margin - w.left
		if length > m.width*float64(o.MaxPoints) {
			full, exact = true, false
			m = q.widest(length / float64(o.MaxPoints))
		}
		w.n, w.up = fastLength(int(math.Ceil(length/m.width))+4), up
		full = full || 2*len(q.terms)*w.n > 8*o.MaxPoints
		var wait sync.WaitGroup
		wait.Go(func() { r.Lower = read(q.compose(m, exact, tail, w, true)) })
		l := q.compose(m, exact, tail, w, false)
		r.Upper = read(l)
		wait.Wait()
		if !(math.Log(l.outside.beyond()) > q.target+logTol+1) || try == 2 {
			break
		}
		up, right = l.atoms.above(0, q.target+logTol)
		right = min(right, l.outside.reach+m.width)
	}
	return r, full
}
