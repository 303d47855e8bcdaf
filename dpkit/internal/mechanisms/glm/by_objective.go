package glm

import (
	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
)

// ByObjective fits a model with a convex loss ℓ by one draw of noise, objective perturbation: the minimiser of
//
//	Σ_i ℓ(⟨w, x̃⟩, y_i) + (Λ/2)‖w‖² + ⟨b, w⟩,  b ~ N(0, σ²I),  x̃ = (x, c),
//
// (Chaudhuri, Monteleoni, Sarwate 2011; Kifer, Smith, Thakurta 2012), found to a public tolerance. σ and Λ are calibrated
// so that the release is as private as a Gaussian one of the target's μ ([accountant.LogisticPerturbation] for the logistic loss,
// [accountant.GLMPerturbation] for others): it adds up with others, and private steps of the chain may share its target. Λ covers
// the intercept, too.
//
// The price rests on no bound on w, hence holds only where no row is displaced: behind public and private steps. Behind steps
// that are fitted without noise use gradient.ByGradient. Add/remove, with a row zeroed out, is its natural relation: under
// replace-one a row counts as one removed and one added, at twice the noise.
//
// Memory: as that of ByGradient, with about ten readings of the rows in place of one a step.
type ByObjective struct {
	Epsilon, Delta float64 // target; no defaults

	// Lambda is Λ in units of R² (R = norm bound of a row). 0: the least at which σ is 8/7 of what it is for the largest Λ, or, with
	// the logistic loss, 2 or 5 times that, at less noise, where a release of so many rows and columns is predicted to be worth more.
	Lambda float64

	// Alone calibrates to (ε, δ) itself in place of the Gaussian pair that dominates the release: with the logistic loss an eighth
	// less noise. It cannot share its target with steps of the chain, and a ledger charges it as what it is sold as only with a Pure
	// part and a Reserve (Options), and as 1.7 times its ε where it has a Reserve alone.
	Alone bool
}

// Kifer2012 is a baseline: the σ and the least Λ of the original theorem, σ = C√(8 ln(2/δ) + 4ε)/ε, Λ = C²/2ε (Kifer, Smith,
// Thakurta 2012, Theorem 2, with the regulariser that its conditions ask for), with 2.3 to 3.2 times more noise than ByObjective
// Alone. It is for add/remove, the logistic loss, and otherwise as Alone.
type Kifer2012 struct {
	Epsilon, Delta float64 // target; no defaults
	Lambda         float64 // Λ in units of R², at least the theorem's; 0: that
}

// ObjectivePerturbation is what settles an objective perturbation, whatever the loss.
type ObjectivePerturbation struct {
	Epsilon, Delta float64
	Lambda         float64
	Alone          bool
	Kifer          bool
}

// Settings of the perturbation.
func (o ByObjective) Settings() ObjectivePerturbation {
	return ObjectivePerturbation{Epsilon: o.Epsilon, Delta: o.Delta, Lambda: o.Lambda, Alone: o.Alone}
}

// Settings of the perturbation.
func (o Kifer2012) Settings() ObjectivePerturbation {
	return ObjectivePerturbation{Epsilon: o.Epsilon, Delta: o.Delta, Lambda: o.Lambda, Kifer: true}
}

// Logistic is the fit with the logistic loss.
func (o ByObjective) Logistic() mechanism.Mechanism[models.LogisticModel] { return ObjectiveFit{o} }

// Logistic is the fit with the logistic loss.
func (o Kifer2012) Logistic() mechanism.Mechanism[models.LogisticModel] { return ObjectiveFit{o} }

// Covered says whether the release is priced as the Gaussian pair that dominates it.
func (o ObjectivePerturbation) Covered() bool { return !o.Alone && !o.Kifer }

// Budget is what the perturbation may spend.
func (o ObjectivePerturbation) Budget() accountant.Budget {
	return accountant.Budget{Epsilon: o.Epsilon, Delta: o.Delta}
}
