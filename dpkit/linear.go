package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/linear"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
)

// Linear is least-squares regression of the schema's numeric label on all features. The label is
// centred by its public bounds and the model is y = mid + ⟨w, x⟩ + intercept.
//
// Zero values other than ε and δ are public defaults: functions of n, d, the target and the public bounds.
type Linear = linear.Linear

// FitLinear fits a linear model of the schema's numeric label on all features.
//
//go:noinline
func (p Pipeline) FitLinear(o Linear) Plan[LinearModel] {
	return newPlan[LinearModel](p, linear.LeastSquares{Linear: o})
}

// LinearMethod says how [Pipeline.FitLinear] spends its budget. Package baseline has two more, for comparison.
type LinearMethod = models.LinearMethod

const (
	// BestLinear is AdaSSP, unless LinearMixing or OutputPerturbation is predicted to have less than three quarters of its
	// error on a reference population: from n, d, the public bounds and the target alone. Data unlike that population may
	// want another.
	BestLinear = models.BestLinear
	// LinearMixing regresses on a Gaussian sketch of the rows (Lev et al. 2025, calibrated by the exact profile).
	// Its law is known, so that the model comes with exact intervals. No Gaussian dominates a sketch: a ledger charges it
	// as one outside a failure of δ/2, for which it needs a Reserve ([Options]).
	LinearMixing = models.LinearMixing
	// AdaSSP releases XᵀX and Xᵀy by one Gaussian mechanism and regresses on them with a ridge (Wang 2018).
	AdaSSP = models.AdaSSP
	// OutputPerturbation adds Gaussian noise to the coefficients of a ridge regression in a ball
	// (Chaudhuri, Monteleoni, Sarwate 2011).
	OutputPerturbation = models.OutputPerturbation
	// RelativeGaussianDescent is gradient descent with noise that grows with the gradient's norm (Hendrikx, Mangold, Bellet
	// 2025), corrected. It rests on a lower bound of the rows' least eigenvalue, Strength. It needs many rows for its
	// privacy to cost little: for a public bound on rows and labels AdaSSP is better. A ledger charges it as LinearMixing.
	RelativeGaussianDescent = models.RelativeGaussianDescent
)

// LinearModel is a fitted linear regression: y = Intercept + ⟨Coef, x⟩, clamped to the label's bounds.
// Coefficients are in units of the label per unit of an encoded and scaled column; the public maps that
// lead there are part of the model, so that it reads raw rows.
type LinearModel = models.LinearModel

// Interval is a confidence interval.
type Interval = models.Interval

// GramMatrix is a released second moment Σ x·xᵀ of the features.
type GramMatrix = linear.GramMatrix

// Gram releases Σ x·xᵀ over the rows, in the units of the chain's rows, with noise of the Gaussian orthogonal
// ensemble: "Analyze Gauss" (Dwork, Talwar, Thakurta, Zhang 2014) with half the variance off the diagonal, as one Gaussian
// mechanism in the Frobenius norm (Redberg, Wang 2021, Algorithm 6). Cells are rounded to a public grid so coarse that the
// sum is exact, and the noise is discrete.
//
//go:noinline
func (p Pipeline) Gram(t Target) Plan[GramMatrix] {
	return newPlan[GramMatrix](p, linear.SecondMomentRelease{Target: t})
}

// Sketching is a Gaussian mixture of the rows: k draws of N(0, ZᵀZ + σ²I) for the rows z of the features and the scaled
// numeric label (Lev et al. 2025, Algorithm 2). What is released are the draws' inner products, which tell as much as the
// draws do.
type Sketching = linear.Sketching

// Sketch holds the inner products of a Gaussian mixture.
type Sketch = linear.Sketch

// GaussMix releases the inner products of a Gaussian mixture of the features and the numeric label.
//
//go:noinline
func (p Pipeline) GaussMix(o Sketching) Plan[Sketch] {
	return newPlan[Sketch](p, linear.SketchRelease{Sketching: o})
}
