package pld

import (
	"math"
	"sync"
)

// A query is one question to a composition with its plan.
type query struct {
	*Composition
	plan
	scale     float64      // change of ln δ or ε to which the relative tolerance refers
	tolerance float64      // relative error of δ for truncation and aliasing
	target    float64      // rough ln δ
	spectra   [2]*spectrum // of the two discretisations, which run side by side
}

// refine halves the mesh until the interval is narrow enough, four times at most.
//
// Each loss is moved by ξ with E ξ² of h²/6 on average, and h²/12 for the merger of cells, which changes the cumulant by θ(1+θ) E ξ²/2 and ε by (1+θ) Σ E ξ²/2.
func (q *query) refine(o Options, read func(line) float64) Interval {
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
		h = 1
	}
	var best Interval
	for i := range 4 {
		mesh, exact := q.lattice(h)
		r, full := q.run(mesh, exact, o, read)
		if i == 0 {
			best = r
		} else {
			best = Interval{max(best.Lower, r.Lower), min(best.Upper, r.Upper)}
		}
		width := (best.Upper - best.Lower) / best.Upper
		if exact || full || o.UpperOnly || !(width > o.RelTol) {
			break
		}
		h = mesh.width * min(0.7, 0.8*math.Sqrt(o.RelTol/width))
	}
	return best
}

// lattice returns a mesh of about the given width on which all atoms lie if the laws have a common
// lattice. It is exact if there are no other losses.
func (q *query) lattice(width float64) (m mesh, exact bool) {
	m.width = width
	step := 0.0
	exact = true
	for i, t := range q.terms {
		l, ok := t.Law.(Lattice)
		if !ok {
			return m, false
		}
		_, s, only := l.Lattice()
		if i > 0 && s != step {
			return m, false
		}
		step, exact = s, exact && only
	}
	if exact {
		m.width = step
	} else if step > width {
		m.width = step / math.Ceil(step/width)
	} else {
		return m, false
	}
	m.offset = math.NaN() // that of each law
	return m, exact
}

// run composes both discretisations on one mesh; full says that the mesh is as fine as it may be.
func (q *query) run(m mesh, exact bool, o Options, read func(line) float64) (r Interval, full bool) {
	logTol := math.Log(q.tolerance)
	if exact {
		logTol = math.Log(1e-13) // there is no other error, and it is cheap
	}
	// The tail that is cut from all laws together is within the tolerance.
	steps := 0.0
	for _, t := range q.terms {
		steps += float64(t.Count)
	}
	tail := math.Exp(max(-700, q.target+logTol-math.Log(2*steps)))
	up := q.coarse.upperTilt(q.theta, q.target+logTol)
	right := q.coarse.moment(up).mean
	if um := q.coarse.moment(up); q.coarse.exhausted(up, um) {
		right = q.coarse.top() + steps*m.width // each node is at most one cell above its loss
	}
	margin := 0.05*q.sd + 2*m.width
	w := q.window(right, logTol)
	left, right := w.left-margin, max(w.right, right)+margin
	if need := (right - left) / m.width; need > float64(o.MaxPoints) {
		full, exact = true, false
		m.width, m.offset = (right-left)/float64(o.MaxPoints), 0
	}
	n := fastLength(int(math.Ceil((right-left)/m.width)) + 4)
	full = full || 2*len(q.terms)*n > 8*o.MaxPoints
	w.n, w.left, w.up = n, left, up
	var wait sync.WaitGroup
	if !o.UpperOnly {
		wait.Go(func() { r.Lower = read(q.compose(m, exact, tail, w, true)) })
	}
	r.Upper = read(q.compose(m, exact, tail, w, false))
	wait.Wait()
	return r, full
}
