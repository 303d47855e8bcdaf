package glm

import (
	"math"

	"github.com/dpkit-go/dpnb/dpkit/coefficient"
)

// NoiseLaw bounds how far the released coefficients are from the minimisers with b = 0, the same Λ and the same losses. With d between them
// Hd = b for an H ⪰ ΛI, so that d is in the ball about b/2Λ through 0: coordinate j of it is at most (|b_j| + ‖b‖)/2Λ. See
// docs/theory/mechanisms.md#uncertainty-of-coefficients. unit is that of a coefficient in the model, for d columns and the constant.
func (pl *CalibratedObjective) NoiseLaw(unit float64) *coefficient.Law {
	scale := pl.Sigma / pl.Lambda
	// Noise on the coefficients beyond twelve deviations has a chance below 1e-32.
	rest := pl.Radius + 12*pl.Out.Sigma + pl.Out.Grid.Step() + math.Sqrt(float64(pl.D+1))*pl.Grid.Step()/pl.Lambda
	l := &coefficient.Law{Law: coefficient.ByObjective, Freedom: pl.D + 1, Slack: rest / scale}
	for range pl.Models {
		for range pl.D {
			l.Scales = append(l.Scales, unit*scale)
		}
		l.Scales = append(l.Scales, unit*scale*pl.C)
	}
	return l
}

// exactLaw is that of coefficients to which no noise was added.
func exactLaw() *coefficient.Law { return &coefficient.Law{Law: coefficient.NoNoise} }
