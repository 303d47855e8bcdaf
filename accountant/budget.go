package accountant

import (
	"fmt"
	"math"
)

// Budget is a target (ε, δ).
type Budget struct {
	Epsilon float64 `json:"epsilon"`
	Delta   float64 `json:"delta"`
}

// Validate reports whether ε is positive and finite and δ is strictly between 0 and 1.
// The error wraps [ErrEpsilon] or [ErrDelta].
func (b Budget) Validate() error {
	if !(b.Epsilon > 0) || math.IsInf(b.Epsilon, 1) {
		return fmt.Errorf("accountant: budget: epsilon: got %g, want a positive finite number: %w", b.Epsilon, ErrEpsilon)
	}
	if !(b.Delta > 0 && b.Delta < 1) {
		return fmt.Errorf("accountant: budget: delta: got %g, want a number strictly between 0 and 1: %w", b.Delta, ErrDelta)
	}
	return nil
}

// checkDelta accepts the closed interval: δ = 0 is pure DP, δ = 1 promises nothing.
func checkDelta(delta float64) error {
	if !(delta >= 0 && delta <= 1) {
		return fmt.Errorf("accountant: delta: got %g, want a number in [0, 1]: %w", delta, ErrDelta)
	}
	return nil
}

// checkEpsilon accepts ε = 0, where (0, δ)-DP bounds the total-variation distance.
func checkEpsilon(epsilon float64) error {
	if !(epsilon >= 0) || math.IsInf(epsilon, 1) {
		return fmt.Errorf("accountant: epsilon: got %g, want a finite number, at least 0: %w", epsilon, ErrEpsilon)
	}
	return nil
}
