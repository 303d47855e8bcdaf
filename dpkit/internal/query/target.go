package query

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/frames"
)

// Noise is the law of the noise that a release adds.
type Noise string

const (
	// NoiseGaussian is the default of most targets. It needs a δ.
	NoiseGaussian Noise = "gaussian"
	// NoiseLaplace gives pure ε: leave δ at 0. Sensitivities are in the L1 norm, so that it pays for
	// few numbers at a time: one count, one column. A ledger adds up in Gaussian DP and charges the
	// Gaussian that dominates the release ([accountant.GDPOf]), which is dear: beside other
	// releases Gaussian noise of the same charge is smaller, and pure ε = 1 takes what (5.1, 1e-6)-DP takes.
	NoiseLaplace Noise = "laplace"
	// NoiseGeometric is Laplace's law on the integers, of pure ε, for counts and histograms alone: the error of Laplace noise at small ε, and
	// less at large (Ghosh, Roughgarden, Sundararajan 2012). Leave δ at 0.
	NoiseGeometric Noise = "geometric"
)

// Target is the (ε, δ) of one release. It has no defaults. Without a law of noise it is Gaussian noise; in a ledger that keeps a part of
// its ε for releases of pure DP, sums and means get Laplace noise at the same ε, without δ, and counts and histograms geometric noise,
// where that is predicted to be off by less and the ledger was made to charge no more for it. While that part has room they are charged
// there, and as Gaussians when it is full. The plan's text and what is released say the law.
type Target struct {
	Epsilon, Delta float64
	Noise          Noise // "": see above
	// Margin and Level ask for the least ε in place of one: see Within.
	Margin, Level float64
}

// Within is the target of the least ε for which the noise on every number of a release is within margin, in its units, with probability
// level each. It is found when the plan is made, from public facts, to three digits and rounded up: the plan's text, its Cost and its
// entry in a ledger have it, and nothing is spent before Release. A release is told apart by that ε: where a later version finds another,
// with less noise, it is another release; write the ε out to keep it. Of a quantile margin is in rows of its rank; behind a step that
// displaces its column it is off by a width as well, and Within is refused. Leave Epsilon at 0.
func (t Target) Within(margin, level float64) Target {
	t.Margin, t.Level = margin, level
	return t
}

func (t Target) Budget() accountant.Budget {
	return accountant.Budget{Epsilon: t.Epsilon, Delta: t.Delta}
}

// Check reports a target that its noise cannot meet.
func (t Target) Check() error {
	if t.Margin != 0 || t.Level != 0 {
		return fmt.Errorf("within: no ε was found for a margin of %g at level %g: %w", t.Margin, t.Level, kind.ErrParameter)
	}
	switch t.Noise {
	case "", NoiseGaussian:
		return t.Budget().Validate()
	case NoiseLaplace:
		return CheckPure(t)
	case NoiseGeometric:
		return fmt.Errorf("noise: got %q, which is for counts and histograms, want NoiseGaussian or NoiseLaplace: %w", string(t.Noise), kind.ErrParameter)
	default:
		return fmt.Errorf("noise: got %q, want NoiseGaussian or NoiseLaplace: %w", string(t.Noise), kind.ErrParameter)
	}
}

// CheckIntegers reports a target that a release of integers cannot meet.
func CheckIntegers(t Target) error {
	if t.Noise == NoiseGeometric && t.Margin == 0 && t.Level == 0 {
		return CheckPure(t)
	}
	return t.Check()
}

// Pure says that the law is asked for and of pure ε.
func (n Noise) Pure() bool { return n == NoiseLaplace || n == NoiseGeometric }

// CheckPure reports a target that is not one of pure DP.
func CheckPure(t Target) error {
	if !(t.Epsilon > 0) || math.IsInf(t.Epsilon, 1) {
		return fmt.Errorf("epsilon: got %g, want a positive finite number: %w", t.Epsilon, accountant.ErrEpsilon)
	}
	if t.Delta != 0 {
		return fmt.Errorf("delta: got %g with Laplace or geometric noise, want 0: it gives pure ε: %w", t.Delta, accountant.ErrDelta)
	}
	return nil
}

// CheckColumns reports a target out of range, and features that have no sum.
func CheckColumns(t Target, in frames.Schema) error {
	if err := t.Check(); err != nil {
		return err
	}
	return domain.EncodedFeatures(in, ", or release its Histogram")
}
