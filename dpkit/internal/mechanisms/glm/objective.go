package glm

import (
	"context"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// ObjectiveFit is logistic regression by objective perturbation.
type ObjectiveFit struct {
	How interface{ Settings() ObjectivePerturbation } // ByObjective or Kifer2012
}

// Settings are those of the way; none are valid where there is none.
func (o ObjectiveFit) Settings() ObjectivePerturbation {
	if o.How == nil {
		return ObjectivePerturbation{}
	}
	return o.How.Settings()
}

// Kind: version 1 of the law had five times the ridge where the release composes as a Gaussian, and was minimised by Newton's method alone.
func (ObjectiveFit) Kind() kind.Kind {
	return kind.Kind{Name: "fit/logistic-objective", Law: 2, Replays: 1, Call: "FitLogistic", Was: "dpkit.objectivePerturbation"}
}

func (o ObjectiveFit) Budget() accountant.Budget { return o.Settings().Budget() }

// Task is one logistic regression.
func (o ObjectiveFit) Task() ObjectiveTask {
	return ObjectiveTask{
		ObjectivePerturbation: o.Settings(), Name: kind.Describe(o), Losses: []marginLoss{LogisticLoss{Positive: 1}},
		reference: "objective perturbation as the Gaussian pair that dominates it; Kifer, Smith, Thakurta 2012, sharpened for the logistic loss",
		instead:   "FitLogistic(ByGradient{…})",
		audited:   true, approaches: true,
	}
}

// Check reports what is wrong with the way and the schema.
func (o ObjectiveFit) Check(in frames.Schema) error {
	if err := kind.Closed("method", o.How); err != nil {
		return err
	}
	return domain.Classifiable(in)
}

func (o ObjectiveFit) Settle(st stage.Stage) (mechanism.Settled[models.LogisticModel], error) {
	if err := o.Check(st.In); err != nil {
		return mechanism.Settled[models.LogisticModel]{}, err
	}
	return settleObjective(o.Task(), st, 1, func(w [][]float64, c float64) models.LogisticModel { return models.NewLogisticModel(st.In, w[0], c) })
}

// Exact minimises without noise: with the Λ that was given, or a ridge that only makes the minimiser unique.
func (o ObjectiveFit) Exact(ctx context.Context, in rows.Driver, st stage.Stage) (models.LogisticModel, error) {
	if err := o.Check(st.In); err != nil {
		return models.LogisticModel{}, err
	}
	return exactObjective(ctx, o.Task(), in, st, func(w [][]float64, c float64) models.LogisticModel { return models.NewLogisticModel(st.In, w[0], c) })
}
