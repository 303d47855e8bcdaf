package scores

import "math"

// share is x/of of two noisy numbers, the first of them a part of the second; the noise has these variances and this covariance.
type share struct {
	x, xVar, of, ofVar, cov float64
}

// interval is Fieller's set {ρ: (x − ρ·of)² ≤ z²(xVar − 2ρ·cov + ρ²·ofVar)} within [0, 1] (docs/theory/tables.md#means-of-groups), and all of
// [0, 1] where it is no interval: at the true share the left side is Gaussian with mean 0 and the variance on the right.
func (s share) interval(z float64) Measure {
	clamp := func(v float64) float64 { return min(max(v, 0), 1) }
	out := Measure{0, 0, 1}
	if s.of > 0 {
		out.Value = clamp(s.x / s.of)
	}
	if s.xVar == 0 && s.ofVar == 0 {
		if s.of > 0 { // public data
			out.Low, out.High = out.Value, out.Value
		}
		return out
	}
	lead := s.of*s.of - z*z*s.ofVar
	lin := s.x*s.of - z*z*s.cov
	last := s.x*s.x - z*z*s.xVar
	if !(s.of > 0) || !(lead > 0) {
		return out
	}
	root := math.Sqrt(max(lin*lin-lead*last, 0)) // positive: at ρ = x/of the set is not empty
	out.Low, out.High = clamp((lin-root)/lead), clamp((lin+root)/lead)
	return out
}

// normShare of what may go wrong is left to the size of the noise on all bins of a class, which enters in second order.
const normShare = 1.0 / 16

// auc is the AUC of scores in bins with an interval (docs/theory/tables.md#scores-of-models): of all A in [0, 1] those at which the noise
// explains H(A) = Σ p̂_b n̂_c (k(b, c) − A), k = 1 where b > c, ½ where b = c.
func (s Score) auc(level float64) Measure {
	n, p := s.Bins[0], s.Bins[1]
	wins, all := 0.0, 0.0
	for b, v := range p {
		for c, w := range n {
			wins += v * w * versus(b, c)
			all += v * w
		}
	}
	out := Measure{0.5, 0, 1}
	sumP, sumN := sum(p), sum(n)
	if sumP > 0 && sumN > 0 {
		out.Value = min(max(wins/all, 0), 1)
	}
	if s.Sigma == 0 {
		if sumP > 0 && sumN > 0 {
			out.Low, out.High = out.Value, out.Value
		}
		return out
	}
	miss := 1 - level
	circle := math.Sqrt(-2 * math.Log((1-normShare)*miss)) // P(U² + V² > r²) = e^{−r²/2}
	// ‖δ‖/σ of k standard normals is above √k + √(2 ln 1/q) with probability q at most (Laurent, Massart 2000, Lemma 1).
	norm := math.Sqrt(float64(len(p))) + math.Sqrt(-2*math.Log(normShare*miss))
	const steps = 2000
	// Between two points of the grid neither side moves by more than this.
	slack := (math.Abs(all) + circle*s.Sigma*math.Sqrt(float64(len(p)))*(math.Abs(sumN)+math.Abs(sumP)+s.Sigma*norm*math.Sqrt(float64(len(p))))) / steps
	low, high := 1.0, 0.0
	for i := range steps + 1 {
		a := float64(i) / steps
		ofN, ofP, frobenius := 0.0, 0.0, 0.0 // ‖M n̂‖², ‖Mᵀ p̂‖², ‖M‖²
		belowN, belowP := 0.0, 0.0
		for b, k := range p {
			rowN := belowN + n[b]/2 - a*sumN     // Σ_c (k(b, c) − a) n̂_c
			rowP := sumP - belowP - k/2 - a*sumP // Σ_c (k(c, b) − a) p̂_c
			ofN, ofP = ofN+rowN*rowN, ofP+rowP*rowP
			belowN, belowP = belowN+n[b], belowP+k
			wins, ties, losses := float64(b)*(1-a)*(1-a), (0.5-a)*(0.5-a), float64(len(p)-1-b)*a*a
			frobenius += wins + ties + losses
		}
		u, v := s.Sigma*math.Sqrt(ofN), s.Sigma*(math.Sqrt(ofP)+math.Sqrt(frobenius)*s.Sigma*norm)
		if math.Abs(wins-a*all) <= circle*math.Hypot(u, v)+slack {
			low, high = min(low, a), max(high, a)
		}
	}
	if low > high {
		return out
	}
	out.Low, out.High = max(low-1.0/steps, 0), min(high+1.0/steps, 1)
	return out
}

func versus(b, c int) float64 {
	switch {
	case b > c:
		return 1
	case b == c:
		return 0.5
	}
	return 0
}

func sum(of []float64) (s float64) {
	for _, v := range of {
		s += v
	}
	return s
}
