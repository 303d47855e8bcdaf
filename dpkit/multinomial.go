package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/glm"
)

// Multinomial is classification into K classes by K logistic regressions, each class against the rest, by objective perturbation
// ([ObjectivePerturbation]). A row takes part in all of them. They are Gaussian mechanisms of μ/√K each, released together, and cost
// exactly the target: the noise is √K times that of two classes.
type Multinomial = glm.Multinomial

// FitMultinomial fits a classifier of the schema's class label, of two or more levels, on all features, on rows that no step displaced.
//
// Memory: as [Pipeline.FitLogisticByObjective], with as many readings for every class.
func (p Pipeline) FitMultinomial(o Multinomial) Plan[MultinomialModel] {
	return newPlan[MultinomialModel](p, glm.MultinomialFit{Multinomial: o})
}
