package gradient

import (
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/coefficient"
)

// noiseLaw bounds how far the released coefficients are from those of the same steps without noise (docs/theory/mechanisms.md#uncertainty-of-coefficients).
// A step that does not expand distances carries noise on as a random walk at most: after steps η_t of mean gradients with noise σ/batch
// the distance is not more, in distribution, than that of a normal vector of deviation (σ/batch)√Ση_t². unit is that of a
// coefficient in the model.
func (pl *Descent) noiseLaw(n int, unit float64) *coefficient.Law {
	switch {
	case pl.Most > 0:
		return &coefficient.Law{Law: coefficient.OfGrowingSteps}
	case !pl.isConvex():
		return &coefficient.Law{Law: coefficient.OfClippedScores}
	case pl.M > 0:
		return &coefficient.Law{Law: coefficient.OfMomentum}
	}
	batch := pl.batch(n)
	most, failure := pl.mostDrawn(n)
	// The default step is 2/β as floating point has it: one of 2/β(1 + 2^-30) stretches a distance by 1 + 2^-29 at most.
	if !(pl.rule.At(pl.Eta, 0)*most/batch <= pl.largestStep()*(1+0x1p-30)) {
		return &coefficient.Law{Law: coefficient.OfLongSteps}
	}
	var all, squares float64
	for t := range pl.Draws {
		eta := pl.rule.At(pl.Eta, t)
		all, squares = all+eta, squares+eta*eta
	}
	k := float64(pl.Coordinates)
	scale := pl.Sigma / batch * math.Sqrt(squares) * math.Exp(float64(pl.Draws)*0x1p-29)
	rounding := all * most / batch * (math.Sqrt(k)*pl.Grid.Step() + 2*pl.Fp)
	l := pl.evenLaw(scale, unit)
	l.Law, l.Slack, l.Failure, l.Sides = coefficient.BySteps, rounding/scale, failure, 2
	if pl.average == AverageLast {
		l.Sides = 1
	}
	return l
}

// evenLaw has the same scale in every coordinate.
func (pl *Descent) evenLaw(scale, unit float64) *coefficient.Law {
	l := &coefficient.Law{Freedom: pl.Coordinates}
	for range pl.margins {
		for range pl.D {
			l.Scales = append(l.Scales, unit*scale)
		}
		l.Scales = append(l.Scales, unit*scale*pl.C) // 0 without a constant feature
	}
	return l
}

// mostDrawn bounds the rows that any step draws, but for a chance: of Poisson sampling twice as many as on average, by Chernoff's bound
// P(N ≥ 2qn) ≤ (e/4)^qn, in each of the steps.
func (pl *Descent) mostDrawn(n int) (rows, failure float64) {
	if pl.Sampling.Kind != accountant.Poisson || pl.Sampling.Rate >= 1 {
		return pl.batch(n), 0
	}
	mean := pl.batch(n)
	return math.Min(2*mean, float64(n)), float64(pl.Draws) * math.Exp(mean*(1-2*math.Ln2))
}

// noiseLaw of either way: of a pass to a secret row every step before it has added noise.
func (f *calibratedGradient) noiseLaw(n int, unit float64) *coefficient.Law {
	if f.Pass == nil {
		return f.Descent.noiseLaw(n, unit)
	}
	scale := f.Eta * f.Sigma * math.Sqrt(float64(n))
	l := f.evenLaw(scale, unit)
	// Roundings are at most 2^-6 of C in a pass, see settlePass.
	l.Law, l.Slack = coefficient.ByPass, f.Eta*f.Bound()*0x1p-6/scale
	return l
}

// exactLaw is that of coefficients to which no noise was added.
func exactLaw() *coefficient.Law { return &coefficient.Law{Law: coefficient.NoNoise} }

// StepAt is the size of a step, from 0.
func (pl *Descent) StepAt(t int) float64 { return pl.rule.At(pl.Eta, t) }

// Takes says whether the iterate after a step, from 0, is averaged.
func (pl *Descent) Takes(t int) bool { return pl.average.Takes(t, pl.Draws) }
