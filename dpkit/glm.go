package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/glm"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
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

// Huber is robust regression by objective perturbation ([ObjectivePerturbation]): the loss of a row is r²/2κ of its residual r up
// to |r| = κ, and linear beyond (Huber 1964), in units of half the label's public range. Rows with a label that is far off
// pull no more than others.
type Huber = glm.Huber

// FitHuber fits a linear model of the schema's numeric label on all features, which is robust against outliers. It is priced as the
// Gaussian pair that dominates it ([accountant.GLMPerturbation]), on rows that no step displaced. The model has no Intervals.
//
// Memory: as [Pipeline.FitLogisticByObjective].
func (p Pipeline) FitHuber(o Huber) Plan[LinearModel] {
	return newPlan[LinearModel](p, glm.HuberFit{Huber: o})
}

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

// RateModel is a fitted Poisson regression: the rate of a row is exp(Intercept + ⟨Coef, x⟩), at most MaxCount. Coefficients are in
// the units of the encoded and scaled rows; the public maps that lead there are part of the model, so that it reads raw rows.
type RateModel = models.RateModel

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

// MultinomialModel is a fitted classifier into several classes. Coefficients are in the units of the encoded and scaled rows; the
// public maps that lead there are part of the model, so that it reads raw rows.
type MultinomialModel = models.MultinomialModel

// ClassModel is a fitted linear classifier. Coefficients are in the units of the encoded and scaled rows; the public maps that lead
// there are part of the model, so that it reads raw rows.
type ClassModel = models.ClassModel
