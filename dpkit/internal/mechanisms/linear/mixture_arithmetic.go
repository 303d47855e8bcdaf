package linear

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// arithmetic pays for what floating point does to a Gaussian mixture. The law is not additive: it is not enough to
// round sums to a grid. The rows' second moments are exact; three things are left.
//
// (1) The factor L that is computed is that of ZᵀZ + σ²I + E, ‖E‖_F ≤ e₁ = (m+4)·2⁻⁵²·T with T ≥ the trace (Higham 2002,
// Theorem 10.3), where E is a function of the rows. A share τ of the variance is set aside for it: draws of
// N(0, ZᵀZ + σ²I + E) are sums of draws of N(0, ZᵀZ + (σ²−τ)I), the exact mechanism, and of N(0, τI + E), independent. For the
// latter two datasets differ by eigenvalues of 2-norm F ≤ 2e₁/(τ−e₁) at most. For |t| ≤ ½ and |(α−1)t| ≤ ½ the divergence φ of an
// eigenvalue is at most αt²/2, since x − ln(1+x) ≤ x² there; hence D_α ≤ kαF²/2 up to α = 1 + 1/2F, and by Mironov 2017,
// Proposition 3, (ε₁, δ₁) with ε₁ = kF/4 + kF²/2 + 2F ln(1/δ₁).
//
// (2) Normal variates are near exact ones, normalError apart, and rounded to float64, and products are rounded: outside an event of
// probability p what is drawn is within e₂ of what the exact law draws beside it. With ‖A‖_F² ≤ S, of at most ν = km variates in all, the
// variates' t = normalError moves A by t√ν ≤ t√S, and W by (2t + t²)·T·S: 8 units of 2⁻⁵². Rounding adds 2m + 2 of them for products,
// and 4 for variates, their squares, sums and roots; 3m + 16 is enough for m ≥ 2. Discrete Gaussian noise of σ₂ = 2e₂/μ₂ on a public grid
// is added: given the exact draw the sum is a Gaussian release of sensitivity 2e₂, composed with it: μ₂-GDP, and
// (ε₂, δ₂) with ε₂ = μ₂²/2 + μ₂√(2 ln(1/δ₂)) (Bun, Steinke 2016, Proposition 1.3). All that leaves is on that grid.
//
// (3) p, of variates of the exact mechanism beyond their bounds, counts as total variation: (1 + e^ε)p of δ at an ε, so that s grows with ε. What
// lies between the exact variates and those that are drawn does not ([normal]): given the exact ones they are too far apart with a
// probability of normalSlip each, whatever they are and whatever the rows, so that what comes out differs by as much for both datasets.
type arithmetic struct {
	Share   float64             // τ
	epsilon float64             // ε₁ + ε₂, rounded up to a power of two times ε
	delta   float64             // δ₁ + δ₂, (1 + e^ε)p and slip
	pure    float64             // ε₁
	failure float64             // δ₁
	tail    float64             // s: p is at most (m + 4)e^−s
	slip    float64             // of all variates
	trace   float64             // T
	spread  float64             // bound on the square of a draw's norm
	blur    query.GaussianQuery // (2) for the inner products
	mu      float64             // μ₂
}

// Parts of the target that arithmetic takes.
const (
	arithmeticDelta = 0x1p-16 // of δ, in all
	tailDelta       = 0x1p-18 // of δ, for δ₁ and δ₂ each
	lossDelta       = 0x1p-44 // of δ, for p: far less than what a ledger keeps for samplers
	slipDelta       = 0x1p-24 // of δ, for slip
	farDelta        = 0x1p-11 // of δ, for what p and slip cost at every ε at once
	blurMu          = 0x1p-14 // of μ
	arithmeticShare = 0x1p-10 // of σ²
)

// rest is what the exact mechanism may use.
func (a arithmetic) rest(t accountant.Budget) accountant.Budget {
	return accountant.Budget{Epsilon: (t.Epsilon - a.epsilon) * (1 - 0x1p-50), Delta: t.Delta * (1 - arithmeticDelta)}
}

func (x *mixture) settleArithmetic() (a arithmetic, err error) {
	t := x.target
	a.delta = t.Delta * arithmeticDelta
	a.Share = stage.Up(arithmeticShare * x.Variance())
	// σ² grows by little when the target shrinks to its rest: T has room for it.
	a.trace = stage.Up(float64(x.pair.N)*x.Square() + 2*float64(x.M)*(x.Variance()+a.Share))
	e1 := float64(x.M+4) * 0x1p-52 * a.trace
	f := 2 * e1 / (a.Share - e1)
	if !(f > 0 && f <= 0.5) {
		return a, fmt.Errorf("%d rows against a noise of %.3g: float64 cannot tell them apart; lower ε, or fit by AdaSSP: %w", x.pair.N, x.Variance(), kind.ErrParameter)
	}
	a.failure = t.Delta * tailDelta
	a.pure = stage.Up(float64(x.k)*(f/4+f*f/2) - 2*f*math.Log(a.failure))

	mu, err := accountant.CalibrateGaussian(t)
	if err != nil {
		return a, err
	}
	a.mu = mu * blurMu
	// A χ² variate with ν degrees of freedom passes ν + 2√(νs) + 2s with probability e^−s at most (Laurent, Massart 2000,
	// Lemma 1). A draw has k·m degrees of freedom in all.
	a.tail = tailOf(t)
	nu := float64(x.k) * float64(x.M)
	a.spread = stage.Up(nu + 2*math.Sqrt(nu*a.tail) + 2*a.tail)
	a.slip = stage.Up(3 * (nu + float64(x.M)) * normalSlip)
	if !(a.slip <= t.Delta*slipDelta) {
		return a, fmt.Errorf("a sketch of %d × %d cells: δ: got %g, want at least %.3g, what its variates may cost; choose a larger δ or fewer Rows: %w", x.k, x.M, t.Delta, a.slip/slipDelta, kind.ErrParameter)
	}
	// Products L·A and T·Tᵀ of m terms, and entries of A, which are off by a few roundings each.
	e2 := float64(3*x.M+16) * 0x1p-52 * a.trace * a.spread
	a.blur = query.GaussianQuery{Coordinates: x.M * (x.M + 1) / 2, Sensitivity: stage.Up(2 * e2), Max: stage.Up(2 * a.trace * a.spread)}
	if err := a.blur.Calibrate(a.mu); err != nil {
		return a, err
	}
	a.blur.RefineCoarse()
	need := stage.Up(a.pure + a.mu*a.mu/2 + a.mu*math.Sqrt(-2*math.Log(t.Delta*tailDelta)))
	a.epsilon = 0x1p-30 * t.Epsilon
	for a.epsilon < need {
		a.epsilon *= 2
	}
	if a.epsilon > t.Epsilon/16 {
		return a, fmt.Errorf("%d rows against a noise of %.3g: rounding would take ε = %.3g of %g; lower ε, or fit by AdaSSP: %w", x.pair.N, x.Variance(), a.epsilon, t.Epsilon, kind.ErrParameter)
	}
	return a, nil
}

// tailOf is s: (1 + e^ε)e^−s is lossDelta/8 of δ. Beyond ε = 8 it grows by more than ε, as [mixture.farOf] asks for.
func tailOf(t accountant.Budget) float64 {
	if t.Epsilon <= 8 {
		return -math.Log(t.Delta * lossDelta / 8 / (1 + math.Exp(t.Epsilon)))
	}
	return -math.Log(t.Delta*lossDelta/8) + 3*t.Epsilon - 16 + 0x1p-40
}

// farOf is an f such that for all w the sketch that is drawn has P(S) − w Q(S) ≤ f above what the exact one has: for w ≤ e^ε₁ that is
// (1 + w)p + slip, and beyond, as P(S) − w Q(S) falls in w, at most the whole of it at ε₁, where the exact one has next to nothing above what it has everywhere.
func (x *mixture) farOf(e accountant.Event) (float64, error) {
	t, floor := x.target, 0.0
	if x.eigenvalue { // the exact one has Φ(−τ) at every ε, which every failure that covers it is above
		g, err := accountant.DeltaOf(e, x.pair.Neighbours, 1e5)
		if err != nil {
			return 0, err
		}
		floor = g.Delta * (1 - 0x1p-30)
	}
	for epsilon := t.Epsilon; ; epsilon += 1 + math.Sqrt(epsilon)/2 {
		g, err := accountant.DeltaOf(e, x.pair.Neighbours, epsilon)
		if err != nil {
			return 0, err
		}
		p := float64(x.M+4) * (math.Exp(epsilon-x.tail) + math.Exp(-x.tail))
		if f := stage.Up(g.Delta - floor + p*(1+0x1p-30) + x.slip); f <= t.Delta*farDelta {
			return f, nil
		}
		if !(p <= t.Delta*farDelta) {
			return 0, fmt.Errorf("a sketch of %d × %d cells at ε = %g: rounding costs more of δ = %g than is kept for it; choose a smaller ε, or fit by AdaSSP: %w", x.k, x.M, t.Epsilon, t.Delta, kind.ErrParameter)
		}
	}
}
