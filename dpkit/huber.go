package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/glm"
)

// Huber is robust regression by objective perturbation ([ObjectivePerturbation]): the loss of a row is r²/2κ of its residual r up
// to |r| = κ, and linear beyond (Huber 1964), in units of half the label's public range. Rows with a label that is far off
// pull no more than others.
type Huber = glm.Huber

// FitHuber fits a linear model of the schema's numeric label on all features, which is robust against outliers. It is priced as the
// Gaussian pair that dominates it ([accountant.GLMPerturbation]), on rows that no step displaced. The model has no Intervals.
//
// Memory: as [Pipeline.FitLogisticByObjective].
func (p Pipeline) FitHuber(o Huber) Plan[LinearModel] {
	return newPlan[LinearModel](p, glm.HuberFit{Huber: o})
}
