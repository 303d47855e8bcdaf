package glm

import (
	"context"
	"fmt"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// MultinomialFit is classification into K classes by K logistic regressions, each class against the rest, by objective perturbation.
// A row takes part in all of them. They are Gaussian mechanisms of μ/√K each, released together, and cost exactly the target: the
// noise is √K times that of two classes.
type MultinomialFit struct {
	ByObjective
}

// Kind: version 1 of the law had five times the ridge where the release composes as a Gaussian.
func (MultinomialFit) Kind() kind.Kind {
	return kind.Kind{Name: "fit/multinomial", Law: 2, Replays: 1, Call: "FitMultinomial", Was: "dpkit.multinomial"}
}

func (m MultinomialFit) Budget() accountant.Budget { return m.Settings().Budget() }

func (m MultinomialFit) task(in frames.Schema) ObjectiveTask {
	t := ObjectiveTask{
		ObjectivePerturbation: m.Settings(), Name: kind.Describe(m),
		reference: "one logistic regression for each class against the rest, composed as Gaussians; Kifer, Smith, Thakurta 2012, sharpened",
		instead:   "FitConvex(SoftmaxLoss{}, …)",
	}
	label, _ := in.Label()
	for k := range label.Levels {
		t.Losses = append(t.Losses, LogisticLoss{Positive: float64(k)})
	}
	return t
}

// maxClasses bounds K.
const maxClasses = 1 << 10

func (m MultinomialFit) check(in frames.Schema) error {
	if m.Alone {
		return fmt.Errorf("calibration Alone: one regression for each class is released, and they compose as Gaussians; leave Alone out: %w", kind.ErrParameter)
	}
	label, ok := in.Label()
	if !ok || len(label.Levels) < 2 {
		return fmt.Errorf("the schema has no label with classes; declare one with frames.Label(name, first, second, …): %w", stage.ErrColumn)
	}
	if len(label.Levels) > maxClasses {
		return fmt.Errorf("label %q has %d levels, want at most %d: %w", label.Name, len(label.Levels), maxClasses, stage.ErrColumn)
	}
	return domain.EncodedFeatures(in, "")
}

func (m MultinomialFit) Settle(st stage.Stage) (mechanism.Settled[models.MultinomialModel], error) {
	if err := m.check(st.In); err != nil {
		return mechanism.Settled[models.MultinomialModel]{}, err
	}
	return settleObjective(m.task(st.In), st, 1, func(w [][]float64, c float64) models.MultinomialModel { return models.NewMultinomialModel(st.In, w, c) })
}

// Exact minimises without noise: with the Λ that was given, or a ridge that only makes the minimiser unique.
func (m MultinomialFit) Exact(ctx context.Context, in rows.Driver, st stage.Stage) (models.MultinomialModel, error) {
	if err := m.check(st.In); err != nil {
		return models.MultinomialModel{}, err
	}
	return exactObjective(ctx, m.task(st.In), in, st, func(w [][]float64, c float64) models.MultinomialModel { return models.NewMultinomialModel(st.In, w, c) })
}
