package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/linear"
)

// Linear is least-squares regression of the schema's numeric label on all features. The label is
// centred by its public bounds and the model is y = mid + ⟨w, x⟩ + intercept.
//
// Zero values other than ε and δ are public defaults: functions of n, d, the target and the public bounds.
type Linear = linear.Linear

// FitLinear fits a linear model of the schema's numeric label on all features.
//
//go:noinline
func (p Pipeline) FitLinear(o Linear) Plan[LinearModel] {
	return newPlan[LinearModel](p, linear.LeastSquares{Linear: o})
}
