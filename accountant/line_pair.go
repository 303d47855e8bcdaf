package accountant

import (
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// A linePair is a pair of mixtures of unit Gaussians on the line. The divergence of such mixtures in any
// dimension depends on the inner products of their centres alone, and rises with those inside a mixture and falls
// with those across, so that one collinear configuration is the worst (docs/theory/preprocessing.md#lemma-g-mixtures-on-a-line).
type linePair interface {
	// at returns ln(P/Q), a bound on its absolute rounding error, and the density √2π Q = weight·e^base.
	at(x float64) (ratio, slack, weight, base float64)
	// bumps lists, in rising order, the modes of Q and of P^α Q^{1−α}, or points in their basins.
	bumps(alpha float64) []float64
	// strip bounds what analytic continuation to |Im x| ≤ d costs: the logarithm of the largest factor by which
	// |P^α Q^{1−α}|, beside e^{d²/2}, grows. It is +Inf where P or Q may vanish.
	strip(alpha, d float64) float64
}

// lineMoment returns (α−1) D_α(P‖Q), rounded up: the trapezoid rule for
//
//	A − 1 = ∫ Q (r^α − 1 − α(r−1)) dx,  r = P/Q,
//
// whose integrand is not negative.
func lineMoment(p linePair, alpha float64) float64 {
	if math.IsInf(alpha, 1) {
		return math.Inf(1)
	}
	pow := newPower(alpha)
	step := lineStep(p, alpha)
	bumps := p.bumps(alpha)
	top, far := 0.0, 9.0
	for _, x := range bumps {
		l, _, weight, base := p.at(x)
		top = max(top, math.Log(weight)+base+alpha*l)
		far = max(far, math.Abs(x)+9)
	}
	if top < 300 {
		top = 0
	}
	node := func(x float64) float64 {
		l, slack, weight, base := p.at(x)
		l += math.Copysign(slack+4*eps*math.Abs(l), l) // the excess rises with |l|
		if pow.beta*l > 40 {
			return weight * math.Exp(base+alpha*l-top)
		}
		if l > 20 { // F = r (r^{α−1} − 1 − (α−1)(1 − 1/r))
			return weight * math.Exp(base+l-top) * (math.Expm1(pow.beta*l) + pow.beta*math.Expm1(-l))
		}
		return weight * math.Exp(base-top) * pow.excessLog(l)
	}
	const invSqrt2Pi = 1 / (math.Sqrt2 * math.SqrtPi)
	sum := trapezoid{node: node, step: step}.sum(bumps) * step * invSqrt2Pi
	sum = quad.Inflate(sum, kernelMargin+8*eps*far*far)
	if top > 0 {
		return quad.Inflate(top+math.Log(sum+math.Exp(-top)), 4*eps)
	}
	return quad.Inflate(math.Log1p(sum), 4*eps)
}

// lineStep is a distance of nodes for a relative error below 2^-46; see [sgm.step]. The constant allows for
// the ratio of |r−1|² on the strip to that on the line near the zero of r−1, where it is at most
// 1 + c d²/(distance)², averaged over the integrand, and for the factor |ln r| + π where the argument of r is large.
func lineStep(p linePair, alpha float64) float64 {
	best := 0.0
	for d := 7.0; d > 1e-6; d *= 0.8 {
		cost := p.strip(alpha, d)
		if math.IsInf(cost, 1) {
			continue
		}
		if h := 2 * math.Pi * d / (d*d/2 + cost + math.Log(1e7*(1+d*d)) + 46*math.Ln2); h > best {
			best = h
		} else if best > 0 {
			break
		}
	}
	return best
}

// coin is the likelihood ratio 1 − q + q e^w of a subsampled Gaussian and what it needs in logarithms.
type coin struct{ q, logQ float64 }

func newCoin(q float64) coin { return coin{q: q, logQ: math.Log(q)} }

// log is ln(1 − q + q e^w).
func (c coin) log(w float64) float64 {
	if w > 600 {
		return c.logQ + w + math.Exp(-w)*(1-c.q)/c.q
	}
	return math.Log1p(c.q * math.Expm1(w))
}

// posterior is q e^w / (1 − q + q e^w).
func (c coin) posterior(w float64) float64 {
	return c.q / (c.q + (1-c.q)*math.Exp(-w))
}

// turn bounds what the imaginary part θ of w costs a ratio with 1 − q + q e^w in the denominator, per order. For
// w ≤ 0 its modulus falls at most by the factor 1 − q(1 − cos θ), the real part of (1−p) + p e^{iθ} for
// a p ≤ q. For w > 0 the numerator is at most 1, and the modulus at least 1 − q, or (1−q) sin θ past π/2.
func (c coin) turn(theta float64) float64 {
	if theta > math.Pi/2 && (theta > 2.2 || c.q > 0.25) {
		return math.Inf(1)
	}
	cost := -math.Log1p(-c.q * (1 - math.Cos(theta)))
	if theta > math.Pi/2 {
		cost = max(cost, -math.Log((1-c.q)*math.Sin(theta)))
	}
	return cost
}

// replacePair is one Poisson step under replace-one with the sum of the common rows displaced by v,
//
//	P = (1−q) N(0) + q N(t),  Q = (1−q) N(−v) + q N(−v−t),
//
// in the coordinate y = x + v/2, in which its logarithmic ratio is odd: both directions are the same.
type replacePair struct {
	coin
	t, v float64
}

func (p replacePair) at(y float64) (ratio, slack, weight, base float64) {
	s := p.v / 2
	a := math.Abs(y)
	lift := p.t * (s + p.t/2)
	ta := p.t * a
	drop := math.Exp(-ta)
	scale := p.q * math.Exp(-lift)
	// The smaller mixture m(−a), and what m(a) has more: 2q e^{−lift} sinh(ta).
	down := 1 - p.q + scale*drop
	var rise float64
	switch {
	case ta > 600:
		rise = p.log(ta-lift) - math.Log(down)
	case ta > 0.5:
		rise = math.Log1p(scale * (1/drop - drop) / down)
	default:
		rise = math.Log1p(2 * scale * math.Sinh(ta) / down)
	}
	ratio = math.Copysign(p.v*a+rise, y)
	base = -(y + s) * (y + s) / 2
	weight = down
	if y < 0 {
		if ta > 600 {
			base += rise
		} else {
			weight *= math.Exp(rise)
		}
	}
	return ratio, 4 * eps * (p.v*a + rise*(1+lift)), weight, base
}

func (p replacePair) bumps(alpha float64) []float64 {
	s := p.v / 2
	lift := p.t * (s + p.t/2)
	lo := (2*alpha - 1) * s
	hi := lo + (2*alpha-1)*p.t
	pull := func(y float64) float64 {
		return lo + p.t*(alpha*p.posterior(p.t*y-lift)+(alpha-1)*p.posterior(-p.t*y-lift))
	}
	return sortedBumps(pull, lo, hi, -s, -s-p.t)
}

func (p replacePair) strip(alpha, d float64) float64 {
	return alpha * p.turn(p.t*d)
}

// addPair is one Poisson step under add/remove with the sum of the common rows displaced by v,
//
//	P = (1−q) N(0) + q N(t),  Q = N(−v).
type addPair struct {
	coin
	t, v float64
}

func (p addPair) at(x float64) (ratio, slack, weight, base float64) {
	w := p.t * (x - p.t/2)
	m := p.log(w)
	ratio = p.v*(x+p.v/2) + m
	slack = 4 * eps * (p.v*(math.Abs(x)+p.v) + math.Abs(m)*(1+math.Abs(w)))
	return ratio, slack, 1, -(x + p.v) * (x + p.v) / 2
}

func (p addPair) bumps(alpha float64) []float64 {
	lo := (alpha - 1) * p.v
	pull := func(x float64) float64 { return lo + alpha*p.t*p.posterior(p.t*(x-p.t/2)) }
	return sortedBumps(pull, lo, lo+alpha*p.t, -p.v)
}

func (p addPair) strip(_, d float64) float64 {
	if p.t*d > 0.9*math.Pi {
		return math.Inf(1)
	}
	return 0 // |m(x+iy)| ≤ m(x)
}

// removePair is addPair the other way round: P = N(−v), Q = (1−q) N(0) + q N(t).
type removePair struct{ addPair }

func (p removePair) at(x float64) (ratio, slack, weight, base float64) {
	ratio, slack, weight, base = p.addPair.at(x)
	return -ratio, slack, weight, base + ratio
}

func (p removePair) bumps(alpha float64) []float64 {
	hi := -alpha * p.v
	pull := func(x float64) float64 { return hi - (alpha-1)*p.t*p.posterior(p.t*(x-p.t/2)) }
	return sortedBumps(pull, hi-(alpha-1)*p.t, hi, 0, p.t)
}

func (p removePair) strip(alpha, d float64) float64 {
	return alpha * p.turn(p.t*d)
}

// sortedBumps finds the attracting solutions of x = pull(x) in [lo, hi], and adds the given points. The
// nodes are dense near both ends, where the narrow basins are.
func sortedBumps(pull func(float64) float64, lo, hi float64, points ...float64) []float64 {
	points = append(points, lo, hi)
	nodes := int(min(48, 8+1.5*(hi-lo)))
	a, rises := lo, true
	for i := 1; i <= nodes; i++ {
		b := lo + (hi-lo)*(1-math.Cos(math.Pi*float64(i)/float64(nodes)))/2
		after := pull(b) >= b && i < nodes
		if rises && !after {
			l, r := a, b
			for range 12 {
				if m := (l + r) / 2; pull(m) >= m {
					l = m
				} else {
					r = m
				}
			}
			points = append(points, (l+r)/2)
		}
		a, rises = b, after
	}
	slices.Sort(points)
	return slices.Compact(points)
}
