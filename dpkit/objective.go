package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/glm"
)

// ObjectivePerturbation is logistic regression by one draw of noise: the minimiser of
//
//	Σ_i log(1 + e^{−y⟨w, x̃⟩}) + (Λ/2)‖w‖² + ⟨b, w⟩,  b ~ N(0, σ²I),  x̃ = (x, c),
//
// (Chaudhuri, Monteleoni, Sarwate 2011; Kifer, Smith, Thakurta 2012), found by Newton's method. σ and Λ are calibrated
// so that the release is as private as a Gaussian one of the target's μ ([accountant.LogisticPerturbation]): it
// adds up with others, and private steps of the chain may share its target. Λ covers the intercept, too.
//
// The price rests on no bound on w, hence holds only where no row is displaced: behind public and private steps.
// Behind steps that are fitted without noise use [Pipeline.FitLogistic].
type ObjectivePerturbation = glm.ObjectivePerturbation

// FitLogisticByObjective fits a logistic model of the schema's two-class label on all features by objective
// perturbation. Add/remove, with a row zeroed out, is its natural relation: under replace-one a row counts as one removed and
// one added, at twice the noise.
//
// Memory: as [Pipeline.FitLogistic], with about ten readings of the rows in place of one a step.
//
//go:noinline
func (p Pipeline) FitLogisticByObjective(o ObjectivePerturbation) Plan[LogisticModel] {
	return newPlan[LogisticModel](p, glm.ObjectiveFit{ObjectivePerturbation: o})
}
