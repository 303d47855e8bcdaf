package pld

import (
	"math"
	"sort"
)

// A cloud is a sub-probability on finitely many losses, in rising order: a law, or a composition of laws, that was
// discretised without a lattice. Its nodes may be any distance apart.
type cloud struct {
	loss, p       []float64
	count         float64 // number of losses that it is the sum of
	lost          float64 // pessimistic: mass at +∞ beside that of the laws
	rel, shift    float64 // relative error of the masses and error of the losses
	median, scale float64 // of the middle half, to lay nodes by
}

// A ladder composes clouds by squaring, pair of losses by pair of losses. All it adds up is positive, so
// that each mass keeps its digits however small it is: no tilt has to show it, and nothing wraps around. It takes the square
// of the number of nodes where a transform takes little more than their number, but the nodes need not be equally far
// apart: a loss may be known to 1% at 1e-9 and at 10. That serves the laws of small sampling rates, whose bulk is at q and
// whose tail, a sum of few large losses, at 1.
//
// A product of clouds is brought onto nodes again, by cells: the pessimistic one splits what is in (a, b] among both ends so
// that P and Q are kept, as [pessimistic] does, and the optimistic one merges it into one loss ln(p/q), which is a
// function of the outcome.
type ladder struct {
	low    bool
	growth float64 // distance of nodes over that to the median
	target float64 // δ that the masses are cut by
	total  float64 // number of losses in all
	least  float64 // loss that is small against the result, for the number of losses in all
	work   *int    // pairs of losses so far
}

// cutShare is the part of δ that all cuts may cost.
const cutShare = 1e-7

// nodes lays nodes from lo to hi, in distances that grow with that to the center.
func (d ladder) nodes(lo, hi, center, scale, count float64) []float64 {
	finest := max(2*d.growth*scale, d.least*math.Sqrt(count/d.total))
	step := func(x float64) float64 {
		return max(finest, d.growth*math.Abs(x-center), 0x1p-44*math.Abs(x), 0x1p-1000)
	}
	start := min(hi, max(lo, center))
	var left []float64
	for x := start; x > lo; {
		if x -= step(x); x-lo < 0.5*step(x) {
			x = lo
		}
		left = append(left, x)
	}
	at := make([]float64, 0, 2*len(left)+1)
	for i := len(left) - 1; i >= 0; i-- {
		at = append(at, left[i])
	}
	at = append(at, start)
	for x := start; x < hi; {
		if x += step(x); hi-x < 0.5*step(x) {
			x = hi
		}
		at = append(at, x)
	}
	return at
}

// law discretises one law, cut at quantiles of tail.
func (d ladder) law(law Law, tail float64) cloud {
	lo, hi := law.Range(tail)
	median, scale := middle(law, lo, hi)
	at := d.nodes(lo, hi, median, scale, 1)
	c := cloud{count: 1, rel: 4 * lawError, shift: 2 * lawError * (1 + max(math.Abs(lo), math.Abs(hi)))}
	if d.low { // what is at the first node must not be lost
		at = append([]float64{at[0] - max(d.growth*scale, 0x1p-40*math.Abs(at[0]))}, at...)
	}
	t := law.Tails(at[0])
	p := make([]float64, len(at))
	p[0] = t.PBelow
	for i := 1; i < len(at); i++ {
		next, width := law.Tails(at[i]), at[i]-at[i-1]
		mp, mq := mass(t, next, width)
		switch {
		case d.low:
			c.merge(at[i-1], at[i], mp, mq)
		default:
			right := min(mp, max(0, (mp-mq)/-math.Expm1(-width)))
			p[i-1] += mp - right
			p[i] += right
		}
		t = next
	}
	if d.low {
		c.merge(at[len(at)-1], math.MaxFloat64, t.PAbove, t.QAbove)
	} else {
		c.loss, c.p, c.lost = at, p, t.PAbove
	}
	c.trim(d, 0)
	return c
}

// lostSmall bounds the sum of all masses that are too small for a float64: fewer than 2^50, each below 2^-1074.
const lostSmall = 0x1p-1020

// merge adds what lies in (a, b] as one loss, where q is multiplied by e^a. Where rounding makes it no larger than
// those before, they take its place: a smaller loss is a smaller profile.
func (c *cloud) merge(a, b, p, q float64) {
	if !(p > 0) {
		return
	}
	// Of losses more than 700 above a nothing, or little, is left of q: what a float64 does not hold is less than lostSmall.
	x := max(a, min(b, a+math.Log(p/(q+lostSmall))))
	for n := len(c.loss); n > 0 && x <= c.loss[n-1]; n-- {
		p += c.p[n-1]
		c.loss, c.p = c.loss[:n-1], c.p[:n-1]
	}
	c.loss, c.p = append(c.loss, x), append(c.p, p)
}

// trim cuts both ends to what the budget allows, and measures the rest.
func (c *cloud) trim(d ladder, budget float64) {
	n := len(c.p)
	i, below := 0, 0.0
	for i < n-1 && below+c.p[i] <= budget {
		below += c.p[i]
		i++
	}
	k, above := n, 0.0
	for k > i+1 && above+c.p[k-1] <= budget {
		k--
		above += c.p[k]
	}
	c.loss, c.p = c.loss[i:k], c.p[i:k]
	if len(c.p) == 0 {
		c.loss, c.p = []float64{0}, []float64{0}
	}
	if !d.low {
		c.p[0] += below
		c.lost += above
	}
	sum := 0.0
	for _, p := range c.p {
		sum += p
	}
	quantile := func(u float64) float64 {
		at := 0.0
		for i, p := range c.p {
			if at += p; at >= u*sum {
				return c.loss[i]
			}
		}
		return c.loss[len(c.loss)-1]
	}
	c.median = quantile(0.5)
	if s := (quantile(0.75) - quantile(0.25)) / 1.35; s > 0 {
		c.scale = s
	}
}

// middle returns the median of a law and the distance of its quartiles, over that of a Gaussian.
func middle(law Law, lo, hi float64) (median, scale float64) {
	all := 1 - law.Infinite()
	quantile := func(u float64) float64 {
		a, b := lo, hi
		for range 200 {
			mid := a + (b-a)/2
			if !(mid > a && mid < b) || b-a < 1e-9*max(math.Abs(a), math.Abs(b)) {
				break
			}
			if law.Tails(mid).PBelow < u*all {
				a = mid
			} else {
				b = mid
			}
		}
		return b
	}
	median = quantile(0.5)
	for _, u := range []float64{0.25, 0.1, 0.01} { // most of it may be in one atom
		if scale = (quantile(1-u) - quantile(u)) / 1.35; scale > 1e-6*math.Abs(median) {
			return median, scale
		}
	}
	return median, max(scale, 1e-6*math.Abs(median), 1e-3*(hi-lo))
}

// A cell gathers what falls between two nodes: P, and Σ P (1 − e^{a−l}) for its lower end a.
type cell struct{ p, part float64 }

// times is the composition of two clouds.
func (d ladder) times(a, b *cloud) cloud {
	square := a == b
	c := cloud{
		count: a.count + b.count, lost: a.lost + b.lost,
		rel:   a.rel + b.rel + float64(len(a.p)*len(b.p)+64)*0x1p-53,
		scale: math.Hypot(a.scale, b.scale),
	}
	lo, hi := a.loss[0]+b.loss[0], a.loss[len(a.loss)-1]+b.loss[len(b.loss)-1]
	c.shift = a.shift + b.shift + 0x1p-50*max(math.Abs(lo), math.Abs(hi))
	at := d.nodes(lo, hi, a.median+b.median, c.scale, c.count)
	at = append(at, math.Inf(1))
	cells := make([]cell, len(at))
	*d.work += len(a.p) * len(b.p)
	budget := d.target * cutShare * c.count / d.total / 64
	share := budget / float64(2*len(a.p))
	below, above := make([]float64, len(b.p)+1), make([]float64, len(b.p)+1)
	for j, p := range b.p {
		below[j+1] = below[j] + p
	}
	for j := len(b.p) - 1; j >= 0; j-- {
		above[j] = above[j+1] + b.p[j]
	}
	for i, p := range a.p {
		if p == 0 {
			continue
		}
		// The losses of b that count beside this one: those below move up, those above to +∞.
		from := sort.Search(len(b.p), func(j int) bool { return p*below[j+1] > share })
		to := sort.Search(len(b.p), func(j int) bool { return p*above[j] <= share })
		w := p
		if square { // each pair once, for both orders
			w *= 2
			if from <= i {
				if i < to {
					d.add(at, cells, a.loss[i], b.loss[i:i+1], b.p[i:i+1], p)
				}
				from = i + 1
				below[from] = 0
			}
			to = max(to, i)
		}
		if !d.low {
			c.lost += w * above[to]
			if from < to && below[from] > 0 {
				d.add(at, cells, a.loss[i], b.loss[from:from+1], below[from:from+1], w)
			} else if from < len(b.p) {
				c.lost += w * below[from]
			}
		}
		if from < to {
			d.add(at, cells, a.loss[i], b.loss[from:to], b.p[from:to], w)
		}
	}
	d.gather(&c, at, cells, float64(len(a.p)*len(b.p)+64)*0x1p-52)
	c.trim(d, budget)
	return c
}

// add puts the losses x + b with the masses w·p into cells.
func (d ladder) add(at []float64, cells []cell, x float64, b, p []float64, w float64) {
	if len(b) == 0 {
		return
	}
	k := max(0, sort.SearchFloat64s(at, x+b[0])-1)
	c, from, to := cells[k], at[k], at[k+1]
	p = p[:len(b)]
	for j, y := range b {
		l := x + y
		if to < l {
			cells[k] = c
			for k++; at[k+1] < l; k++ {
			}
			c, from, to = cells[k], at[k], at[k+1]
		}
		u := max(0, l-from)
		// 1 − e^{−u}, on the side that is safe: above it, where more moves to the upper end, or below.
		var part float64
		switch {
		case u > 1./32:
			part = -math.Expm1(-u)
		case d.low:
			part = u * (1 - u*(1./2)*(1-u*(1./3)*(1-u*(1./4))))
		default:
			part = u * (1 - u*(1./2)*(1-u*(1./3)))
		}
		m := w * p[j]
		c.p += m
		c.part += m * part
	}
	cells[k] = c
}

// gather makes losses of cells, whose sums have that relative error at most.
func (d ladder) gather(c *cloud, at []float64, cells []cell, rounding float64) {
	n := len(at) - 1 // the last is +∞
	cells = cells[:n]
	if d.low {
		for k, e := range cells {
			if !(e.p > 0) {
				continue
			}
			x := at[k]
			switch part := e.part / e.p; {
			case k == n-1:
			case part < 0.5:
				x = min(at[k+1], x-math.Log1p(-part))
			default: // its distance from 1 is known up to the rounding of sums
				x = max(x, min(at[k+1], x-math.Log(max(0, 1-part)+rounding)))
			}
			c.loss, c.p = append(c.loss, x), append(c.p, e.p)
		}
		return
	}
	c.loss, c.p = at[:n], make([]float64, n)
	for k, e := range cells {
		right := 0.0
		if k < n-1 {
			right = min(e.p, e.part/-math.Expm1(at[k]-at[k+1]))
			c.p[k+1] += right
		}
		c.p[k] += e.p - right
	}
}

// power is the composition of n equal clouds.
func (d ladder) power(base cloud, n int) cloud {
	bit := 1
	for bit <= n/2 {
		bit *= 2
	}
	c := base
	for bit /= 2; bit > 0; bit /= 2 {
		s := c
		c = d.times(&s, &s)
		if n&bit != 0 {
			c = d.times(&c, &base)
		}
	}
	return c
}

// compose is the composition of all terms.
func (d ladder) compose(terms []Term, tail float64) cloud {
	var all cloud
	for i, t := range terms {
		c := d.power(d.law(t.Law, tail), t.Count)
		if i == 0 {
			all = c
			continue
		}
		all = d.times(&all, &c)
	}
	return all
}

// profile returns δ at each loss, of finite losses.
func (c cloud) profile() (above, drop []float64) {
	n := len(c.p)
	above, drop = make([]float64, n+1), make([]float64, n+1)
	for k := n - 1; k >= 0; k-- {
		above[k] = above[k+1] + c.p[k] // P(L ≥ loss k)
		if k < n-1 {
			gap := c.loss[k+1] - c.loss[k]
			drop[k] = -math.Expm1(-gap)*above[k+1] + math.Exp(-gap)*drop[k+1]
		}
	}
	return above, drop
}

// epsilonAt is the ε where finite losses have δ, not below 0.
func (c cloud) epsilonAt(delta float64) float64 {
	if !(delta > 0) {
		return c.loss[len(c.loss)-1]
	}
	above, drop := c.profile()
	k := sort.Search(len(c.p), func(k int) bool { return drop[k] <= delta }) // the last is 0
	// Below loss k, δ(ε) = above − e^{ε − loss}(above − drop).
	share := (delta - drop[k]) / (above[k] - drop[k])
	if !(share < 1) {
		return math.Inf(-1)
	}
	return c.loss[k] + math.Log1p(-share)
}

// deltaAt is the δ of finite losses at ε.
func (c cloud) deltaAt(epsilon float64) float64 {
	above, drop := c.profile()
	k := sort.SearchFloat64s(c.loss, epsilon)
	if k == len(c.p) {
		return 0
	}
	gap := c.loss[k] - epsilon
	return -math.Expm1(-gap)*above[k] + math.Exp(-gap)*drop[k]
}
