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
//
// Its fields:
//
//	Epsilon, Delta float64 // target; no defaults
//
//	// Lambda is Λ in units of R² (R = norm bound of a row). 0: the least at which σ is 8/7 of what it is for the
//	// largest Λ.
//	Lambda float64
//
//	// Alone calibrates to (ε, δ) itself in place of the Gaussian pair that dominates the release: at ε = 1 an eighth less
//	// noise and a Λ that is 4.5 times smaller. It cannot share its target with steps of the chain, and a ledger, which
//	// adds up Gaussians, charges it 2.3 times the μ.
//	Alone bool
//
//	// Kifer takes σ and the least Λ of the original theorem, σ = C√(8 ln(2/δ) + 4ε)/ε, Λ = C²/2ε (Kifer, Smith, Thakurta 2012,
//	// Theorem 2, with the regulariser that its conditions ask for): a baseline, with 2.3 to 3.2 times more noise than Alone. It is
//	// for add/remove, and otherwise as Alone.
//	Kifer bool
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
//
// Its fields:
//
//	Epsilon, Delta float64 // target; no defaults
//	Lambda         float64 // as that of ObjectivePerturbation
//	Alone          bool    // as that of ObjectivePerturbation
//	// Width is h: the more, the smoother, and the smaller the Λ that privacy asks for. 0: 2, at which the quadratic part ends at
//	// margin −1.
//	Width float64
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
//
// Its fields:
//
//	Epsilon, Delta float64 // target; no defaults
//	Lambda         float64 // as that of ObjectivePerturbation
//	Alone          bool    // as that of ObjectivePerturbation
//	// Knee is κ in units of half the label's range: the more, the closer to least squares, and the smaller the Λ that
//	// privacy asks for. 0: 0.5.
//	Knee float64
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
//
// Its fields:
//
//	Epsilon, Delta float64 // target; no defaults
//	Lambda         float64 // as that of ObjectivePerturbation
//	Alone          bool    // as that of ObjectivePerturbation
//	// MaxCount is M: larger counts count as M, and no rate beyond it is predicted. Noise is in proportion to M: choose it near the
//	// largest counts that matter, from public knowledge. 0: the label's upper bound.
//	MaxCount float64
//	// Rate is ρ, the rate that noise and ridge pull to, in (0, M]: a public guess of the mean. 0: 1, or M where that is less.
//	Rate float64
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
//
// Its fields:
//
//	Label     string
//	MaxCount  float64
//	Columns   []string // encoded features, in the order of Coef
//	Coef      []float64
//	Intercept float64
//	Reader
//	Provenance
//
// Its methods:
//
//	Deviance(ctx context.Context, test *frames.PublicFrame) (float64, error)
//		Deviance is the mean Poisson deviance 2(y ln(y/μ) − y + μ) of the rates μ, at least 1e-300.
//	Predict(ctx context.Context, src *frames.PublicFrame) ([]float64, error)
//		Predict returns the rate of every row of src, in order.
type RateModel = models.RateModel

// Multinomial is classification into K classes by K logistic regressions, each class against the rest, by objective perturbation
// ([ObjectivePerturbation]). A row takes part in all of them. They are Gaussian mechanisms of μ/√K each, released together, and cost
// exactly the target: the noise is √K times that of two classes.
//
// Its fields:
//
//	Epsilon, Delta float64 // target; no defaults
//	Lambda         float64 // Λ of each regression, as that of ObjectivePerturbation
type Multinomial = glm.Multinomial

// FitMultinomial fits a classifier of the schema's class label, of two or more levels, on all features, on rows that no step displaced.
//
// Memory: as [Pipeline.FitLogisticByObjective], with as many readings for every class.
func (p Pipeline) FitMultinomial(o Multinomial) Plan[MultinomialModel] {
	return newPlan[MultinomialModel](p, glm.MultinomialFit{Multinomial: o})
}

// MultinomialModel is a fitted classifier into several classes. Coefficients are in the units of the encoded and scaled rows; the
// public maps that lead there are part of the model, so that it reads raw rows.
//
// Its fields:
//
//	Label      string
//	Classes    []string
//	Columns    []string    // encoded features, in the order of each row of Coef
//	Coef       [][]float64 // one row for each class
//	Intercepts []float64   // one for each class
//	Reader
//	Provenance
//
// Its methods:
//
//	Accuracy(ctx context.Context, test *frames.PublicFrame) (float64, error)
//		Accuracy is the share of rows whose class the model predicts.
//	Predict(ctx context.Context, src *frames.PublicFrame) ([]int, error)
//		Predict returns the most probable class of every row of src, in order, as an index into Classes.
//	Probabilities(ctx context.Context, src *frames.PublicFrame) ([][]float64, error)
//		Probabilities returns those of the classes for every row of src, in order: what the regressions say, divided by its sum.
type MultinomialModel = models.MultinomialModel

// ClassModel is a fitted linear classifier. Coefficients are in the units of the encoded and scaled rows; the public maps that lead
// there are part of the model, so that it reads raw rows.
//
// Its fields:
//
//	Label     string
//	Classes   [2]string // the second is the positive class
//	Columns   []string  // encoded features, in the order of Coef
//	Coef      []float64
//	Intercept float64
//	Reader
//	Provenance
//
// Its methods:
//
//	Accuracy(ctx context.Context, test *frames.PublicFrame) (float64, error)
//		Accuracy is the share of rows whose class the model predicts.
//	Margins(ctx context.Context, src *frames.PublicFrame) ([]float64, error)
//		Margins returns the margin of every row of src, in order: above 0 for the positive class.
//	Predict(ctx context.Context, src *frames.PublicFrame) ([]int, error)
//		Predict returns the class of every row of src, in order, as an index into Classes.
type ClassModel = models.ClassModel
