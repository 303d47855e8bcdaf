package accountant

import (
	"math"

	"github.com/dpkit-go/dpnb/internal/quad"
)

const (
	// largestTable is the largest number of nodes that displacements share.
	largestTable = 256
	// tableReach is the largest product of the order and the shift at which nothing on shared nodes overflows.
	tableReach = 30
)

// tableMargin covers the relative rounding error of a sum over n shared nodes up to the distance far: the exponents
// are at most far² and reach·far, and the powers of a displacement's factor have an error of n units.
func tableMargin(reach, far, n float64) float64 {
	return kernelMargin + eps*(16*far*(far+reach)+8*n)
}

// replaceNodes prices [replacePair] at one order for several displacements, on the nodes of [lineMoment]. In the
// coordinate y in which the logarithmic ratio l is odd, the nodes y and −y together have
//
//	Q (r^α − 1 − α(r−1)) + P (r^{−α} − 1 − α(1/r−1)) = (r^{α−1} − 1) (P − Q r^{1−α}) = 4√(PQ) sinh(αl/2) sinh((α−1)l/2),
//
// positive factors without a cancellation. What does not depend on the displacement is kept: it is filled on demand.
type replaceNodes struct {
	coin
	t, alpha, step float64
	n              int                   // nodes that are filled
	phi            [largestTable]float64 // e^{−y²/2}
	fall           [largestTable]float64 // e^{−ty}
	sinh2          [largestTable]float64 // 2 sinh ty
}

// set starts a table.
func (r *replaceNodes) set(p replacePair, alpha float64) {
	r.coin, r.t, r.alpha = p.coin, p.t, alpha
	r.step = lineStep(p, alpha)
	r.n = 0
}

// fill computes the next node.
func (r *replaceNodes) fill() {
	y := float64(r.n+1) * r.step
	ty := r.t * y
	fall := math.Exp(-ty)
	r.phi[r.n], r.fall[r.n] = math.Exp(-y*y/2), fall
	if ty < 0.5 {
		r.sinh2[r.n] = 2 * math.Sinh(ty)
	} else {
		r.sinh2[r.n] = 1/fall - fall
	}
	r.n++
}

// moment is (α−1) D_α at the displacement v, rounded up; +Inf where the nodes do not suffice.
func (r *replaceNodes) moment(v float64) float64 {
	s := v / 2
	lift := r.t * (s + r.t/2)
	scale := r.q * math.Exp(-lift)
	beta := r.alpha - 1
	// No stationary point of the integrand lies above high: those of P^α Q^{1−α} solve y = pull(y), and the
	// posterior of −y is at most q.
	lo := (2*r.alpha-1)*s + beta*r.t*r.q
	high := lo + r.alpha*r.t
	for range 8 {
		next := lo + r.alpha*r.t*r.posterior(r.t*high-lift)
		if high-next < r.step {
			break
		}
		high = next
	}
	const negligible = 0x1p-54
	sum, last, far := 0.0, 0.0, 0.0
	grow, up := math.Exp(r.step*s), 1.0 // e^{ys}
	for j := 0; ; j++ {
		if j == r.n {
			if j == largestTable {
				return math.Inf(1)
			}
			r.fill()
		}
		y := float64(j+1) * r.step
		up *= grow
		down := 1 - r.q + scale*r.fall[j]
		rise := scale * r.sinh2[j]
		l := v*y + math.Log1p(rise/down)
		var node float64
		switch a, b := r.alpha*l, beta*l; {
		case a < 1:
			node = 4 * math.Sqrt(down*(down+rise)) * sinhSmall(a/2) * sinhSmall(b/2) * r.phi[j]
		case b < 300:
			less := expm1(b)
			node = less * (up*(down+rise) - down/(up*(1+less))) * r.phi[j]
		default:
			node = math.Exp(b+y*(s-y/2)) * (down + rise)
		}
		sum += node
		if y > high && node <= negligible*sum && node <= last {
			far = y
			break
		}
		last = node
	}
	const invSqrt2Pi = 1 / (math.Sqrt2 * math.SqrtPi)
	sum *= math.Exp(-s*s/2) * r.step * invSqrt2Pi
	sum = quad.Inflate(sum, tableMargin(r.alpha*(2*r.t+v), far, far/r.step))
	if !(sum < math.MaxFloat64) {
		return math.Inf(1)
	}
	return quad.Inflate(math.Log1p(sum), 4*eps)
}

// sinhSmall is sinh x for |x| ≤ 1/2: the first term that is left out is below 2^-58 of the first.
func sinhSmall(x float64) float64 {
	z := x * x
	return x * (1 + z*(1./6+z*(1./120+z*(1./5040+z*(1./362880+z*(1./39916800+z*(1./6227020800)))))))
}
