package dpkit

import (
	"context"
	"fmt"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/frames"
)

// Multinomial is classification into K classes by K logistic regressions, each class against the rest, by objective perturbation
// ([ObjectivePerturbation]). A row takes part in all of them. They are Gaussian mechanisms of μ/√K each, released together, and cost
// exactly the target: the noise is √K times that of two classes.
type Multinomial struct {
	Epsilon, Delta float64 // target; no defaults
	Lambda         float64 // Λ of each regression, as that of ObjectivePerturbation
}

// FitMultinomial fits a classifier of the schema's class label, of two or more levels, on all features, on rows that no step displaced.
//
// Memory: as [Pipeline.FitLogisticByObjective], with as many readings for every class.
func (p Pipeline) FitMultinomial(o Multinomial) Plan[MultinomialModel] {
	return newPlan[MultinomialModel](p, multinomial{o})
}

type multinomial struct {
	Multinomial `dp:"inline"`
}

func (m multinomial) settings() ObjectivePerturbation {
	return ObjectivePerturbation{Epsilon: m.Epsilon, Delta: m.Delta, Lambda: m.Lambda}
}

func (multinomial) kind() kind {
	return kind{"fit/multinomial", 1, "FitMultinomial", "dpkit.multinomial"}
}

func (m multinomial) budget() accountant.Budget { return m.settings().budget() }

func (m multinomial) task(in frames.Schema) objectiveTask {
	t := objectiveTask{
		ObjectivePerturbation: m.settings(), name: describe(m),
		reference: "one logistic regression for each class against the rest, composed as Gaussians; Kifer, Smith, Thakurta 2012, sharpened",
		instead:   "FitLogistic on two classes",
	}
	label, _ := in.Label()
	for k := range label.Levels {
		t.losses = append(t.losses, logisticLoss{positive: float64(k)})
	}
	return t
}

// maxClasses bounds K.
const maxClasses = 1 << 10

func (m multinomial) check(in frames.Schema) error {
	label, ok := in.Label()
	if !ok || len(label.Levels) < 2 {
		return fmt.Errorf("the schema has no label with classes; declare one with frames.Label(name, first, second, …): %w", ErrColumn)
	}
	if len(label.Levels) > maxClasses {
		return fmt.Errorf("label %q has %d levels, want at most %d: %w", label.Name, len(label.Levels), maxClasses, ErrColumn)
	}
	return encodedFeatures(in, "")
}

func (m multinomial) Settle(st Stage) (settled[MultinomialModel], error) {
	if err := m.check(st.In); err != nil {
		return settled[MultinomialModel]{}, err
	}
	return settleObjective(m.task(st.In), st, func(w [][]float64, c float64) MultinomialModel { return newMultinomialModel(st.In, w, c) })
}

// Exact minimises without noise: with the Λ that was given, or a ridge that only makes the minimiser unique.
func (m multinomial) Exact(ctx context.Context, in driver, st Stage) (MultinomialModel, error) {
	if err := m.check(st.In); err != nil {
		return MultinomialModel{}, err
	}
	return exactObjective(ctx, m.task(st.In), in, st, func(w [][]float64, c float64) MultinomialModel { return newMultinomialModel(st.In, w, c) })
}
