package accountant

import (
	"math"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// addNodes prices [addPair] or [removePair] at one order for several displacements v, on shared nodes. Both are an
// expectation of one function of the coin m(x) = 1 − q + q e^{tx − t²/2} at a shifted point: completing the square,
//
//	A = ∫ P^α Q^{1−α} = e^{α(α−1)v²/2} E_z m(z+s)^a,  (a, s) = (α, (α−1)v) to add, (1−α, −αv) to remove,
//	E_z m(z+s)^a − 1 = ∫ φ(x−s) (m^a − 1 − a(m−1)) dx + a q (e^{ts} − 1),
//
// in which both terms are positive. On equidistant nodes jh the integral is e^{−s²/2} Σ_j w_j (e^{hs})^j, a polynomial.
type addNodes struct {
	q, t, alpha float64
	remove      bool
	step        float64
	first       int       // j of the first weight
	weights     []float64 // h φ(jh) (m^a − 1 − a(m−1))
	far         float64
}

// newAddNodes tabulates the weights for displacements up to v; there are none where they would be too many.
//
// Beyond the integrand's last stationary points it falls like e^{−y²/2}, by 2^-65 within 9.5; that of the power to
// add is below x = s + αt·posterior(x), the others are at most t above s. On the left the power to remove rises at most
// by e^{(α−1)tq} per unit, as x < t/2 there.
func newAddNodes(p addPair, remove bool, alpha, v float64) *addNodes {
	a := &addNodes{q: p.q, t: p.t, alpha: alpha, remove: remove}
	power := newPower(alpha)
	lo, hi := 0.0, (alpha-1)*v+p.t
	if remove {
		a.step = lineStep(removePair{p}, alpha)
		power = newPower(1 - alpha)
		lo, hi = -alpha*v-(alpha-1)*p.t*p.q, p.t
	} else {
		a.step = lineStep(p, alpha)
		s := (alpha - 1) * v
		high := s + alpha*p.t
		for range 8 {
			high = s + alpha*p.t*p.posterior(p.t*(high-p.t/2))
		}
		hi = max(hi, high)
	}
	lo, hi = lo-9.5, hi+9.5
	a.far = max(-lo, hi)
	first := math.Floor(lo / a.step)
	n := math.Ceil(hi/a.step) - first + 1
	if !(a.step > 0) || !(n <= 4*largestTable) || a.far > 40 {
		return a
	}
	const invSqrt2Pi = 1 / (math.Sqrt2 * math.SqrtPi)
	a.first = int(first)
	a.weights = make([]float64, int(n))
	for i := range a.weights {
		x := float64(a.first+i) * a.step
		l := p.log(p.t * (x - p.t/2))
		w := a.step * invSqrt2Pi
		if power.alpha*l > 300 {
			w *= math.Exp(power.alpha*l - x*x/2)
		} else {
			w *= math.Exp(-x*x/2) * power.excessLog(l)
		}
		a.weights[i] = w
	}
	return a
}

// moment is (α−1) D_α at the displacement v, rounded up; +Inf where the nodes do not suffice.
func (a *addNodes) moment(v float64) float64 {
	if len(a.weights) == 0 {
		return math.Inf(1)
	}
	beta := a.alpha - 1
	power, s := a.alpha, beta*v
	if a.remove {
		power, s = -beta, -a.alpha*v
	}
	// The two halves, each from its end inward.
	up := math.Exp(a.step * s)
	down := 1 / up
	left, right := 0.0, 0.0
	for _, w := range a.weights[:-a.first] {
		left = math.FMA(left, down, w)
	}
	left *= down
	for i := len(a.weights) - 1; i >= -a.first; i-- {
		right = math.FMA(right, up, a.weights[i])
	}
	scale := math.Exp(-s * s / 2)
	sum := left + right
	// What is left out beyond the ends.
	const negligible = 0x1p-52
	n := float64(len(a.weights))
	if edge := a.weights[0]*math.Exp(float64(a.first)*a.step*s) + a.weights[len(a.weights)-1]*math.Exp((n-1+float64(a.first))*a.step*s); !(edge <= negligible*sum) {
		return math.Inf(1)
	}
	excess := quad.Inflate(scale*sum+power*a.q*math.Expm1(a.t*s), tableMargin(a.alpha*(a.t+v), a.far+math.Abs(s), n))
	gauss := math.Expm1(gaussMoment(a.alpha, v))
	total := quad.Inflate(gauss*(1+excess)+excess, 8*eps)
	if !(total < math.MaxFloat64) {
		return math.Inf(1)
	}
	return quad.Inflate(math.Log1p(total), 4*eps)
}
