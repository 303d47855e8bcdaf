package accountant

import (
	"math"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// wor is one Gaussian step on a batch without replacement under replace-one: γ is the rate of one row, and
// swapping a row of the batch moves the sum by at most t = 2C/σ.
type wor struct{ gamma, t float64 }

// logMoment is the smaller of the two bounds on (α−1) D_α that are known.
func (w wor) logMoment(alpha float64) float64 {
	return min(w.hybrid(alpha), w.corrected(alpha))
}

// hybrid bounds (α−1) D_α for any real order by
//
//	e^{(α−1)D} ≤ 1 + ∫_{x≥t/2} φ(x) (r^α + r^{1−α} − r − 1) dx,  r = 1 − γ + γ e^{tx − t²/2}
//
// (docs/theory/preprocessing.md#batches-without-replacement): by advanced joint convexity (Balle, Barthe, Gaboardi 2018, Theorem 2) the
// hockey-stick divergences of the step are at most those of ((1−γ) N(0) + γ N(t), N(0)), in both
// directions, and x^α is a mixture of hinges. The bracket is (r^{α−1} − 1)(r^α − 1) r^{1−α}.
func (w wor) hybrid(alpha float64) float64 {
	switch {
	case w.gamma == 0 || w.t == 0:
		return 0
	case math.IsInf(w.t, 1) || math.IsInf(alpha, 1):
		return math.Inf(1)
	}
	beta, lift := alpha-1, w.t*w.t/2
	gauss := quad.Inflate(alpha*beta*lift, 4*eps) // quasi-convexity: no more than without sampling
	if w.gamma == 1 {
		return gauss
	}
	if alpha*w.t > 2e3 || w.t > 64 {
		// r^{1−α} ≤ 1 ≤ r where it is integrated, so the integral is below E r^α.
		return min(gauss, quad.Inflate(quad.LogAddExp(0, sgm{w.gamma, w.t}.minkowski(alpha)), 4*eps))
	}
	c := newCoin(w.gamma)
	hi := alpha * w.t
	bumps := sortedBumps(func(x float64) float64 { return alpha * w.t * c.posterior(w.t*x-lift) }, 0, hi, w.t/2)
	top := 0.0
	for _, x := range bumps {
		if x > w.t/2 {
			top = max(top, -x*x/2+alpha*c.log(w.t*x-lift))
		}
	}
	if top < 300 {
		top = 0
	}
	node := func(x float64) float64 {
		l := c.log(w.t*x - lift)
		if alpha*l > 40 {
			return math.Exp(-x*x/2+alpha*l-top) * -math.Expm1(-beta*l)
		}
		return math.Exp(-x*x/2-top) * math.Expm1(alpha*l) * -math.Expm1(-beta*l)
	}
	// Panels of 40 points, short beside the distance π/t of the zeros of r: the error of one is below
	// ρ^{-80} of its largest value on an ellipse with ρ > 2.4 (Trefethen 2013, Theorem 19.3).
	width := min(2, 5/w.t)
	panel := func(x float64) float64 {
		if x += w.t / 2; x < w.t/2 {
			return 0
		}
		return quad.Legendre(node, x, x+width)
	}
	for i := range bumps {
		bumps[i] = max(0, bumps[i]-w.t/2)
	}
	const invSqrt2Pi = 1 / (math.Sqrt2 * math.SqrtPi)
	sum := trapezoid{node: panel, step: width}.sum(bumps) * invSqrt2Pi
	far := hi + 9
	sum = quad.Inflate(sum, kernelMargin+8*eps*(far*far))
	if top > 0 {
		return min(gauss, quad.Inflate(top+math.Log(sum+math.Exp(-top)), 4*eps))
	}
	return min(gauss, quad.Inflate(math.Log1p(sum), 4*eps))
}

// largestTernary is the largest order at which corrected is evaluated: past it the hybrid bound wins or both are useless.
const largestTernary = 256

// corrected bounds (α−1) D_α at integer orders by the expansion of Wang, Balle, Kasiviswanathan (2019,
// Theorem 9) with the quadratic term that their ternary divergence has for Gaussian noise,
//
//	1 + γ² C(α,2) 2 e^S (1 − e^{−S/2}) + Σ_{j≥3} γ^j C(α,j) 2 e^{j(j−1)S/2},  S = t²
//
// (docs/theory/preprocessing.md#batches-without-replacement), and in between by the chord: (α−1) D_α is convex in α.
func (w wor) corrected(alpha float64) float64 {
	if !(alpha <= largestTernary) {
		return math.Inf(1)
	}
	lo := math.Floor(alpha)
	at := w.ternary(int(lo))
	if lo == alpha {
		return at
	}
	next := w.ternary(int(lo) + 1)
	return quad.AddUp(quad.MulUp(lo+1-alpha, at), quad.MulUp(alpha-lo, next))
}

func (w wor) ternary(alpha int) float64 {
	if alpha < 2 || w.gamma == 0 || w.t == 0 {
		return 0
	}
	a, s := float64(alpha), w.t*w.t
	lg := math.Log(w.gamma)
	logs := make([]float64, 0, alpha)
	lc := math.Log(a)
	top := 0.0
	for j := 2.0; j <= a; j++ {
		lc += math.Log((a - j + 1) / j)
		e := j * (j - 1) * s / 2
		v := lc + j*lg + math.Ln2 + e
		if j == 2 {
			v += quad.Log1mExp(-s / 2)
		}
		v += 4 * eps * (j + lc - j*lg + e)
		logs = append(logs, v)
		top = max(top, v)
	}
	sum := 0.0
	for _, v := range logs {
		sum += math.Exp(v - top)
	}
	sum = quad.Inflate(sum, kernelMargin)
	if top > 0 {
		return quad.Inflate(top+math.Log(sum+math.Exp(-top)), 4*eps)
	}
	return quad.Inflate(math.Log1p(sum), 4*eps)
}
