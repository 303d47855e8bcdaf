package accountant

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// TestThresholdLaplace is the least noisy value at which a propose-test-release test may pass,
//
//	β + Δ (1 + ln(1/(2δ₀))/ε₀),
//
// rounded up, for a statistic T of sensitivity Δ, on all pairs in the state of the data at the test, and noise
// of the Laplace law with scale Δ/ε₀ ([Laplace] with these): pass where T + noise is at least that, and release
// nothing else where it does not. β is the floor that what follows relies on: T ≥ β.
//
// It is charged as the [Laplace] event, composed with what follows and with a failure ApproxDP{0, δ₀}, each
// test once (docs/theory/calculus.md#lemma-7-propose-test-release; Dwork, Lei 2009). Proof: where both datasets of a pair have T ≥ β, it is
// adaptive composition. Else both have T < β + Δ, and pass with probability at most
// P(noise ≥ Δ ln(1/(2δ₀))/ε₀) = δ₀ each; with the event F of no pass, P(S) ≤ δ₀ + P(S ∩ F), and the conversion of a
// Rényi curve to (ε, δ) holds for the parts of the laws on F, with neither a factor e^ε nor a
// renormalisation. ∎ δ₀ must be at most ½. Errors wrap [ErrParameter], [ErrEpsilon] or [ErrDelta].
func TestThresholdLaplace(beta, sensitivity, epsilon, delta float64) (float64, error) {
	if err := checkTest(beta, sensitivity, delta); err != nil {
		return math.NaN(), err
	}
	if !(epsilon > 0) || math.IsInf(epsilon, 1) {
		return math.NaN(), fmt.Errorf("accountant: test: epsilon: got %g, want a positive finite number: %w", epsilon, ErrEpsilon)
	}
	tail := quad.Inflate(-quad.Log(2*delta), 0x1p-51)
	return quad.AddUp(beta, quad.MulUp(sensitivity, quad.AddUp(1, quad.DivUp(tail, epsilon)))), nil
}

// TestThresholdGaussian is the threshold for noise of the law N(0, s²), of s = sigma:
//
//	β + Δ + s Φ⁻¹(1 − δ₀),
//
// rounded up, by the same proof (docs/theory/preprocessing.md#test-thresholds). It is charged as [Gaussian] with Δ and s, and a failure of probability δ₀. At β = 0
// it is also the margin of a noisy lower bound that never aborts: T + noise − threshold is at most T and at most the
// neighbour's T' outside the same failure, and everything that follows may rely on it. (Where a parameter of what
// follows is chosen from that bound, orders of Rényi curves must be fixed before it is drawn.)
// Errors wrap [ErrParameter] or [ErrDelta].
func TestThresholdGaussian(beta, sensitivity, sigma, delta float64) (float64, error) {
	if err := checkTest(beta, sensitivity, delta); err != nil {
		return math.NaN(), err
	}
	if !(sigma > 0) || math.IsInf(sigma, 1) {
		return math.NaN(), fmt.Errorf("accountant: test: sigma: got %g, want a positive finite number: %w", sigma, ErrParameter)
	}
	logDelta := quad.Log(delta)
	z := certify(max(0x1p-40, -quad.NormalQuantile(delta)), 1, math.Inf(1), func(z float64) bool {
		return quad.LogNormalCDF(-z) <= logDelta-0x1p-50*math.Abs(logDelta)
	})
	return quad.AddUp(beta, quad.AddUp(sensitivity, quad.MulUp(sigma, z))), nil
}

func checkTest(beta, sensitivity, delta float64) error {
	switch {
	case math.IsNaN(beta - beta):
		return fmt.Errorf("accountant: test: beta: got %g, want a finite floor of the statistic: %w", beta, ErrParameter)
	case !(sensitivity > 0) || math.IsInf(sensitivity, 1):
		return fmt.Errorf("accountant: test: sensitivity: got %g, want a positive finite number: %w", sensitivity, ErrParameter)
	case !(delta > 0 && delta <= 0.5):
		return fmt.Errorf("accountant: test: delta: got %g, want a probability above 0, at most 1/2: %w", delta, ErrDelta)
	}
	return nil
}
