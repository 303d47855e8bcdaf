package unbounded

import (
	"math"

	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
)

// LinkMoments are E f(η) and E f′(η) for η ~ N(mu, tau²), by the trapezoidal rule, which converges faster than any power for
// smooth functions on the line: over the wider of the two densities. E f(η) = ∫ f′(t) P(η ≥ t) dt.
func LinkMoments(l models.Link, mu, tau float64) (mean, slope float64) {
	if tau < 1 {
		const h = 1.0 / 16
		for k := -160; k <= 160; k++ {
			z := float64(k) * h
			w := h * models.LinkProbit.Slope(z)
			mean += w * l.Probability(mu+tau*z)
			slope += w * l.Slope(mu+tau*z)
		}
		return mean, slope
	}
	const h = 1.0 / 8
	for k := -320; k <= 320; k++ {
		t := float64(k) * h
		w := h * l.Slope(t)
		mean += w * models.LinkProbit.Probability((mu-t)/tau)
		slope += w * models.LinkProbit.Slope((t-mu)/tau) / tau
	}
	return mean, slope
}

// farthest is the standard deviation of the linear term beyond which the classes count as separated.
const farthest = 30

// RecoverLinear returns the mean and the standard deviation of the linear term η under which least squares of ±1 on Gaussian
// features has the mean label 2E f(η) − 1 and explains the given standard deviation of it: by Stein's identity the
// coefficients are k β with k = 2E f′(η), so that what they explain is k·τ (Brillinger 1982). It reports false where no τ
// up to farthest does.
func RecoverLinear(l models.Link, mean, explained float64) (mu, tau float64, ok bool) {
	if !(mean > -1 && mean < 1 && explained > 0) {
		return 0, 0, false
	}
	centre := func(tau float64) float64 {
		lo, hi := -40*(1+tau), 40*(1+tau)
		for range 50 {
			mid := lo + (hi-lo)/2
			if p, _ := LinkMoments(l, mid, tau); 2*p-1 < mean {
				lo = mid
			} else {
				hi = mid
			}
		}
		return lo + (hi-lo)/2
	}
	at := func(tau float64) float64 {
		_, slope := LinkMoments(l, centre(tau), tau)
		return 2 * slope * tau
	}
	if at(farthest) < explained {
		return 0, 0, false
	}
	lo, hi := 0.0, float64(farthest)
	for range 45 {
		mid := lo + (hi-lo)/2
		if at(mid) < explained {
			lo = mid
		} else {
			hi = mid
		}
	}
	tau = lo + (hi-lo)/2
	return centre(tau), tau, true
}

// scaleToLink turns the coefficients of ±1 into those of the link, where it can: a function of the released moments. Errors
// are scaled alike, without that of the factor.
func scaleToLink(m *models.UnboundedModel, j *jointMoments, intercept bool) {
	p := j.m - 1
	from, mean := 0, 0.0
	if intercept {
		from, mean = 1, j.lower[p*j.m]/j.lower[0]
	}
	explained := num.Norm2(j.lower[p*j.m+from : p*j.m+p])
	if intercept {
		explained /= math.Abs(j.lower[0])
	}
	mu, tau, ok := RecoverLinear(m.Link, mean, explained)
	if !ok {
		return
	}
	k := explained / tau
	m.Scaled = true
	m.Intercept = mu
	for i := range m.Coef {
		m.Coef[i] /= k
		m.Privacy[i] /= k
		m.Sampling[i] /= k
		if intercept {
			m.Intercept -= m.Coef[i] * j.lower[(i+1)*j.m] / j.lower[0]
		}
	}
	m.InterceptPrivacy /= k
	m.InterceptSampling /= k
}
