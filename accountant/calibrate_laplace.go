package accountant

import "math"

// CalibrateLaplace returns the largest t, rounded down, at which Laplace noise of scale b = Δ/t on a
// vector of L1 sensitivity Δ gives the budget: t = ε − 2 ln(1 − δ), by the exact profile. Unlike elsewhere
// the budget's δ may be 0. Errors wrap [ErrEpsilon] or [ErrDelta].
func CalibrateLaplace(b Budget) (t float64, err error) {
	check := b
	if b.Delta == 0 {
		check.Delta = 0.5 // not asked about
	}
	if err := check.Validate(); err != nil {
		return math.NaN(), err
	}
	fits := func(t float64) bool {
		g, err := EpsilonOf(Laplace{Sensitivity: t, Scale: 1, Neighbours: AddRemove}, AddRemove, b.Delta)
		return err == nil && g.Epsilon <= b.Epsilon
	}
	return certify(b.Epsilon-2*math.Log1p(-b.Delta), -1, b.Epsilon, fits), nil
}
