package accountant

import (
	"math"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// sgm is the pair of one Poisson-subsampled Gaussian step under add/remove,
//
//	P = (1−q) N(0, 1) + q N(t, 1),  Q = N(0, 1),  t = C/σ,
//
// in the worse direction: D_α(P‖Q) ≥ D_α(Q‖P) (Mironov, Talwar, Zhang 2019, Theorem 5), and the pair is the
// worst one of all dimensions (Theorem 4 there).
type sgm struct{ q, t float64 }

const (
	// kernelMargin covers the relative error of every quadrature here: the discretisation is below 2^-46,
	// and so is the rounding of at most a few hundred terms.
	kernelMargin = 0x1p-44
	// eps is the unit in the last place of 1.
	eps = 0x1p-52
)

// logMoment returns (α−1) D_α, rounded up: the logarithm of A(α) = E_Q (P/Q)^α.
func (s sgm) logMoment(alpha float64) float64 {
	switch {
	case s.q == 0 || s.t == 0:
		return 0
	case math.IsInf(s.t, 1) || math.IsInf(alpha, 1):
		return math.Inf(1)
	}
	beta := alpha - 1
	bound := s.minkowski(alpha)
	if s.q == 1 {
		return min(bound, quad.Inflate(alpha*beta*s.t*s.t/2, 4*eps))
	}
	switch {
	case alpha == math.Floor(alpha) && (alpha <= 64 || (s.t > 32 && alpha <= 4096)):
		return min(bound, s.binomial(int(alpha)))
	case s.t > 32:
		return min(bound, s.subadditive(alpha))
	case alpha*s.t > 1e4:
		return bound
	}
	return min(bound, s.quadrature(alpha))
}

// minkowski bounds ln A by Minkowski's inequality in L_α(Q) for P/Q = (1−q) + q e^w:
// A^{1/α} ≤ (1−q) + q e^{(α−1)t²/2}. It is tight for large α.
func (s sgm) minkowski(alpha float64) float64 {
	e := quad.Inflate((alpha-1)*s.t*s.t/2, 4*eps)
	if e > 700 {
		// ln(1 + q(e^E − 1)) ≤ ln q + E + e^{−E}/q
		return quad.Inflate(alpha*max(0, e+math.Log(s.q)+math.Exp(-e)/s.q)+alpha*4*eps*(e-math.Log(s.q)), 8*eps)
	}
	return quad.Inflate(alpha*math.Log1p(quad.Inflate(s.q*math.Expm1(e), 4*eps)), 4*eps)
}

// subadditive bounds ln A for a real order α = n + s by (a+b)^s ≤ a^s + b^s for a = 1−q, b = q e^w: a sum of
// 2(n+1) moments E b^c = q^c e^{c(c−1)t²/2}. For large t one of the moments is nearly all of A.
func (s sgm) subadditive(alpha float64) float64 {
	n := math.Floor(alpha)
	frac := alpha - n
	if n > 4096 {
		return math.Inf(1)
	}
	lq, l1q := math.Log(s.q), math.Log1p(-s.q)
	// The moment of a^{α−c} b^c, relative to 1.
	moment := func(c float64) float64 {
		return (alpha-c)*l1q + c*lq + c*(c-1)*s.t*s.t/2
	}
	top := math.Inf(-1)
	logs := make([]float64, 0, 2*int(n)+2)
	for k := 0.0; k <= n; k++ {
		lc := logBinomial(n, k)
		for _, c := range []float64{k, k + frac} {
			if k == 0 && c == 0 {
				continue // a^α, put in below without rounding
			}
			v := lc + moment(c)
			v += 8 * eps * (lc + (alpha-c)*-l1q + c*-lq + c*math.Abs(c-1)*s.t*s.t/2)
			logs = append(logs, v)
			top = max(top, v)
		}
	}
	sum := 0.0
	for _, v := range logs {
		sum += math.Exp(v - max(top, 0))
	}
	sum = quad.Inflate(sum, kernelMargin)
	if top > 0 {
		return quad.Inflate(top+math.Log(sum+math.Exp(alpha*l1q-top)), 4*eps)
	}
	return max(0, quad.Inflate(math.Log1p(max(0, sum+math.Expm1(alpha*l1q)*(1-4*eps))), 4*eps))
}

// binomial is ln A at an integer order (Mironov, Talwar, Zhang 2019, Section 3.3),
//
//	A − 1 = Σ_{k=2}^α C(α, k) (1−q)^{α−k} q^k (e^{k(k−1)t²/2} − 1),
//
// the terms of their sum less those of the binomial theorem: all positive.
func (s sgm) binomial(alpha int) float64 {
	a := float64(alpha)
	lq, l1q := math.Log(s.q), math.Log1p(-s.q)
	half := s.t * s.t / 2
	if alpha <= 64 && a*(a-1)*half < 600 {
		odds := s.q / (1 - s.q)
		w := math.Exp(a * l1q) // C(α, k) (1−q)^{α−k} q^k
		if w > 1e-200 && odds > 1e-4 && odds < 1e4 {
			sum := 0.0
			for k := 1.0; k <= a; k++ {
				w *= (a - k + 1) / k * odds
				sum += w * math.Expm1(k*(k-1)*half)
			}
			return quad.Inflate(math.Log1p(quad.Inflate(sum, kernelMargin)), 4*eps)
		}
	}
	logs := make([]float64, 0, alpha)
	top := math.Inf(-1)
	lc := math.Log(a) // ln C(α, 1)
	for k := 2.0; k <= a; k++ {
		lc += math.Log((a - k + 1) / k)
		e := k * (k - 1) * half
		v := lc + (a-k)*l1q + k*lq + logExpm1(e)
		v += 4 * eps * (k + lc + (a-k)*-l1q + k*-lq + e)
		logs = append(logs, v)
		top = max(top, v)
	}
	shift := max(top, 0)
	sum := 0.0
	for _, v := range logs {
		sum += math.Exp(v - shift)
	}
	sum = quad.Inflate(sum, kernelMargin)
	if shift > 0 {
		return quad.Inflate(shift+math.Log(sum+math.Exp(-shift)), 4*eps)
	}
	return quad.Inflate(math.Log1p(sum), 4*eps)
}

// quadrature is ln A at a real order by the trapezoid rule on the whole line for
//
//	A − 1 = ∫ φ(x) F(r(x)) dx,  F(r) = r^α − 1 − α(r−1) ≥ 0,  r − 1 = q (e^{w} − 1),  w = t(x − t/2),
//
// an integral of a non-negative function, so that nothing cancels however small it is.
func (s sgm) quadrature(alpha float64) float64 {
	p := newPower(alpha)
	step := s.step()
	t, q := s.t, s.q
	lift := t * t / 2
	// The integrand has at most two bumps: stationary points of −x²/2 + α ln r are the solutions of
	// x = αt·p(x), p = q e^w/r, at most three for a logistic p.
	post := func(x float64) float64 { return q / (q + (1-q)*math.Exp(lift-t*x)) }
	high := alpha * t
	for range 60 {
		next := alpha * t * post(high)
		if high-next < step/2 {
			break
		}
		high = next
	}
	top := -high*high/2 + alpha*math.Log1p(q*math.Expm1(t*high-lift))
	shift := 0.0
	if !(top < 300) {
		if math.IsInf(math.Exp(t*high-lift), 1) {
			top = -high*high/2 + alpha*(math.Log(q)+t*high-lift)
		}
		shift = top
	}
	node := func(x float64) float64 {
		w := t*x - lift
		if w > 600 {
			return math.Exp(-x*x/2 + alpha*(math.Log(q)+w+math.Exp(-w)/q) - shift)
		}
		u := q * expm1(w)
		if alpha*u > 30 { // below it r^α is less than e^30
			if l := math.Log1p(u); p.beta*l > 40 {
				return math.Exp(-x*x/2 + alpha*l - shift)
			}
		}
		return math.Exp(-x*x/2-shift) * p.excess(u)
	}
	sum := trapezoid{node: node, step: step}.sum([]float64{0, high})
	const invSqrt2Pi = 1 / (math.Sqrt2 * math.SqrtPi)
	sum = quad.Inflate(sum*step*invSqrt2Pi, kernelMargin+8*eps*(high*high+alpha*t*(high+9)))
	if shift > 0 {
		return quad.Inflate(shift+math.Log(sum+math.Exp(-shift)), 4*eps)
	}
	return quad.Inflate(math.Log1p(sum), 4*eps)
}

// step is a distance of nodes for which the trapezoid rule is right to a relative 2^-46.
//
// Proof. For a function that is analytic and integrable in the strip |Im z| ≤ d the error is at most
// 2M/(e^{2πd/h} − 1), M = sup_{|y|≤d} ∫|φ(x+iy) F(r(x+iy))| dx (Trefethen, Weideman 2014, Theorem 5.1).
// r has no zero and no value on the negative axis for θ = td < π. From
// F(1+u) = α(α−1) u² ∫₀¹ (1−s)(1+su)^{α−2} ds, |r(x+iy)| ≤ r(x) and |a + be^{iθ}| ≥ (a+b) cos(θ/2),
//
//	|F(r(x+iy))| ≤ κ F(r(x)) |u(x+iy)|²/u(x)²,  κ = 1/cos(θ/2),
//	|u(x+iy)|²/u(x)² = 1 + 2(1−cos ty)/(4 sinh²(w/2)) ≤ 1 + y²/(x−t/2)².
//
// Let δ = 1/(1+t). Where |x−t/2| ≥ δ the last factor is at most 1 + d²(1+t)². Nearer, F(r(x))/(x−t/2)² at
// one point is at most 20 times its value at a larger one within 2δ, (e^y−1)/y rising and r staying within
// [e^-1, e²], and φ changes by at most e³ there, so the integral over |x−t/2| < δ is at
// most 40 e³ (1+t)² times that of φF over [t/2+δ, t/2+2δ]. As |φ(x+iy)| = e^{y²/2} φ(x), in all
// M ≤ κ e^{d²/2} (1 + 804 d²(1+t)²) (A−1). ∎
func (s sgm) step() float64 {
	d := min(7, 0.9*math.Pi/s.t)
	const kappa = 6.4 // 1/cos(0.45π)
	need := d*d/2 + math.Log(2*kappa*(1+804*d*d*(1+s.t)*(1+s.t))) + 46.1*math.Ln2
	return 2 * math.Pi * d / need
}

// logBinomial is ln C(n, k).
func logBinomial(n, k float64) float64 {
	a, _ := math.Lgamma(n + 1)
	b, _ := math.Lgamma(k + 1)
	c, _ := math.Lgamma(n - k + 1)
	return a - b - c
}

// logExpm1 is ln(e^x − 1) for x > 0.
func logExpm1(x float64) float64 {
	if x > 40 {
		return x
	}
	return math.Log(math.Expm1(x))
}
