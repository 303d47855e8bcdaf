package noise

import (
	"math"
	"math/big"
	"testing"
)

// TestAcceptFar: the product of probabilities is exp(-(u+σw)²/(2σ²)), within a tolerance that a right sampler fails once in 1e9 (Hoeffding).
func TestAcceptFar(t *testing.T) {
	const sigma, n = 999, 200_000
	s := New()
	for _, c := range []struct{ u, w uint64 }{{0, 0}, {333, 0}, {0, 1}, {500, 1}, {998, 1}, {100, 2}, {7, 3}} {
		d := (float64(c.u) + sigma*float64(c.w)) / sigma
		want, got := math.Exp(-d*d/2), 0.0
		for range n {
			if s.acceptFar(c.u, c.w, sigma, square(sigma).double()) {
				got++
			}
		}
		if tol := math.Sqrt(math.Log(2e9) / 2 / n); !(math.Abs(got/n-want) <= tol) {
			t.Errorf("u = %d, w = %d: accepted %v, want %v ± %v", c.u, c.w, got/n, want, tol)
		}
	}
}

// TestRatio: the constants of [RatioTau] and [RatioShrink], in logarithms, and its claim on two-point laws with the ratio at its limit.
func TestRatio(t *testing.T) {
	// ln((1+θ)/(1−θ)) ≤ 3θ, θ ≤ 2.01·exp(−128π²)
	if tau := math.Log(6.03) - 128*math.Pi*math.Pi; !(tau < -1000*math.Ln2) {
		t.Errorf("τ is up to exp(%v)", tau)
	}
	least := new(big.Float).SetPrec(300).SetInt64(RatioSigma)
	square := new(big.Float).Mul(least, least)
	short := square.Sqrt(square.Sub(square, big.NewFloat(64)))
	bound := least.Mul(least, new(big.Float).SetPrec(300).SetFloat64(1-RatioShrink))
	if short.Cmp(bound) < 0 {
		t.Errorf("at σ = 2^28 σ′ is %v, below %v", short, bound)
	}
	for _, tau := range []float64{1e-9, 1e-3, 0.5} {
		for _, w := range []float64{0.5, 1, 30, 1e9} {
			for q := 1e-12; q < 1; q *= 1.7 {
				for b := 0.0; b < 1; b += 0.01 {
					p := min(1, math.Exp(tau)*(w*math.Exp(tau)*q+b)) // the largest P(S) that P₀, Q₀ allow
					if most := w*q + math.Exp(tau)*b + 2*tau; !(p <= most*(1+1e-12)) {
						t.Fatalf("τ = %g, w = %g, Q(S) = %g, B = %g: P(S) = %g, above %g", tau, w, q, b, p, most)
					}
				}
			}
		}
	}
	if all := 0x1p90 * (5*RatioTau + 0x1p-900); !(all <= Negligible) {
		t.Errorf("2^90 draws cost δ = %g", all)
	}
	if reach := math.Log(4/16.0) - RatioReach*RatioReach/128.0; !(reach < -900*math.Ln2) {
		t.Errorf("the kernel moves further with probability exp(%v)", reach)
	}
}
