package accountant

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// GaussMix is the release of k Gaussian mixtures of the rows: S X + σ ξ with S (k × n) and ξ (k × d) of
// independent standard normal entries, S secret, every row of X of norm at most C (Lev et al. 2025). Its k output
// rows are independent draws of N(0, XᵀX + σ² I).
//
// Sizes are relative to C: Gamma is 1 + (λ + σ²)/C², where λ ≥ 0 is a certified lower bound on the smallest
// eigenvalue of the Gram matrix of the rows that both datasets share; λ = 0 holds for all data, so noise of
// σ² = (γ − 1) C² is enough. (The paper calls for γ C², and for a lower limit of 5/2; docs/theory/mechanisms.md#the-pair-of-a-mixture.)
//
// The zero values of the remaining fields say that no common row was displaced.
type GaussMix struct {
	K          int        // rows of the sketch
	Gamma      float64    // 1 + (λ + σ²)/C², at least 1; 1 costs +Inf
	Neighbours Neighbours // the relation that the price is for
	// Displacement bounds the Frobenius displacement of the common rows, divided by C (pair.State.TF).
	Displacement float64
	// Noise is σ²/C², at most Gamma − 1. It matters for displaced rows only; 0 is the costliest.
	Noise float64
	// ShiftOnly prices the displacement alone: no row is free.
	ShiftOnly bool
}

var _ = registerLeaf[GaussMix]("gauss_mix")

// RDP is the divergence of the worst pair, both directions: for neighbours that differ in one row
// the larger of k φ(1/(γ−1)) and k φ(−1/γ) under AddRemove and their sum under ReplaceOne, with
//
//	φ(t) = −ln(1 − (α−1) t)/(2(α−1)) − ½ ln(1+t)
//
// for an eigenvalue t of the whitened change of the covariance (Lev et al. 2025, Lemma 1, in both directions;
// attained by orthogonal rows). Displaced rows move the eigenvalues by at most F in the 2-norm; see
// displacedGaussMix. Errors wrap [ErrNeighbours] or [ErrParameter].
func (g GaussMix) RDP(rel Neighbours) (Curve, error) {
	s, err := g.signal(rel)
	if err != nil {
		return nil, err
	}
	if s == 0 && !(g.ShiftOnly && g.Displacement == 0) {
		return func(float64) float64 { return math.Inf(1) }, nil
	}
	k := float64(g.K)
	m := displacedGaussMix(g, s)
	return func(alpha float64) float64 { return quad.MulUp(k, m.divergence(alpha)) }, nil
}

// String names the mechanism and its parameters.
func (g GaussMix) String() string {
	extra := ""
	if g.Displacement > 0 {
		extra = fmt.Sprintf(", displaced %.6g, noise %.6g", g.Displacement, g.Noise)
	}
	if g.ShiftOnly {
		extra += ", no free row"
	}
	return fmt.Sprintf("GaussMix(k %d, gamma %.6g%s, %v)", g.K, g.Gamma, extra, g.Neighbours)
}

// signal checks the parameters and returns s = γ − 1, the smallest eigenvalue of the common covariance over C².
func (g GaussMix) signal(rel Neighbours) (float64, error) {
	if err := g.Neighbours.match("GaussMix", rel); err != nil {
		return math.NaN(), err
	}
	s, err := mixSignal("GaussMix", g.K, g.Gamma)
	if err != nil {
		return math.NaN(), err
	}
	if !(g.Displacement >= 0) || math.IsInf(g.Displacement, 1) {
		return math.NaN(), fmt.Errorf("accountant: GaussMix: displacement: got %g, want a finite number, at least 0: %w", g.Displacement, ErrParameter)
	}
	if !(g.Noise >= 0 && g.Noise <= s) {
		return math.NaN(), fmt.Errorf("accountant: GaussMix: noise: got %g, want σ²/C² in [0, gamma − 1] = [0, %g]; 0 is the safe choice: %w", g.Noise, s, ErrParameter)
	}
	return s, nil
}

// mixSignal checks k and γ and returns γ − 1, rounded down.
func mixSignal(event string, k int, gamma float64) (float64, error) {
	if k < 1 {
		return math.NaN(), fmt.Errorf("accountant: %s: k: got %d, want at least 1 row: %w", event, k, ErrParameter)
	}
	if !(gamma >= 1) || math.IsInf(gamma, 1) {
		return math.NaN(), fmt.Errorf("accountant: %s: gamma: got %g, want a finite number, at least 1: %w", event, gamma, ErrParameter)
	}
	s := gamma - 1 // exact below 2^53
	if gamma >= 0x1p53 {
		s = math.Nextafter(s, 0)
	}
	return s, nil
}

// eigenvalueCost is φ(t) for the eigenvalue t of a whitened change of a covariance,
//
//	φ(t) = ½ [t − ln(1+t)] + [−(α−1) t − ln(1 − (α−1) t)] / (2(α−1)),
//
// two terms that are at least 0, rounded up for |t| that was rounded up; +Inf where it diverges.
func eigenvalueCost(t, alpha float64) float64 {
	if t == 0 && alpha > 1 {
		return 0
	}
	over := alpha - 1 // exact below 2^53
	if !(over > 0) || !(t > -1) || math.IsInf(over, 1) {
		return math.Inf(1)
	}
	x := -quad.MulUp(over, math.Abs(t))
	if t < 0 {
		x = -x
	} else if x <= -1 {
		return math.Inf(1)
	}
	cost := quad.XMinusLog1p(t)/2 + quad.XMinusLog1p(x)/over/2
	return quad.Inflate(cost, 0x1p-48)
}

// swings returns max(φ(t), φ(−t)): what an eigenvalue of size at most t costs.
func swings(t, alpha float64) float64 {
	return max(eigenvalueCost(t, alpha), eigenvalueCost(-t, alpha))
}
