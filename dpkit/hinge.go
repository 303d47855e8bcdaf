package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/glm"
)

// Hinge is a linear support vector machine by objective perturbation ([ObjectivePerturbation]): the loss of a row is the squared
// hinge (1 − z)²₊/2h of its signed margin z, continued by its tangent from z = 1 − h down, where its slope is −1. Rows beyond
// margin 1 do not pull on the boundary.
type Hinge = glm.Hinge

// FitHinge fits a linear classifier of the schema's two-class label on all features. It is priced as the Gaussian pair that
// dominates it ([accountant.GLMPerturbation]), on rows that no step displaced.
//
// Memory: as [Pipeline.FitLogisticByObjective].
func (p Pipeline) FitHinge(o Hinge) Plan[ClassModel] {
	return newPlan[ClassModel](p, glm.HingeFit{Hinge: o})
}
