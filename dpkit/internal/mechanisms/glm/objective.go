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

// ObjectivePerturbation is logistic regression by one draw of noise: the minimiser of
//
//	Σ_i log(1 + e^{−y⟨w, x̃⟩}) + (Λ/2)‖w‖² + ⟨b, w⟩,  b ~ N(0, σ²I),  x̃ = (x, c),
//
// (Chaudhuri, Monteleoni, Sarwate 2011; Kifer, Smith, Thakurta 2012), found by Newton's method. σ and Λ are calibrated
// so that the release is as private as a Gaussian one of the target's μ ([accountant.LogisticPerturbation]): it
// adds up with others, and private steps of the chain may share its target. Λ covers the intercept, too.
//
// The price rests on no bound on w, hence holds only where no row is displaced: behind public and private steps.
// Behind steps that are fitted without noise use dpkit.Pipeline.FitLogistic.
type ObjectivePerturbation struct {
	Epsilon, Delta float64 // target; no defaults

	// Lambda is Λ in units of R² (R = norm bound of a row). 0: the least at which σ is 8/7 of what it is for the
	// largest Λ.
	Lambda float64

	// Alone calibrates to (ε, δ) itself in place of the Gaussian pair that dominates the release: at ε = 1 an eighth less
	// noise and a Λ that is 4.5 times smaller. It cannot share its target with steps of the chain, and a ledger, which
	// adds up Gaussians, charges it 2.3 times the μ.
	Alone bool

	// Kifer takes σ and the least Λ of the original theorem, σ = C√(8 ln(2/δ) + 4ε)/ε, Λ = C²/2ε (Kifer, Smith, Thakurta 2012,
	// Theorem 2, with the regulariser that its conditions ask for): a baseline, with 2.3 to 3.2 times more noise than Alone. It is
	// for add/remove, and otherwise as Alone.
	Kifer bool
}

type ObjectiveFit struct {
	ObjectivePerturbation `dp:"inline"`
}

func (ObjectiveFit) Kind() kind.Kind {
	return kind.Kind{Name: "fit/logistic-objective", Law: 1, Call: "FitLogisticByObjective", Was: "dpkit.objectivePerturbation"}
}

func (o ObjectivePerturbation) Budget() accountant.Budget {
	return accountant.Budget{Epsilon: o.Epsilon, Delta: o.Delta}
}

func (o ObjectiveFit) Task() ObjectiveTask {
	return ObjectiveTask{
		ObjectivePerturbation: o.ObjectivePerturbation, Name: kind.Describe(o), Losses: []marginLoss{LogisticLoss{Positive: 1}},
		reference: "objective perturbation as the Gaussian pair that dominates it; Kifer, Smith, Thakurta 2012, sharpened for the logistic loss",
		instead:   "FitLogistic",
		audited:   true,
	}
}

// Check reports what is wrong with the schema.
func (o ObjectiveFit) Check(in frames.Schema) error { return domain.Classifiable(in) }

func (o ObjectiveFit) Settle(st stage.Stage) (mechanism.Settled[models.LogisticModel], error) {
	if err := o.Check(st.In); err != nil {
		return mechanism.Settled[models.LogisticModel]{}, err
	}
	return settleObjective(o.Task(), st, func(w [][]float64, c float64) models.LogisticModel { return models.NewLogisticModel(st.In, w[0], c) })
}

// Exact minimises without noise: with the Λ that was given, or a ridge that only makes the minimiser unique.
func (o ObjectiveFit) Exact(ctx context.Context, in rows.Driver, st stage.Stage) (models.LogisticModel, error) {
	if err := o.Check(st.In); err != nil {
		return models.LogisticModel{}, err
	}
	return exactObjective(ctx, o.Task(), in, st, func(w [][]float64, c float64) models.LogisticModel { return models.NewLogisticModel(st.In, w[0], c) })
}
