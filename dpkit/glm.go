package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/glm"
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
// that are fitted without noise use [ByGradient]. Add/remove, with a row zeroed out, is its natural relation: under
// replace-one a row counts as one removed and one added, at twice the noise.
//
// Memory: as that of ByGradient, with about ten readings of the rows in place of one a step.
//
// Its fields:
//
//	Epsilon, Delta float64 // target; no defaults
//
//	// Lambda is Λ in units of R² (R = norm bound of a row). 0: the least at which σ is 8/7 of what it is for the largest Λ, or, with
//	// the logistic loss, 2 or 5 times that, at less
//	// noise, where a release of so many rows and columns is predicted to be worth more.
//	Lambda float64
//
//	// Alone calibrates to (ε, δ) itself in place of the Gaussian pair that dominates the release: with the logistic loss an eighth
//	// less noise. It cannot share its target with steps of the chain. With the logistic loss a ledger charges it as 1.12 times its ε
//	// at most, and as 1.03 times where it has a Pure part and a Reserve (Options); with others as 1.5 to 1.9 times.
//	Alone bool
type ByObjective = glm.ByObjective

// HingeLoss is the squared hinge (1 − z)²₊/2h of the signed margin z, continued by its tangent from z = 1 − h down, where its slope
// is −1: that of a linear support vector machine, smoothed. Rows beyond margin 1 do not pull on the boundary.
//
// Its fields:
//
//	// Width is h: the more, the smoother, and the smaller the Λ that privacy asks for. 0: 2, at which the quadratic part ends at
//	// margin −1.
//	Width float64
type HingeLoss = glm.HingeLoss

// FitHinge fits a linear classifier of the schema's two-class label on all features, a support vector machine. It is priced as the
// Gaussian pair that dominates it ([accountant.GLMPerturbation]), on rows that no step displaced; behind others
// [Pipeline.FitConvex] takes a [SquaredHingeLoss].
func (p Pipeline) FitHinge(loss HingeLoss, how ByObjective) Plan[ClassModel] {
	return newPlan[ClassModel](p, glm.HingeFit{HingeLoss: loss, ByObjective: how})
}

// FitHuber fits a linear model of the schema's numeric label on all features, which is robust against outliers. It is priced as the
// Gaussian pair that dominates it ([accountant.GLMPerturbation]), on rows that no step displaced; behind others
// [Pipeline.FitConvex] takes the same loss. The loss is r²/2κ here, which is 1/κ times that of FitConvex, and its Knee κ in [0.01, 100],
// 0: 0.5. The model has no Intervals.
func (p Pipeline) FitHuber(loss HuberLoss, how ByObjective) Plan[LinearModel] {
	return newPlan[LinearModel](p, glm.HuberFit{HuberLoss: glm.HuberLoss(loss), ByObjective: how})
}

// PoissonLoss is that of Poisson regression of a count y, clipped to M: μ − y ln μ for the rate μ = ρ·e^⟨w, x̃⟩, divided by M, and
// linear in the exponent from μ = M up, so that its slopes are bounded by 1.
//
// Its fields:
//
//	// MaxCount is M: larger counts count as M, and no rate beyond it is predicted. Noise is in proportion to M: choose it near the
//	// largest counts that matter, from public knowledge. 0: the label's upper bound.
//	MaxCount float64
//	// Rate is ρ, the rate that noise and ridge pull to, in (0, M]: a public guess of the mean. 0: 1, or M where that is less.
//	Rate float64
type PoissonLoss = glm.PoissonLoss

// FitPoisson fits a log-linear model of the rate of the schema's numeric label, a count, on all features. It is priced as the
// Gaussian pair that dominates it ([accountant.GLMPerturbation]), on rows that no step displaced.
func (p Pipeline) FitPoisson(loss PoissonLoss, how ByObjective) Plan[RateModel] {
	return newPlan[RateModel](p, glm.PoissonFit{PoissonLoss: loss, ByObjective: how})
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
//	// Law is what bounds the noise in the coefficients; nil of a model that an earlier version stored. See Uncertainty.
//	Law *coefficient.Law
//	// Schema is that of the training rows: a row to predict has its features, in order, with the same levels.
//	Schema frames.Schema
//	Maps   stage.RowMap
//	Provenance
//
// Its methods:
//
//	Deviance(ctx context.Context, test *frames.PublicFrame) (float64, error)
//		Deviance is the mean Poisson deviance 2(y ln(y/μ) − y + μ) of the rates μ, at least 1e-300.
//	Gota() dataframe.DataFrame
//		Gota is the coefficients as a gota frame: "name", "value", "low", "high", and what the release promises, as
//		LinearModel.Gota has it.
//	Inputs() frames.Schema
//		Inputs is the schema of the columns that prediction reads, without the label and without features that the chain drops.
//	Predict(ctx context.Context, src *frames.PublicFrame) ([]float64, error)
//		Predict returns the rate of every row of src, in order.
//	PredictGota(ctx context.Context, df dataframe.DataFrame) (dataframe.DataFrame, error)
//		PredictGota is LinearModel.PredictGota of a Poisson model: the rate.
//	PredictRow(row any) (float64, error)
//		PredictRow is LinearModel.PredictRow of a Poisson model: the rate.
//	PredictRows(ctx context.Context, rows any) ([]float64, error)
//		PredictRows is LinearModel.PredictRows of a Poisson model.
//	Uncertainty(level float64) (coefficient.Uncertainty, error)
//		Uncertainty is LinearModel.Uncertainty of a Poisson model.
type RateModel = models.RateModel

// FitMultinomial fits a classifier of the schema's class label, of two or more levels, on all features, on rows that no step displaced:
// one logistic regression for each of the K classes against the rest. A row takes part in all of them. They are Gaussian mechanisms
// of μ/√K each, released together, and cost exactly the target: the noise is √K times that of two classes. Behind steps that displace
// rows [Pipeline.FitConvex] takes a [SoftmaxLoss].
func (p Pipeline) FitMultinomial(how ByObjective) Plan[MultinomialModel] {
	return newPlan[MultinomialModel](p, glm.MultinomialFit{ByObjective: how})
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
//	// Law is what bounds the noise in the coefficients; nil of a model that an earlier version stored. See Uncertainty.
//	Law *coefficient.Law
//	// Schema is that of the training rows: a row to predict has its features, in order, with the same levels.
//	Schema frames.Schema
//	Maps   stage.RowMap
//	Provenance
//
// Its methods:
//
//	Accuracy(ctx context.Context, test *frames.PublicFrame) (float64, error)
//		Accuracy is the share of rows whose class the model predicts.
//	Gota() dataframe.DataFrame
//		Gota is the coefficients of every class as a gota frame: "of" (the class), "name", "value", "low", "high", and what the
//		release promises, as LinearModel.Gota has it.
//	Inputs() frames.Schema
//		Inputs is the schema of the columns that prediction reads, without the label and without features that the chain drops.
//	Predict(ctx context.Context, src *frames.PublicFrame) ([]int, error)
//		Predict returns the most probable class of every row of src, in order, as an index into Classes.
//	PredictGota(ctx context.Context, df dataframe.DataFrame) (dataframe.DataFrame, error)
//		PredictGota is LinearModel.PredictGota of a classifier into several classes: the name of the class.
//	PredictRow(row any) (int, error)
//		PredictRow is LinearModel.PredictRow of a classifier into several classes: the most probable class, as an index into
//		Classes.
//	PredictRows(ctx context.Context, rows any) ([]int, error)
//		PredictRows is LinearModel.PredictRows of a classifier into several classes.
//	Probabilities(ctx context.Context, rows any) ([][]float64, error)
//		Probabilities returns those of the classes for every row, in order: what the regressions say, divided by its sum.
//	Uncertainty(level float64) (coefficient.Uncertainty, error)
//		Uncertainty is LinearModel.Uncertainty of a classifier into several classes.
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
//	// Law is what bounds the noise in the coefficients; nil of a model that an earlier version stored. See Uncertainty.
//	Law *coefficient.Law
//	// Schema is that of the training rows: a row to predict has its features, in order, with the same levels.
//	Schema frames.Schema
//	Maps   stage.RowMap
//	Provenance
//
// Its methods:
//
//	Accuracy(ctx context.Context, test *frames.PublicFrame) (float64, error)
//		Accuracy is the share of rows whose class the model predicts.
//	Gota() dataframe.DataFrame
//		Gota is the coefficients as a gota frame: "name", "value", "low", "high", and what the release promises, as
//		LinearModel.Gota has it.
//	Inputs() frames.Schema
//		Inputs is the schema of the columns that prediction reads, without the label and without features that the chain drops.
//	Margins(ctx context.Context, rows any) ([]float64, error)
//		Margins returns the margin of every row, in order: above 0 for the positive class.
//	Predict(ctx context.Context, src *frames.PublicFrame) ([]int, error)
//		Predict returns the class of every row of src, in order, as an index into Classes.
//	PredictGota(ctx context.Context, df dataframe.DataFrame) (dataframe.DataFrame, error)
//		PredictGota is LinearModel.PredictGota of a linear classifier: the name of the class.
//	PredictRow(row any) (int, error)
//		PredictRow is LinearModel.PredictRow of a linear classifier: the class, as an index into Classes.
//	PredictRows(ctx context.Context, rows any) ([]int, error)
//		PredictRows is LinearModel.PredictRows of a linear classifier.
//	Uncertainty(level float64) (coefficient.Uncertainty, error)
//		Uncertainty is LinearModel.Uncertainty of a linear classifier.
type ClassModel = models.ClassModel
