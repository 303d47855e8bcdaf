package correlation

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/tables"
)

// Cell is a number with its interval.
type Cell = tables.TableCell

// moments are what is known of two columns u₁, u₂ in [−1, 1]: the number of rows N, noisy where countSD > 0, the sums A of each, Q of their
// product and D of their squares, all with noise of their own. same: both are one column, and Q is D.
type moments struct {
	n, countSD float64
	a          [2]float64
	d          [2]float64
	q          float64
	sumSD      float64 // of A, and of Q of two columns
	squareSD   float64 // of D
	same       bool
}

// meanShare is the share of the chance to miss that goes to each of the two means, and to each of the two variances, on which the
// interval of a correlation hangs in second order only.
const meanShare = 1. / 32

// near is an interval of a mean, as its middle and how far it reaches from there.
type near struct{ mid, reach, lo, hi float64 }

// largest is the largest size of a mean in the interval, within [−1, 1].
func (m near) largest() float64 { return max(math.Abs(m.lo), math.Abs(m.hi)) }

// mean is the interval of A/N that misses with probability miss: Fieller's.
func (m moments) mean(i int, miss float64) near {
	clamp := func(x float64) float64 { return min(max(x, -1), 1) }
	z := twoSided(miss)
	out := near{mid: m.a[i] / m.n, lo: -1, hi: 1}
	lead, lin, last := m.n*m.n-z*z*m.countSD*m.countSD, m.a[i]*m.n, m.a[i]*m.a[i]-z*z*m.sumSD*m.sumSD
	if lead > 0 {
		root := math.Sqrt(max(lin*lin-lead*last, 0))
		out.lo, out.hi = clamp((lin-root)/lead), clamp((lin+root)/lead)
	}
	out.reach = max(out.hi-out.mid, out.mid-out.lo)
	return out
}

// span are numbers between two ends.
type span struct{ lo, hi float64 }

// times are the products of two spans' numbers.
func (s span) times(t span) span {
	a, b, c, d := s.lo*t.lo, s.lo*t.hi, s.hi*t.lo, s.hi*t.hi
	return span{min(a, b, c, d), max(a, b, c, d)}
}

// ratio describes the numbers ρ that may be C/W: at the true value of what both hang on beside, C − ρW is Gaussian with mean 0, and of
// variance at most c2 + ρ²w2 − 2ρ·cov for some number in cov.
type ratio struct {
	c, w   span
	c2, w2 float64
	cov    span
}

// set is the hull of the ρ in [lo, hi] for which |C − ρW| ≤ z·sd for some C and W: found by halving, where a half is left out if none of its
// numbers can be.
func (r ratio) set(z, lo, hi float64) (low, high float64) {
	variance := func(rho float64) float64 {
		return r.c2 + rho*rho*r.w2 - 2*min(rho*r.cov.lo, rho*r.cov.hi)
	}
	passes := func(a, b float64) bool {
		sd := z * math.Sqrt(max(variance(a), variance(b), 0)) // convex in ρ, so that it is largest at an end
		p := span{a, b}.times(r.w)
		return r.c.lo-p.hi <= sd && p.lo-r.c.hi <= sd
	}
	const halvings = 40
	var first func(a, b float64, left int, rising bool) (float64, bool)
	first = func(a, b float64, left int, rising bool) (float64, bool) {
		if !passes(a, b) {
			return 0, false
		}
		if left == 0 {
			if rising {
				return a, true
			}
			return b, true
		}
		mid := a + (b-a)/2
		one, two := span{a, mid}, span{mid, b}
		if !rising {
			one, two = two, one
		}
		if v, ok := first(one.lo, one.hi, left-1, rising); ok {
			return v, ok
		}
		return first(two.lo, two.hi, left-1, rising)
	}
	low, ok := first(lo, hi, halvings, true)
	if !ok {
		return lo, hi
	}
	high, _ = first(lo, hi, halvings, false)
	return low, high
}

// centred is C = Q − A₁A₂/N, the sum of products about the noisy means, and by how much that about the true ones may be above or below: it
// is C + N(m₁ − A₁/N)(m₂ − A₂/N).
func (m moments) centred(a, b near) (c float64, by float64) {
	return m.q - m.a[0]*m.a[1]/m.n, m.n * a.reach * b.reach
}

// covariance is Σ(u₁ − m₁)(u₂ − m₂)/N with an interval that holds it with at least that probability (docs/theory/tables.md#correlations).
func (m moments) covariance(level float64) Cell {
	lo := -1.0
	if m.same {
		lo = 0
	}
	out := cell(0, lo, 1)
	if !(m.n > 0) {
		return out
	}
	miss := 1 - level
	a, b := m.mean(0, meanShare*miss), m.mean(1, meanShare*miss)
	c, by := m.centred(a, b)
	out.Value = min(max(c/m.n, lo), 1)
	if m.exact() {
		return cell(out.Value, out.Value, out.Value)
	}
	p, q, n2 := a.largest(), b.largest(), m.countSD*m.countSD
	r := ratio{c: span{c - by, c + by}, w: span{m.n, m.n}, w2: n2}
	r.c2 = m.sumSD*m.sumSD*(1+p*p+q*q) + p*p*q*q*n2
	if m.same {
		r.c.lo = c // a square is added
		r.c2 = m.squareSD*m.squareSD + 4*p*p*m.sumSD*m.sumSD + p*p*p*p*n2
	}
	if n2 > 0 {
		r.cov = span{a.lo, a.hi}.times(span{b.lo, b.hi})
		r.cov = span{r.cov.lo * n2, r.cov.hi * n2}
	}
	out.Low, out.High = r.set(twoSided((1-2*meanShare)*miss), lo, 1)
	return around(out)
}

// correlation is that of the rows with an interval that holds it with at least that probability (docs/theory/tables.md#correlations).
//
// At the true means m and at λ = √(V₂/V₁), V_i the sums of squares about them, C − ρ(λV₁ + V₂/λ)/2 is Gaussian with mean 0 at the true ρ, since
// λV₁ = V₂/λ = √(V₁V₂) there. Intervals of the means and of both V say what m and λ may be; both matter in second order alone, as
// (λV₁ + V₂/λ)/2 is least at √(V₁V₂).
func (m moments) correlation(level float64) Cell {
	out := cell(0, -1, 1)
	if !(m.n > 0) {
		return out
	}
	miss := 1 - level
	a, b := m.mean(0, meanShare*miss), m.mean(1, meanShare*miss)
	c, by := m.centred(a, b)
	v, w := m.square(0, a, meanShare*miss), m.square(1, b, meanShare*miss)
	if v.value > 0 && w.value > 0 {
		out.Value = min(max(c/math.Sqrt(v.value)/math.Sqrt(w.value), -1), 1)
	}
	if m.exact() {
		return cell(out.Value, out.Value, out.Value)
	}
	if !(v.of.lo > 0) || !(w.of.lo > 0) { // a column may be the same in all rows
		return out
	}
	lambda := span{math.Sqrt(w.of.lo / v.of.hi), math.Sqrt(w.of.hi / v.of.lo)}
	at := func(l, v, w float64) float64 { return (l*v + w/l) / 2 }
	best := min(max(math.Sqrt(w.value/v.value), lambda.lo), lambda.hi)
	r := ratio{c: span{c - by, c + by}, w: span{at(best, v.value, w.value), max(at(lambda.lo, v.most, w.most), at(lambda.hi, v.most, w.most))}}
	p, q, s2, n2 := a.largest(), b.largest(), m.sumSD*m.sumSD, m.countSD*m.countSD
	r.c2 = s2*(1+p*p+q*q) + p*p*q*q*n2
	r.w2 = max(lambda.lo*lambda.lo*v.noise+w.noise/(lambda.lo*lambda.lo), lambda.hi*lambda.hi*v.noise+w.noise/(lambda.hi*lambda.hi))/4 + p*p*q*q*n2/2
	// Of C and W: m₁m₂·((λ + 1/λ)σ_A² + (λm₁² + m₂²/λ)σ_N²/2).
	sum := func(l float64) float64 { return l + 1/l }
	g := span{s2 * sum(min(max(1, lambda.lo), lambda.hi)), s2*max(sum(lambda.lo), sum(lambda.hi)) + n2*(lambda.hi*p*p+q*q/lambda.lo)/2}
	r.cov = span{a.lo, a.hi}.times(span{b.lo, b.hi}).times(g)
	out.Low, out.High = r.set(twoSided((1-4*meanShare)*miss), -1, 1)
	return around(out)
}

// squares is what is known of V = Σ(u − m)².
type squares struct {
	value float64 // about the noisy mean, where it is least: as it came out
	most  float64 // about the means of the interval, at most
	noise float64 // its variance, at most
	of    span    // the interval of V itself
}

// square is that of a column whose mean is in an interval; the interval of V misses with probability miss.
func (m moments) square(i int, mean near, miss float64) squares {
	p, n2 := mean.largest(), m.countSD*m.countSD
	s := squares{value: m.d[i] - m.a[i]*m.a[i]/m.n, noise: m.squareSD*m.squareSD + 4*p*p*m.sumSD*m.sumSD + p*p*p*p*n2}
	s.most = s.value + m.n*mean.reach*mean.reach
	margin := twoSided(miss) * math.Sqrt(s.noise)
	s.of = span{s.value - margin, s.most + margin}
	return s
}

// exact says that there is no noise.
func (m moments) exact() bool { return m.countSD == 0 && m.sumSD == 0 && m.squareSD == 0 }

// around is a cell whose value is in its interval.
func around(c Cell) Cell { return cell(c.Value, min(c.Low, c.Value), max(c.High, c.Value)) }

func cell(value, low, high float64) Cell { return Cell{Value: value, Low: low, High: high} }

// twoSided is z with P(|N(0, 1)| > z) = miss.
func twoSided(miss float64) float64 { return -distuv.UnitNormal.Quantile(miss / 2) }
