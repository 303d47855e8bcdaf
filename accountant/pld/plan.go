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
	top           float64 // supremum of the law's finite losses
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
	_, top := t.Law.Range(0)
	slices.Sort(at)
	at = slices.Compact(at)
	a := atoms{count: float64(t.Count), top: top}
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

// thetas is the range of tilts worth a search.
func (s sum) thetas() (lo, hi float64) {
	sd := math.Sqrt(s.moment(0).variance)
	if sd == 0 {
		sd = 1
	}
	return 1e-4 / sd, 1e4 / sd
}

// exhausted reports that a tilt has nearly reached the top of a bounded loss: more would gain nothing.
func (s sum) exhausted(theta float64, m moment) bool {
	top := s.top()
	return !math.IsInf(top, 1) && theta*(top-m.mean) < 1
}

// planDelta plans for the ε at which δ is reached.
func (s sum) planDelta(logDelta float64) plan {
	lo, hi := s.thetas()
	if s.moment(lo).logDelta(lo) <= logDelta {
		return s.planAt(0)
	}
	return s.planAt(bisect(lo, hi, func(theta float64) bool {
		m := s.moment(theta)
		return m.logDelta(theta) > logDelta && !s.exhausted(theta, m)
	}))
}

// planEpsilon plans for the δ at ε.
func (s sum) planEpsilon(epsilon float64) plan {
	lo, hi := s.thetas()
	if s.moment(lo).mean >= epsilon {
		return s.planAt(0)
	}
	return s.planAt(bisect(lo, hi, func(theta float64) bool {
		m := s.moment(theta)
		return m.mean < epsilon && !s.exhausted(theta, m)
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

// upperTilt returns s > θ whose Chernoff bound is about e^logTail.
func (s sum) upperTilt(theta, logTail float64) float64 {
	lo, hi := s.thetas()
	lo = max(lo, theta)
	return bisect(lo, max(hi, 2*lo), func(t float64) bool {
		m := s.moment(t)
		return m.logTail(t) > logTail && !s.exhausted(t, m)
	})
}

// farTilt returns s > θ at whose mean X the tilted sum has P(L ≥ X) of about e^logTail.
func (s sum) farTilt(theta, logTail float64) float64 {
	lo, hi := s.thetas()
	k := s.moment(theta).k
	return theta + bisect(lo, hi, func(d float64) bool {
		m := s.moment(theta + d)
		return m.k-k-d*m.mean > logTail && !s.exhausted(theta+d, m)
	})
}

// lowerTilt returns t < θ at whose mean A the tilted sum has P(L ≤ A) of about e^logTail.
func (s sum) lowerTilt(theta, logTail float64) float64 {
	lo, hi := s.thetas()
	k := s.moment(theta).k
	return theta - bisect(lo, hi, func(d float64) bool {
		m := s.moment(theta - d)
		return m.k-k+d*m.mean > logTail
	})
}
