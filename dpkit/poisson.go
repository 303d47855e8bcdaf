package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/glm"
)

// Poisson is Poisson regression of a count by objective perturbation ([ObjectivePerturbation]): the loss of a row with the count y,
// clipped to M, is μ − y ln μ for the rate μ = ρ·e^⟨w, x̃⟩, divided by M, and linear in the exponent from μ = M up, so that its slopes
// are bounded by 1.
type Poisson = glm.Poisson

// FitPoisson fits a log-linear model of the rate of the schema's numeric label, a count, on all features. It is priced as the
// Gaussian pair that dominates it ([accountant.GLMPerturbation]), on rows that no step displaced.
//
// Memory: as [Pipeline.FitLogisticByObjective].
func (p Pipeline) FitPoisson(o Poisson) Plan[RateModel] {
	return newPlan[RateModel](p, glm.PoissonFit{Poisson: o})
}
