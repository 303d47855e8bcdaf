package pld

import "math"

// A window is the stretch of losses on which the composition is computed.
type window struct {
	n             int
	theta         float64 // tilt
	left, right   float64
	up, far, down float64 // tilts of the Chernoff bounds on what lies outside
}

// window chooses a tilt, of those up to the plan's, for which it is short: the tilt brings a heavy tail up. The
// right end is at least the given one. The composed losses lie between floor and reach.
func (q *query) window(right, logTol, floor, reach float64) (best window) {
	for _, share := range []float64{1, 0.75, 0.5, 0.25} {
		w := window{theta: share * q.theta}
		m := q.coarse.moment(w.theta)
		// The tilted mass that counts is about δ e^{θε − K(θ)}; it must stand out of the rounding.
		logDrop := min(0, q.target+w.theta*q.center-m.k)
		if share < 1 && logDrop < -14 {
			break
		}
		w.down, w.left = q.coarse.below(w.theta, logTol+logDrop)
		w.left = min(max(w.left, floor), q.least)
		w.far, w.right = q.coarse.above(w.theta, logTol+logDrop)
		w.right = max(right, min(reach, w.right)-(q.center-w.left))
		if share == 1 || w.right-w.left < 0.9*(best.right-best.left) {
			best = w
		}
	}
	return best
}

// tilted returns the masses of a discretised law, tilted by θ and divided by e^k; atoms of it for
// cumulants; and a bound on the relative error of the masses.
func (d lattice) tilted(theta float64, count int) (a atoms, mass []float64, k, err float64) {
	a = atoms{
		count: float64(count), bottom: d.at(d.node[0]), top: d.at(d.node[len(d.node)-1]),
		loss: make([]float64, 0, len(d.p)), logMass: make([]float64, 0, len(d.p)),
	}
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
	twin := 0
	if low {
		twin = 1
	}
	s := q.spectra[twin]
	if s == nil || len(s.seq) != w.n {
		s.rest()
		s = takeSpectrum(w.n)
		q.spectra[twin] = s
	}
	s.reset()
	perLaw := math.IsNaN(m.offset)
	var all sum
	l := line{mesh: mesh{width: m.width}, theta: w.theta, low: low}
	discretise := pessimistic
	if low {
		discretise = optimistic
		if q.smooth {
			discretise = tangents
		}
	}
	reach, floor := 0.0, 0.0
	log, rel, shift, slack := 0.0, 0.0, 0.0, 0.0
	for i, t := range q.terms {
		tm := q.tilted[i]
		own := m
		own.center, own.tilt = tm.mean, q.theta
		own.growth = 1. / 1024
		switch {
		case exact:
			own.growth = 0
		case tm.variance > 0:
			own.growth = min(1./16, max(own.growth, m.width/(4*math.Sqrt(tm.variance))))
		}
		own.offset = 0
		if low && !exact && !q.smooth {
			own.offset = own.aligned(t.Law)
		}
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
		a, mass, k, err := d.tilted(w.theta, t.Count)
		if len(a.loss) == 0 {
			k = 0 // all is at +∞, or cut
			a.loss, a.logMass = []float64{0}, []float64{math.Inf(-1)}
		}
		s.multiply(d.node, mass, t.Count)
		all = append(all, a)
		l.k += count * k
		l.offset += count * own.offset
		log += count * math.Log1p(-min(d.infinite, 1))
		bottom, top := d.at(d.node[0]), d.at(d.node[len(d.node)-1])
		slack += count * d.slack
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
	l.atoms = all
	l.outside = outside{
		theta: w.theta, k: l.k, up: w.up, kUp: all.moment(w.up).k,
		far: w.far, kFar: all.moment(w.far).k, down: w.down, kDown: all.moment(w.down).k,
		left: l.at(l.first), right: l.at(l.first + int64(w.n)), floor: floor, reach: reach, heaviest: top,
	}
	return l
}
