package accountant

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// ModifiedGaussMix is a [GaussMix] that spends part of its budget on the smallest eigenvalue λ of the Gram
// matrix, and adds less noise where that is large: it releases λ̂ = λ/C² + η z, z standard normal, and a
// sketch of k rows with noise
//
//	σ²/C² = clip(γ + η τ − max(λ̂, 0), 0, γ − 1).
//
// It departs from Lev et al. 2025, Theorem 1, which is false for general η and for C ≠ 1: γ, η and λ̂ are in
// units of C², and the price is that of the exact composition. λ̂ may be published (docs/theory/mechanisms.md#mixtures-that-spend-on-an-eigenvalue).
type ModifiedGaussMix struct {
	K          int
	Gamma      float64    // at least 1; 1 costs +Inf
	Eta        float64    // noise of λ̂; 0 costs +Inf
	Tau        float64    // the noise is enough unless z > τ
	Neighbours Neighbours // the relation that the price is for
}

var _ = registerLeaf[ModifiedGaussMix]("modified_gauss_mix")

// RDP is +Inf at every order: with probability Φ(−τ) the noise may be too small for any bound; see
// [ModifiedGaussMix.ApproxRDP]. Errors wrap [ErrNeighbours] or [ErrParameter].
func (m ModifiedGaussMix) RDP(rel Neighbours) (Curve, error) {
	if _, err := m.signal(rel); err != nil {
		return nil, err
	}
	return func(float64) float64 { return math.Inf(1) }, nil
}

// ApproxRDP returns a Rényi curve of the law conditioned on z ≤ τ against the law of the other dataset, and the
// probability δ₀ = Φ(−τ) of its complement: α/(2η²) for λ̂, plus the curve of the sketch at γ, plus
// α/(α−1) ln(1/(1−δ₀)) for the conditioning. Curves and probabilities add in composition, in each direction, and an
// (ε, δ) of the curve gives (ε, δ₀ + (1−δ₀) δ). Errors wrap [ErrNeighbours] or [ErrParameter].
func (m ModifiedGaussMix) ApproxRDP(rel Neighbours) (c Curve, delta0 float64, err error) {
	s, err := m.signal(rel)
	if err != nil {
		return nil, math.NaN(), err
	}
	delta0 = m.failure()
	if s == 0 || m.Eta == 0 || delta0 == 1 {
		return func(float64) float64 { return math.Inf(1) }, delta0, nil
	}
	mix, err := GaussMix{K: m.K, Gamma: m.Gamma, Neighbours: m.Neighbours}.RDP(rel)
	if err != nil {
		return nil, math.NaN(), err
	}
	eigenvalue := gaussianCurve(quad.DivUp(1, m.Eta))
	given := quad.Inflate(-math.Log1p(-delta0), 0x1p-50)
	return func(alpha float64) float64 {
		if !(alpha > 1) || math.IsInf(alpha, 1) {
			return math.Inf(1)
		}
		condition := quad.MulUp(given, quad.DivUp(alpha, alpha-1))
		return quad.AddUp(condition, quad.AddUp(eigenvalue(alpha), mix(alpha)))
	}, delta0, nil
}

// Profile is Φ(−τ) plus the exact profile of the composition of a Gaussian mechanism with μ = 1/η and the
// pair of a GaussMix at γ.
//
// Proof. λ changes by at most C² (Weyl). Let P be the law whose set's probability is bounded and z ≤ τ for its own
// noise: then λ̂ ≤ λ/C² + ητ, so that λ + σ² ≥ γ C² in either dataset where σ² is not capped at γ − 1; as λ of
// the common rows is at least λ − C², and at least 0, these rows have 1 + (λ + σ²)/C² ≥ γ. Given λ̂ the sketch is a
// GaussMix with that γ or a larger one; the shift of λ̂ is at most 1/η. Both are dominated by the extreme pair.
//
// Errors wrap [ErrNeighbours] or [ErrParameter].
func (m ModifiedGaussMix) Profile(rel Neighbours) (Profile, error) {
	s, err := m.signal(rel)
	if err != nil {
		return nil, err
	}
	if s == 0 || m.Eta == 0 {
		return func(float64) float64 { return 1 }, nil
	}
	failure := m.failure()
	mu := quad.DivUp(1, m.Eta)
	return func(epsilon float64) float64 {
		return min(1, quad.AddUp(failure, mixGaussianDelta(epsilon, mu, mixPair{m.K, s, rel}, 1e-11)))
	}, nil
}

func (m ModifiedGaussMix) profileName() string {
	return "exact profile of the composition, and its failure probability"
}

// String names the mechanism and its parameters.
func (m ModifiedGaussMix) String() string {
	return fmt.Sprintf("ModifiedGaussMix(k %d, gamma %.6g, eta %.6g, tau %.6g, %v)", m.K, m.Gamma, m.Eta, m.Tau, m.Neighbours)
}

func (m ModifiedGaussMix) signal(rel Neighbours) (float64, error) {
	if err := m.Neighbours.match("ModifiedGaussMix", rel); err != nil {
		return math.NaN(), err
	}
	s, err := mixSignal("ModifiedGaussMix", m.K, m.Gamma)
	if err != nil {
		return math.NaN(), err
	}
	if !(m.Eta >= 0) || math.IsInf(m.Eta, 1) {
		return math.NaN(), fmt.Errorf("accountant: ModifiedGaussMix: eta: got %g, want a finite number, at least 0: %w", m.Eta, ErrParameter)
	}
	if math.IsNaN(m.Tau) || math.IsInf(m.Tau, 0) {
		return math.NaN(), fmt.Errorf("accountant: ModifiedGaussMix: tau: got %g, want a finite number: %w", m.Tau, ErrParameter)
	}
	return s, nil
}

func (m ModifiedGaussMix) failure() float64 {
	return min(1, quad.Inflate(quad.NormalCDF(-m.Tau), 0x1p-48))
}

// mixPair is the worst pair of a GaussMix.
type mixPair struct {
	k   int
	s   float64 // γ − 1
	rel Neighbours
}

// mixGaussianDelta is the profile of the pair composed with one shift of a Gaussian by μ: the mean of the
// Gaussian profile at ε − L over the log-likelihood ratio L of the pair, a smooth integrand; rounded up, to
// a relative error of about tol.
func mixGaussianDelta(epsilon, mu float64, p mixPair, tol float64) float64 {
	if math.IsNaN(epsilon) {
		return 1
	}
	if p.rel == ReplaceOne {
		return chiMean(p.k, tol, func(w float64) float64 { return mixGaussianHalf(epsilon, mu, p, w, tol) })
	}
	return max(mixGaussianForward(epsilon, mu, p, tol), mixGaussianBackward(epsilon, mu, p, tol))
}

func mixGaussianForward(epsilon, mu float64, p mixPair, tol float64) float64 {
	ell, e := mixOffset(epsilon, p.k, p.s)
	return chiMean(p.k, tol, func(w float64) float64 { return gaussianDelta(e+ell-w/(2*p.s), mu) })
}

func mixGaussianBackward(epsilon, mu float64, p mixPair, tol float64) float64 {
	ell, e := mixOffset(epsilon, p.k, p.s)
	return chiMean(p.k, tol, func(w float64) float64 { return gaussianDelta(e-ell+w/(2*(1+p.s)), mu) })
}

// mixGaussianHalf is the mean over the forward ratio where the one back is that of w.
func mixGaussianHalf(epsilon, mu float64, p mixPair, w, tol float64) float64 {
	e := epsilon - 0x1p-49*(epsilon+float64(p.k)/p.s)
	back := w / (2 * (1 + p.s))
	return chiMean(p.k, tol, func(v float64) float64 { return gaussianDelta(e+back-v/(2*p.s), mu) })
}
