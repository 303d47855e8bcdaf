package dpkit

import (
	"context"

	"github.com/dpkit-go/dpnb/accountant"
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
// Behind steps that are fitted without noise use [Pipeline.FitLogistic].
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

// FitLogisticByObjective fits a logistic model of the schema's two-class label on all features by objective
// perturbation. Add/remove, with a row zeroed out, is its natural relation: under replace-one a row counts as one removed and
// one added, at twice the noise.
//
// Memory: as [Pipeline.FitLogistic], with about ten readings of the rows in place of one a step.
//
//go:noinline
func (p Pipeline) FitLogisticByObjective(o ObjectivePerturbation) Plan[LogisticModel] {
	return newPlan[LogisticModel](p, objectivePerturbation{o})
}

type objectivePerturbation struct {
	ObjectivePerturbation `dp:"inline"`
}

func (objectivePerturbation) kind() kind {
	return kind{"fit/logistic-objective", 1, "FitLogisticByObjective", "dpkit.objectivePerturbation"}
}

func (o ObjectivePerturbation) budget() accountant.Budget {
	return accountant.Budget{Epsilon: o.Epsilon, Delta: o.Delta}
}

func (o objectivePerturbation) task() objectiveTask {
	return objectiveTask{
		ObjectivePerturbation: o.ObjectivePerturbation, name: describe(o), losses: []marginLoss{logisticLoss{positive: 1}},
		reference: "objective perturbation as the Gaussian pair that dominates it; Kifer, Smith, Thakurta 2012, sharpened for the logistic loss",
		instead:   "FitLogistic",
		audited:   true,
	}
}

// check reports what is wrong with the schema.
func (o objectivePerturbation) check(in frames.Schema) error { return classifiable(in) }

func (o objectivePerturbation) Settle(st Stage) (settled[LogisticModel], error) {
	if err := o.check(st.In); err != nil {
		return settled[LogisticModel]{}, err
	}
	return settleObjective(o.task(), st, func(w [][]float64, c float64) LogisticModel { return newLogisticModel(st.In, w[0], c) })
}

// Exact minimises without noise: with the Λ that was given, or a ridge that only makes the minimiser unique.
func (o objectivePerturbation) Exact(ctx context.Context, in driver, st Stage) (LogisticModel, error) {
	if err := o.check(st.In); err != nil {
		return LogisticModel{}, err
	}
	return exactObjective(ctx, o.task(), in, st, func(w [][]float64, c float64) LogisticModel { return newLogisticModel(st.In, w[0], c) })
}
