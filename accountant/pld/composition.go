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
	// UpperOnly leaves the lower end at 0 and does not refine.
	UpperOnly bool
}

// Composition is the product of the pairs of all terms. It is safe for concurrent use.
type Composition struct {
	terms  []Term
	coarse sum
}

// Compose merges Gaussian laws into one, exactly, and plans the rest. No terms reveal nothing.
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
	logDelta := quad.Log(delta)
	p := c.coarse.planDelta(logDelta)
	q := query{
		Composition: c, plan: p, scale: max(p.center, 0),
		tolerance: c.tolerance(p, max(p.center, 0), o.RelTol), target: logDelta,
	}
	r := q.refine(o, func(l line) float64 { return l.epsilonAt(delta) })
	r.Upper = min(r.Upper, top)
	r.Lower = min(r.Lower, r.Upper)
	return r, nil
}

// Delta returns δ(ε) for a finite ε ≥ 0. The error wraps [ErrParameter].
func (c *Composition) Delta(epsilon float64, o Options) (Interval, error) {
	if !(epsilon >= 0) || math.IsInf(epsilon, 1) {
		return Interval{math.NaN(), math.NaN()}, fmt.Errorf("pld: epsilon: got %g, want a finite number, at least 0: %w", epsilon, ErrParameter)
	}
	if err := o.fill(); err != nil {
		return Interval{math.NaN(), math.NaN()}, err
	}
	infinite := c.infinite()
	if len(c.terms) == 0 || epsilon >= c.top() {
		return Interval{infinite * (1 - 0x1p-40), infinite}, nil
	}
	p := c.coarse.planEpsilon(epsilon)
	q := query{
		Composition: c, plan: p, scale: 1 / (p.theta + 1/p.sd),
		tolerance: 2e-4 * o.RelTol, target: p.logDelta,
	}
	r := q.refine(o, func(l line) float64 { return l.deltaAt(epsilon) })
	r.Upper = min(1, r.Upper)
	r.Lower = min(r.Lower, r.Upper)
	return r, nil
}

func (o *Options) fill() error {
	if o.RelTol == 0 {
		o.RelTol = 1e-4
	}
	if o.MaxPoints == 0 {
		o.MaxPoints = 1 << 20
	}
	if !(o.RelTol > 0) || o.MaxPoints < 16 {
		return fmt.Errorf("pld: options: got %+v, want a positive RelTol and MaxPoints of at least 16: %w", *o, ErrParameter)
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

// tolerance is the relative error of δ that truncation and aliasing may cause.
func (c *Composition) tolerance(p plan, epsilon, relTol float64) float64 {
	return min(1e-5, max(1e-12, 2e-3*relTol*epsilon*(p.theta+1/p.sd)))
}

// A query is one question to a composition with its plan.
type query struct {
	*Composition
	plan
	scale     float64 // change of ln δ or ε to which the relative tolerance refers
	tolerance float64 // relative error of δ for truncation and aliasing
	target    float64 // rough ln δ
	spectrum  *spectrum
}

// refine halves the mesh until the interval is narrow enough, four times at most.
//
// Each loss is moved by ξ with variance up to h²/4 + …, h²/6 on average and h²/12 for the
// merger of cells, which changes the cumulant by θ(1+θ) E ξ²/2 and ε by (1+θ) Σ E ξ²/2.
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
	if q.spectrum == nil || len(q.spectrum.seq) != n {
		q.spectrum = newSpectrum(n)
	}
	full = full || 2*len(q.terms)*n > 8*o.MaxPoints
	w.n, w.left, w.up = n, left, up
	r.Upper = read(q.compose(m, exact, tail, w, false))
	if !o.UpperOnly {
		r.Lower = read(q.compose(m, exact, tail, w, true))
	}
	return r, full
}

// A window is the stretch of losses on which the composition is computed.
type window struct {
	n             int
	theta         float64 // tilt
	left, right   float64
	up, far, down float64 // tilts of the Chernoff bounds on what lies outside
}

// window chooses a tilt, of those up to the plan's, for which it is short: the tilt brings a heavy tail up. The
// right end is at least the given one.
func (q *query) window(right, logTol float64) (best window) {
	for _, share := range []float64{1, 0.75, 0.5} {
		theta := share * q.theta
		m := q.coarse.moment(theta)
		// The tilted mass that counts is about δ e^{θε − K(θ)}.
		logDrop := min(0, q.target+theta*q.center-m.k)
		w := window{theta: theta}
		w.down = q.coarse.lowerTilt(theta, logTol+logDrop)
		w.left = q.coarse.moment(w.down).mean
		w.far = q.coarse.farTilt(theta, logTol+logDrop)
		w.right = max(right, q.coarse.moment(w.far).mean-(q.center-w.left))
		if share == 1 || w.right-w.left < 0.9*(best.right-best.left) {
			best = w
		}
	}
	return best
}

// tilted returns the masses of a discretised law, tilted by θ and divided by e^k; atoms of it for
// cumulants; and a bound on the relative error of the masses.
func (d lattice) tilted(theta float64, count int, top float64) (a atoms, mass []float64, k, err float64) {
	a = atoms{count: float64(count), top: top, loss: make([]float64, 0, len(d.p)), logMass: make([]float64, 0, len(d.p))}
	mass = make([]float64, len(d.p))
	for i, p := range d.p {
		if p > 0 {
			a.loss = append(a.loss, d.at(d.node[i]))
			a.logMass = append(a.logMass, math.Log(p))
		}
	}
	if len(a.loss) == 0 {
		return a, mass, 0, 0
	}
	k = a.moment(theta).k
	for i, p := range d.p {
		if p > 0 {
			u := theta*d.at(d.node[i]) - k
			if u > 700 || p < 1e-290 {
				mass[i] = math.Exp(u + math.Log(p))
			} else {
				mass[i] = p * math.Exp(u)
			}
			if mass[i] > 1e-25 {
				err = max(err, math.Abs(u)+math.Abs(k))
			}
		}
	}
	return a, mass, k, (4 + 2*err) * 0x1p-52
}

// compose convolves one discretisation of all terms.
func (q *query) compose(m mesh, exact bool, tail float64, w window, low bool) line {
	s := q.spectrum
	s.reset()
	perLaw := math.IsNaN(m.offset)
	var all sum
	l := line{mesh: mesh{width: m.width}, theta: w.theta, low: low}
	discretise := pessimistic
	if low {
		discretise = optimistic
	}
	reach, floor := 0.0, 0.0
	log, rel, shift, slack := 0.0, 0.0, 0.0, 0.0
	for i, t := range q.terms {
		tm := q.tilted[i]
		own := m
		own.center = tm.mean
		own.growth = min(1./16, m.width/(4*math.Sqrt(tm.variance)))
		if exact || tm.variance == 0 {
			own.growth = 0
		}
		own.offset = 0
		if l, ok := t.Law.(Lattice); ok {
			// The optimistic law has its trouble with an atom at the top that is not a node.
			own.offset, _, _ = l.Lattice()
			if !perLaw {
				_, own.offset = t.Law.Range(0)
			}
			if k := math.Round(own.offset / m.width); !perLaw {
				own.offset -= k * m.width
			}
		}
		d := discretise(t.Law, own, tail)
		count := float64(t.Count)
		a, mass, k, err := d.tilted(w.theta, t.Count, q.coarse[i].top)
		if len(a.loss) == 0 {
			k = 0 // all is at +∞, or cut
			a.loss, a.logMass = []float64{0}, []float64{math.Inf(-1)}
		}
		s.multiply(d.node, mass, t.Count)
		all = append(all, a)
		l.k += count * k
		l.offset += count * own.offset
		log += count * math.Log1p(-min(d.infinite, 1))
		slack += count * d.slack
		bottom, top := d.at(d.node[0]), d.at(d.node[len(d.node)-1])
		reach += count * top
		floor += count * bottom
		shift += count * 2 * lawError * (1 + max(math.Abs(bottom), math.Abs(top)))
		// Every term rounds the sums of cumulants and offsets once more.
		rel += count*(err+2*lawError) + count*math.Abs(k)*float64(len(q.terms))*0x1p-51
		shift += count * math.Abs(own.offset) * float64(len(q.terms)) * 0x1p-51
	}
	l.first = int64(math.Floor((w.left - l.offset) / m.width))
	l.infinite = certain(log)
	l.slack, l.rel, l.shift = slack, rel, shift
	p, err := s.invert()
	l.drop = make([]float64, w.n)
	// δ(l_k) = e^{K − θ l_k} Σ_{j>k} p_j e^{−θ(l_j − l_k)} (1 − e^{−(l_j − l_k)}), by positive recursions.
	decay, ratio, part := math.Exp(-w.theta*m.width), math.Exp(-m.width), -math.Expm1(-m.width)
	tailSum, drop := 0.0, 0.0
	weight, weights, top := 1.0, 0.0, 0.0
	gone := 1.0
	for j := w.n - 1; j >= 0; j-- {
		l.drop[j] = drop
		k := (l.first + int64(j)) % int64(w.n)
		if k < 0 {
			k += int64(w.n)
		}
		tailSum += p[k]
		drop = decay * (tailSum*part + ratio*drop)
		tailSum *= decay
		weight *= decay
		gone *= ratio
		v := weight * (1 - gone)
		weights += v * v
		top = max(top, v)
	}
	l.noise = err * math.Sqrt(weights)
	l.outside = outside{
		theta: w.theta, k: all.moment(w.theta).k, up: w.up, kUp: all.moment(w.up).k,
		far: w.far, kFar: all.moment(w.far).k, down: w.down, kDown: all.moment(w.down).k,
		left: l.at(l.first), right: l.at(l.first + int64(w.n)), floor: floor, reach: reach, heaviest: top,
	}
	return l
}

// Rough returns an estimate of the ε at δ without bounds, some percent off, to start a search from.
func (c *Composition) Rough(delta float64) float64 {
	if len(c.terms) == 0 || !(delta > 0) {
		return 0
	}
	return max(0, c.coarse.planDelta(quad.Log(delta)).center)
}

// Revealing reports whether the loss is certainly +∞.
func (c *Composition) Revealing() bool { return c.infinite() >= 1 }
