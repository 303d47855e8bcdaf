package accountant

import (
	"math"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// objectiveLoss bounds the privacy loss of objective perturbation for one row added or removed.
type objectiveLoss struct {
	s        float64 // L/σ
	det      float64 // ln(1 + β/Λ)
	bend     float64 // C²/Λ
	oneSign  bool    // the loss's derivative has one sign
	logistic bool
}

// delta is E[(1 − e^(ε−Z))_+], rounded up.
func (l objectiveLoss) delta(epsilon float64) float64 {
	switch {
	case math.IsNaN(epsilon) || math.IsInf(l.s, 1):
		return 1
	case l.logistic:
		return l.logisticDelta(epsilon)
	}
	// ε lowered by more than the rounding of the difference.
	e := epsilon - l.det
	e -= 0x1p-50 * (math.Abs(epsilon) + l.det)
	times := 2.0
	if l.oneSign {
		times = 1
	}
	if square := l.s * l.s / 2; e < square*(1+0x1p-50) {
		// Z exceeds ε whatever X is. One sign: half the mass is at det + s²/2.
		tail := math.Exp(e + quad.LogNormalCDF(-l.s))
		value := 1 - 2*tail
		if l.oneSign {
			value = 0.5 - tail - math.Expm1(min(0, e-square))/2
		}
		return min(1, quad.Inflate(max(0, value)+0x1p-50*(1+math.Abs(e)+square), 0x1p-50))
	}
	return min(1, quad.MulUp(times, gaussianDelta(e, l.s)))
}

// divergence is ln E[e^((α−1)Z)]/(α−1), rounded up.
func (l objectiveLoss) divergence(alpha float64) float64 {
	over := alpha - 1
	if !(over > 0) || math.IsInf(over, 1) || math.IsInf(l.s, 1) {
		return math.Inf(1)
	}
	// E[e^(over X); X > 0] = e^(t²/2) Φ(t), t = over s.
	t := over * l.s
	tail := t*t/2 + quad.LogNormalCDF(t)
	mean := tail + math.Ln2
	if l.oneSign {
		mean = quad.LogAddExp(tail, -math.Ln2)
	}
	// The logarithm is 0 at t = 0, up to rounding.
	mean = math.Max(0, mean) + 0x1p-49*(1+t*t)
	bound := quad.AddUp(quad.AddUp(l.det, quad.MulUp(l.s, l.s)/2), quad.DivUp(mean, over))
	if l.logistic {
		return min(bound, l.logisticDivergence(over))
	}
	return bound
}

// worstSlope returns Z(x) = max over p in [0,1] of h(p) = ln(1 + p(1−p) C²/Λ) + p² s²/2 + p x: h at the ends and at
// the roots of the cubic h'(p) (1 + p(1−p) C²/Λ).
func (l objectiveLoss) worstSlope(x float64) float64 {
	b, s2 := l.bend, l.s*l.s
	h := func(p float64) float64 { return math.Log1p(p*(1-p)*b) + p*p*s2/2 + p*x }
	g := func(p float64) float64 { return b*(1-2*p) + (p*s2+x)*(1+b*p*(1-p)) }
	// g' = −2b + s²(1 + bp − bp²) + (ps² + x) b (1−2p) is a quadratic: its roots split [0,1] into
	// intervals on which g is monotone.
	c2, c1, c0 := -3*b*s2, 2*b*(s2-x), -2*b+s2+x*b
	cuts := [4]float64{0, 1, 1, 1}
	n := 1
	if disc := c1*c1 - 4*c2*c0; disc > 0 && c2 != 0 {
		q := -(c1 + math.Copysign(math.Sqrt(disc), c1)) / 2
		r1, r2 := q/c2, c0/q
		if r1 > r2 {
			r1, r2 = r2, r1
		}
		for _, r := range []float64{r1, r2} {
			if r > 0 && r < 1 {
				cuts[n] = r
				n++
			}
		}
	}
	cuts[n] = 1
	best := max(0, h(1))
	for i := range n {
		lo, hi := cuts[i], cuts[i+1]
		if !(g(lo) > 0 && g(hi) < 0) {
			continue // no maximum inside
		}
		// Newton's steps, halves where they leave the bracket, until one is next to nothing: h is flat at its top, but where x is large it
		// bends by x².
		p := (lo + hi) / 2
		for range 60 {
			v := g(p)
			if v > 0 {
				lo = p
			} else {
				hi = p
			}
			next := p - v/(c0+p*(c1+p*c2))
			if !(next > lo && next < hi) {
				next = (lo + hi) / 2
			}
			moved := math.Abs(next - p)
			if p = next; moved < 1e-14 {
				break
			}
		}
		best = max(best, h(p))
	}
	return best
}

// logisticMargin covers the error of worstSlope: of its roundings, and of p.
func (l objectiveLoss) logisticMargin(x float64) float64 {
	return 0x1p-48 * (1e-3 + l.s*l.s + math.Abs(x) + math.Log1p(l.bend))
}

// logisticDelta is the profile of the logistic loss: closed where the theorem holds, elsewhere by quadrature
// from the x at which Z(x) = ε on, with its error added.
func (l objectiveLoss) logisticDelta(epsilon float64) float64 {
	return l.logisticDeltaTo(epsilon, 1e-12)
}

// logisticDeltaTo is logisticDelta to a relative tolerance of the quadrature.
func (l objectiveLoss) logisticDeltaTo(epsilon, tolerance float64) float64 {
	half := l.s * l.s / 2 * (1 - 0x1p-50)
	gauss := gaussianDelta(epsilon, l.s)
	if epsilon >= 0 && l.bend <= (epsilon+half)*(1-0x1p-50) {
		return gauss
	}
	if epsilon < 0 {
		// P(S) − e^ε Q(S) = P(S) − Q(S) + (1 − e^ε) Q(S).
		return min(1, quad.AddUp(l.logisticDeltaTo(0, tolerance), quad.Inflate(-math.Expm1(epsilon), 0x1p-50)))
	}
	// Z rises with x, from 0 at x ≤ −C²/Λ: find Z = ε in units of s, from below.
	z := func(v float64) float64 { return l.worstSlope(l.s * v) }
	lo := -l.bend/l.s - 1
	hi := (epsilon-half)/l.s + 1 // Z(x) ≥ h(1) = s²/2 + x
	if !(lo < hi) {
		lo = hi - 1
	}
	lo, hi = max(lo, -40), max(hi, -39)
	for range 60 {
		if mid := (lo + hi) / 2; z(mid) < epsilon {
			lo = mid
		} else {
			hi = mid
		}
	}
	if lo > 37 {
		return quad.Inflate(quad.NormalCDF(-lo), 0x1p-46) // the probability of Z > ε
	}
	end := math.Max(lo, 0)
	end = lo + 2*50/(end+math.Sqrt(end*end+2*50)) + math.Max(0, -lo)
	value, err := quad.Adaptive(func(v float64) float64 {
		excess := z(v) - epsilon + l.logisticMargin(l.s*v)
		if !(excess > 0) {
			return 0
		}
		return quad.NormalPDF(v, 0) * -math.Expm1(-excess)
	}, lo, end, tolerance)
	return min(1, quad.Inflate(value+2*err, 0x1p-44))
}

// logisticDivergence is ln E[e^(over Z)]/over by quadrature; +Inf where that would take too long.
func (l objectiveLoss) logisticDivergence(over float64) float64 {
	// f(v) = over max(0, s²/2 + s v) − v²/2 has its top t²/2 + over s²/2 at t, and the exponent of the integrand is
	// between f and f + over·det: within 50 of the top it lies at most reach from t or from 0.
	t := over * l.s
	reach := math.Sqrt(2*(50+over*l.det)) + 1
	if !(reach < 60) || !(t < 1e6) {
		return math.Inf(1)
	}
	// The exponent is a difference of numbers of size t², whose rounding no panel can be narrow enough for.
	tolerance := max(1e-12, 0x1p-50*t*t)
	const chunk = 16 // peaks are no narrower than that of a normal density: Z is convex
	top := over*l.worstSlope(l.s*t) - t*t/2
	lo := -reach
	if t > reach {
		lo = t - reach
	}
	sum := 0.0
	for ; lo < t+reach; lo += chunk {
		value, err := quad.Adaptive(func(v float64) float64 {
			return math.Exp(over*(l.worstSlope(l.s*v)+l.logisticMargin(l.s*v)) - v*v/2 - top)
		}, lo, lo+chunk, tolerance)
		sum += value + 2*err
	}
	const logSqrt2Pi = 0.918938533204672741780329736405617639861
	mean := top + math.Log(sum) - logSqrt2Pi
	mean += 0x1p-40 + 0x1p-48*(math.Abs(top)+t*t) // what was left out, and roundings
	return quad.DivUp(math.Max(0, mean), over)
}
