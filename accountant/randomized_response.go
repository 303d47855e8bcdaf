package accountant

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// RandomizedResponse is the release of one of K answers: the true one with probability
// p = e^ε/(e^ε + K − 1), each other one with q = p e^{−ε} (Warner 1965; Kairouz, Bonawitz, Ramage 2016).
// See [TruthfulResponse] for p instead of ε, and docs/theory/mechanisms.md#randomised-response.
type RandomizedResponse struct {
	K          int        // number of possible answers, at least 2
	Epsilon    float64    // ε of the local guarantee; +Inf where the truth is always told
	Neighbours Neighbours // the relation under which one answer changes
}

var _ = registerLeaf[RandomizedResponse]("randomized_response")

// TruthfulResponse is the randomized response that tells the truth with probability p and each of the
// k − 1 other answers with (1−p)/(k−1); p from 1/k to 1. Its ε is rounded up. The error wraps [ErrParameter].
func TruthfulResponse(k int, p float64, rel Neighbours) (RandomizedResponse, error) {
	r := RandomizedResponse{K: k, Neighbours: rel}
	if err := r.validate(rel); err != nil {
		return RandomizedResponse{}, err
	}
	if !(p >= 1/float64(k) && p <= 1) {
		return RandomizedResponse{}, fmt.Errorf("accountant: RandomizedResponse: probability of the truth: got %g, want a number from 1/%d to 1: %w",
			p, k, ErrParameter)
	}
	// e^ε − 1 = (pk − 1)/(1 − p). A p that was rounded below 1/k has the same ε on the other side.
	if gain := math.Abs(math.FMA(p, float64(k), -1)); gain > 0 {
		r.Epsilon = quad.Inflate(math.Log1p(gain/(1-p)), leafMargin)
	}
	return r, nil
}

// RDP is exact (Mironov 2017, Proposition 5 for K = 2):
//
//	D_α = ln(p^α q^{1−α} + q^α p^{1−α} + (K−2) q) / (α−1),
//
// and ε at α = +Inf. Errors wrap [ErrNeighbours] or [ErrParameter].
func (r RandomizedResponse) RDP(rel Neighbours) (Curve, error) {
	if err := r.validate(rel); err != nil {
		return nil, err
	}
	return responseCurve(float64(r.K), r.Epsilon), nil
}

// Profile is exact: δ(e) = p − e^e q for 0 ≤ e ≤ ε.
func (r RandomizedResponse) Profile(rel Neighbours) (Profile, error) {
	if err := r.validate(rel); err != nil {
		return nil, err
	}
	return responseProfile(float64(r.K), r.Epsilon), nil
}

// ZCDP bounds D_α/α over all orders; see [ZCDPer]. It is the mean loss (p − q) ε at K = 2, and
// more than that for large K, where the supremum is at an order above 1; at most ε²/2.
func (r RandomizedResponse) ZCDP(rel Neighbours) (float64, error) {
	if err := r.validate(rel); err != nil {
		return math.NaN(), err
	}
	return zcdpSup(responseCurve(float64(r.K), r.Epsilon), halfSquare(r.Epsilon)), nil
}

// String names the mechanism, its answers and its ε.
func (r RandomizedResponse) String() string {
	return fmt.Sprintf("RandomizedResponse(%d answers, epsilon %.6g, %v)", r.K, r.Epsilon, r.Neighbours)
}

func (r RandomizedResponse) validate(rel Neighbours) error {
	if err := r.Neighbours.match("RandomizedResponse", rel); err != nil {
		return err
	}
	if r.K < 2 {
		return fmt.Errorf("accountant: RandomizedResponse: K: got %d answers, want at least 2: %w", r.K, ErrParameter)
	}
	if !(r.Epsilon >= 0) {
		return fmt.Errorf("accountant: RandomizedResponse: epsilon: got %g, want a number, at least 0: %w", r.Epsilon, ErrParameter)
	}
	return nil
}

// responseCurve is the RDP of k-ary randomized response. The moment less 1 is a sum of positive terms,
// q ((e^ε−1)(e^{(α−1)ε}−1) + 4 sinh²((α−1)ε/2)).
func responseCurve(k, eps float64) Curve {
	// q e^ε = p and q are taken apart from the exponentials, which may overflow.
	logP := -math.Log1p((k - 1) * math.Exp(-eps))
	q := 1 / (math.Exp(eps) + k - 1)
	return func(alpha float64) float64 {
		s := alpha - 1
		switch {
		case !(alpha > 1):
			return math.Inf(1)
		case eps == 0:
			return 0
		case math.IsInf(eps, 1) || math.IsInf(alpha, 1):
			return eps
		}
		x := s * eps
		var d float64
		if alpha*eps < 600 {
			sinh := math.Sinh(x / 2)
			d = math.Log1p(q*(math.Expm1(eps)*math.Expm1(x)+4*sinh*sinh)) / s
		} else {
			d = eps + (logP+math.Log1p(math.Exp(-eps-2*x)+(k-2)*math.Exp(-eps-x)))/s
		}
		return min(eps, quad.Inflate(max(0, d), leafMargin))
	}
}

// responseProfile is the profile of k-ary randomized response. The loss is ε with probability p,
// 0 with (k−2) q and −ε with q.
func responseProfile(k, eps float64) Profile {
	p := 1 / (1 + (k-1)*math.Exp(-eps))
	return func(e float64) float64 {
		switch {
		case math.IsNaN(e):
			return 1
		case math.IsInf(eps, 1):
			return 1
		case e >= eps:
			return 0
		case e <= -eps:
			return roundProfile(-math.Expm1(e))
		}
		delta := -p * math.Expm1(e-eps)
		if e < 0 {
			delta -= (k - 2) * p * math.Exp(-eps) * math.Expm1(e)
		}
		return roundProfile(delta)
	}
}
