package pld

import (
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// atoms is a sub-probability on losses, with logarithms of its masses.
type atoms struct {
	loss, logMass []float64
	count         float64 // times that it is composed
	bottom, top   float64 // hull of the law's finite losses
}

// A moment has the cumulant K(θ) = ln E e^{θL} of one law or of a sum, with its first two derivatives:
// mean and variance of the tilted law.
type moment struct{ k, mean, variance float64 }

func (a atoms) moment(theta float64) moment {
	peak := math.Inf(-1)
	for i, l := range a.loss {
		peak = max(peak, a.logMass[i]+theta*l)
	}
	var s0, s1, s2 float64
	// Moments about the first loss near the peak would need another pass; about the middle is enough.
	center := a.loss[len(a.loss)/2]
	for i, l := range a.loss {
		u := a.logMass[i] + theta*l - peak
		if u < -60 {
			continue
		}
		w := math.Exp(u)
		d := l - center
		s0 += w
		s1 += w * d
		s2 += w * d * d
	}
	mean := s1 / s0
	return moment{peak + math.Log(s0), center + mean, max(0, s2/s0-mean*mean)}
}

// A sum is the composition of independent losses.
type sum []atoms

func (s sum) moment(theta float64) moment {
	var t moment
	for _, a := range s {
		m := a.moment(theta)
		t.k += a.count * m.k
		t.mean += a.count * m.mean
		t.variance += a.count * m.variance
	}
	return t
}

// logTail is ln of the Chernoff bound exp(K(θ) − θK'(θ)) on P(L ≥ K'(θ)); it falls with θ.
func (m moment) logTail(theta float64) float64 { return m.k - theta*m.mean }

// logDelta is the saddle-point approximation of ln δ(K'(θ)), θ ≥ 0: the tilted sum is taken as Gaussian.
func (m moment) logDelta(theta float64) float64 {
	sd := math.Sqrt(m.variance)
	if sd == 0 {
		return m.logTail(theta)
	}
	drop := quad.Mills(theta*sd) - quad.Mills((theta+1)*sd)
	if !(drop > 0) {
		drop = quad.Mills(theta*sd) / (theta + 1)
	}
	return m.logTail(theta) + math.Log(drop) - 0.9189385332046727
}

// coarse represents a law by a few hundred cells between its quantiles, to plan with; nothing that is
// returned rests on it.
func coarse(t Term, cells int) atoms {
	levels := []float64{1, 2, 3, 4, 6, 8, 11, 15, 20, 27, 36, 48, 64, 85, 113, 150, 200, 266, 354, 470, 626, 834, 1020}
	var at []float64
	for _, e := range levels {
		lo, hi := t.Law.Range(math.Exp2(-e))
		at = append(at, lo, hi)
	}
	bottom, top := t.Law.Range(0)
	slices.Sort(at)
	at = slices.Compact(at)
	a := atoms{count: float64(t.Count), bottom: bottom, top: top}
	add := func(loss, p float64) {
		if p > 0 {
			a.loss = append(a.loss, loss)
			a.logMass = append(a.logMass, math.Log(p))
		}
	}
	last := t.Law.Tails(at[0])
	add(at[0], last.PBelow)
	l := at[0]
	for _, end := range at[1:] {
		width := (end - l) / float64(cells)
		for i := range cells {
			next := l + width
			if i == cells-1 {
				next = end
			}
			d := next - l
			if !(d > 0) {
				continue
			}
			tails := t.Law.Tails(next)
			p, q := mass(last, tails, d)
			loss := next
			if q > 0 {
				loss = min(next, max(l, l+math.Log(p/q)))
			}
			add(loss, p)
			l, last = next, tails
		}
	}
	if len(a.loss) == 0 { // all mass is at +∞
		add(0, 1)
	}
	return a
}

// cut removes what the discretised laws will not have: the losses outside the quantiles of tail, of which those above
// are moved to +∞ and those below to the quantile. A tilt by which the far end of a heavy tail outweighs what
// counts at the δ that is asked for (the phase transition of Rényi divergences) is then none.
func (s sum) cut(terms []Term, tail float64) sum {
	t := make(sum, len(s))
	for i, a := range s {
		t[i] = a.cut(terms[i].Law.Range(min(0.5, tail)))
	}
	return t
}

func (a atoms) cut(lo, hi float64) atoms {
	b := atoms{count: a.count, bottom: max(a.bottom, lo), top: min(a.top, hi)}
	below := 0.0
	for i, l := range a.loss {
		switch {
		case l < lo:
			below += math.Exp(a.logMass[i])
		case l <= hi:
			b.loss = append(b.loss, l)
			b.logMass = append(b.logMass, a.logMass[i])
		}
	}
	if below > 0 {
		b.loss = append(b.loss, lo)
		b.logMass = append(b.logMass, math.Log(below))
	}
	if len(b.loss) == 0 {
		return a
	}
	return b
}

// A plan says where and how finely to compose.
type plan struct {
	theta    float64 // tilt
	center   float64 // loss that the tilted sum is centred on
	sd       float64 // and its standard deviation
	logDelta float64 // rough ln δ there
	tilted   []moment
}

// bisect returns a point of [lo, hi] near the sign change of a falling function of ln θ, 16 steps.
func bisect(lo, hi float64, falling func(theta float64) bool) float64 {
	u, v := math.Log(lo), math.Log(hi)
	for range 16 {
		if mid := (u + v) / 2; falling(math.Exp(mid)) {
			u = mid
		} else {
			v = mid
		}
	}
	return math.Exp(u)
}

func (s sum) top() float64 {
	t := 0.0
	for _, a := range s {
		t += a.count * a.top
	}
	return t
}

func (s sum) bottom() float64 {
	t := 0.0
	for _, a := range s {
		t += a.count * a.bottom
	}
	return t
}

// thetas is the range of tilts worth a search. A tilt is exhausted when it has nearly brought the loss to its top, if that
// is finite: more would gain nothing. Where the top is far, a tilt that is small against the way there has not begun to.
func (s sum) thetas() (lo, hi float64, exhausted func(theta float64, m moment) bool) {
	plain := s.moment(0)
	sd := math.Sqrt(plain.variance)
	if sd == 0 {
		sd = 1
	}
	top := s.top()
	way := top - plain.mean
	return 1e-4 / sd, 1e4 / sd, func(theta float64, m moment) bool {
		return theta*(top-m.mean) < 1 && (way < 0.1*sd || theta*way >= 2)
	}
}

// planDelta plans for the ε at which δ is reached.
func (s sum) planDelta(logDelta float64) plan {
	lo, hi, exhausted := s.thetas()
	if s.moment(lo).logDelta(lo) <= logDelta {
		return s.planAt(0)
	}
	return s.planAt(bisect(lo, hi, func(theta float64) bool {
		m := s.moment(theta)
		return m.logDelta(theta) > logDelta && !exhausted(theta, m)
	}))
}

// planEpsilon plans for the δ at ε.
func (s sum) planEpsilon(epsilon float64) plan {
	lo, hi, exhausted := s.thetas()
	if s.moment(lo).mean >= epsilon {
		return s.planAt(0)
	}
	return s.planAt(bisect(lo, hi, func(theta float64) bool {
		m := s.moment(theta)
		return m.mean < epsilon && !exhausted(theta, m)
	}))
}

func (s sum) planAt(theta float64) plan {
	p := plan{theta: theta}
	for _, a := range s {
		p.tilted = append(p.tilted, a.moment(theta))
	}
	m := s.moment(theta)
	p.center, p.sd, p.logDelta = m.mean, math.Sqrt(m.variance), m.logDelta(theta)
	return p
}

// above returns a tilt s > θ by which a tilted sum has P(L ≥ end) of at most about e^logTail, and the least
// such end: the minimum of (K(s) − K(θ) − logTail)/(s − θ), where it is K'(s) unless that jumps.
func (s sum) above(theta, logTail float64) (tilt, end float64) {
	lo, hi, exhausted := s.thetas()
	k := s.moment(theta).k
	d := bisect(lo, hi, func(d float64) bool {
		m := s.moment(theta + d)
		return m.k-k-d*m.mean > logTail && !exhausted(theta+d, m)
	})
	return theta + d, (s.moment(theta+d).k - k - logTail) / d
}

// below returns t < θ by which the tilted sum has P(L ≤ end) of at most about e^logTail, and the largest such end.
func (s sum) below(theta, logTail float64) (tilt, end float64) {
	lo, hi, _ := s.thetas()
	k := s.moment(theta).k
	d := bisect(lo, hi, func(d float64) bool {
		m := s.moment(theta - d)
		return m.k-k+d*m.mean > logTail
	})
	return theta - d, -(s.moment(theta-d).k - k - logTail) / d
}
