package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/linear"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/sketch"
)

// FitLinear fits a linear model of the schema's numeric label on all features by least squares, by one of the methods that
// [LinearMethod] lists: FitLinear(AdaSSP{Epsilon: 1, Delta: 1e-6}). The label is centred by its public bounds and the model
// is y = mid + ⟨w, x⟩ + intercept.
//
//go:noinline
func (p Pipeline) FitLinear(how LinearMethod) Plan[LinearModel] {
	return newPlanAmong[LinearModel](p, linear.Fit{How: kind.PointedTo(how)}, linearEnds)
}

// A LinearMethod says how [Pipeline.FitLinear] spends its budget: [BestLinear], [AdaSSP], [LinearMixing], [OutputPerturbation] or
// [RelativeGaussianDescent]. Package baseline has another, for comparison.
//
// Zero values other than ε and δ are public defaults: functions of n, d, the target and the public bounds.
type LinearMethod = linear.Method

// BestLinear is [AdaSSP], unless [LinearMixing] or [OutputPerturbation] is predicted to have less than three quarters of its
// error on a reference population: from n, d, the public bounds and the target alone. Data unlike that population may
// want another. Its AdaSSP shrinks to the label's mean where the sums tell that from noise, and elsewhere to the middle of the label's
// bounds, as one that is asked for by name always does. Where the mean of the label by itself is predicted to have less than three quarters of the error of them all, on that
// population and one as tables are, it is a model of coefficients 0 and that mean, whose Method is "mean of the label"; what noise could
// have said of the mean is left in the middle of the label's bounds.
//
// Its fields:
//
//	Epsilon, Delta float64 // target; no defaults
//	NoIntercept    bool    // leave the constant feature out
//	LabelScale     float64 // bound on the scaled label beside the features, in units of R̃; 0: chosen for the predicted error
type BestLinear = linear.BestLinear

// AdaSSP releases XᵀX and Xᵀy by one Gaussian mechanism and regresses on them with a ridge (Wang 2018).
//
// Its fields:
//
//	Epsilon, Delta float64 // target; no defaults
//	NoIntercept    bool    // leave the constant feature out
//	LabelScale     float64 // bound on the scaled label beside the features, in units of R̃; 0: chosen for the predicted error
type AdaSSP = linear.AdaSSP

// LinearMixing regresses on a Gaussian sketch of the rows (Lev et al. 2025, calibrated by the exact profile).
// Its law is known, so that the model comes with exact intervals. No Gaussian dominates a sketch: a ledger charges it
// as one outside a failure, for which it needs a Reserve ([Options]).
//
// Its fields:
//
//	Epsilon, Delta float64 // target; no defaults
//	NoIntercept    bool    // leave the constant feature out
//	LabelScale     float64 // bound on the scaled label beside the features, in units of R̃; 0: chosen for the predicted error
//	Rows           int     // k: rows of the sketch; 0: up to 8 for each coefficient and the label, for the predicted error
//	// ReleaseEigenvalue spends a part of the budget on the smallest eigenvalue of the rows' Gram matrix and adds less noise
//	// where that is large (ModifiedGaussMix).
//	ReleaseEigenvalue bool
//	// CoefficientsOnly draws the coefficients by their multivariate t law, without the sketch behind them: as many normal
//	// variates as rows of the sketch and columns, but no intervals.
//	CoefficientsOnly bool
type LinearMixing = linear.LinearMixing

// OutputPerturbation adds Gaussian noise to the coefficients of a ridge regression in a ball
// (Chaudhuri, Monteleoni, Sarwate 2011).
//
// Its fields:
//
//	Epsilon, Delta float64 // target; no defaults
//	NoIntercept    bool    // leave the constant feature out
//	LabelScale     float64 // bound on the scaled label beside the features, in units of R̃; 0: chosen for the predicted error
//	Ridge          float64 // λ: n·λ/2·‖w‖², in units of R̃²; 0: chosen for the predicted error
//	MaxNorm        float64 // W: bound on ‖w‖, in units of the label's bound over R̃; 0: 2
type OutputPerturbation = linear.OutputPerturbation

// RelativeGaussianDescent is gradient descent with noise that grows with the gradient's norm (Hendrikx, Mangold, Bellet
// 2025), corrected. It rests on a lower bound of the rows' least eigenvalue, Strength. It needs many rows for its
// privacy to cost little: for a public bound on rows and labels AdaSSP is better. A ledger charges it as LinearMixing.
//
// Its fields:
//
//	Epsilon, Delta float64 // target; no defaults
//	NoIntercept    bool    // leave the constant feature out
//	LabelScale     float64 // bound on the scaled label beside the features, in units of R̃; 0: chosen for the predicted error
//	Ridge          float64 // λ: n·λ/2·‖w‖², in units of R̃²; 0: chosen for the predicted error
//	Steps          int     // T; 0: chosen for the predicted error
//	// Strength certifies ρ: that the least eigenvalue of (1/n) Σ x xᵀ + λI is at least ρR̃², x being rows with the constant
//	// feature, clipped to R̃. Declare, Test or Bound it; none: ρ = λ, which always holds.
//	Strength Certificate
type RelativeGaussianDescent = linear.RelativeGaussianDescent

// LinearModel is a fitted linear regression: y = Intercept + ⟨Coef, x⟩, clamped to the label's bounds.
// Coefficients are in units of the label per unit of an encoded and scaled column; the public maps that
// lead there are part of the model, so that it reads raw rows.
//
// Its fields:
//
//	Label     string
//	Lo        float64 // public bounds of the label
//	Hi        float64
//	Method    string   // how it was fitted, such as "adassp"
//	Columns   []string // encoded features, in the order of Coef
//	Coef      []float64
//	Intercept float64
//	// Errors are standard deviations of the coefficients by the noise: exact of OutputPerturbation, the scales of a t law of
//	// LinearMixing, and to first order of AdaSSP; none of others. See Uncertainty for intervals that hold.
//	Errors         []float64
//	InterceptError float64
//	Freedom        int // degrees of freedom of their t law; 0: normal
//	// Strength is the lower bound on the least eigenvalue of the rows' mean second moments, ridge included and in units of R̃²,
//	// that RelativeGaussianDescent asked for privately; 0: it did not.
//	Strength float64
//	// Law is what bounds the noise in the coefficients; nil of a model that an earlier version stored. See Uncertainty.
//	Law *coefficient.Law
//	// Schema is that of the training rows: a row to predict has its features, in order, with the same levels.
//	Schema frames.Schema
//	Maps   stage.RowMap
//	Provenance
//
// Its methods:
//
//	Gota() dataframe.DataFrame
//		Gota is the coefficients as a gota frame of one row each, the intercept last: "name", "value", "low" and "high" of the
//		interval of Uncertainty at 0.95 (gota's NaN where signs and sizes cannot be read), and what the release promises, in
//		every row: "epsilon", "delta", "unit", "entry" of the ledger, and "promise", the guarantee in words.
//	Inputs() frames.Schema
//		Inputs is the schema of the columns that prediction reads, without the label and without features that the chain drops.
//	Intervals(level float64) ([]Interval, error)
//		Intervals returns the intervals of LinearModel.Uncertainty, and an error that wraps kind.ErrParameter where there are
//		none.
//	Predict(ctx context.Context, src *frames.PublicFrame) ([]float64, error)
//		Predict returns the predicted label of every row of src, in order, clamped to the label's public bounds.
//	PredictGota(ctx context.Context, df dataframe.DataFrame) (dataframe.DataFrame, error)
//		PredictGota predicts the rows of a gota frame, in order, as LinearModel.PredictRows does: a frame with "predicted" and
//		what the model's release promises, to be bound to the rows by CBind.
//	PredictRow(row any) (float64, error)
//		PredictRow predicts one row: what LinearModel.Predict says of it, to the bit.
//	PredictRows(ctx context.Context, rows any) ([]float64, error)
//		PredictRows predicts many rows, in order: a slice of what LinearModel.PredictRow takes, a gota DataFrame, or a
//		frames.PublicFrame.
//	RMSE(ctx context.Context, test *frames.PublicFrame) (float64, error)
//		RMSE is the root of the mean squared error of the predictions.
//	ScaledLaw(by float64) *coefficient.Law
//		ScaledLaw is the law of the noise in the coefficients times a public number.
//	Uncertainty(level float64) (coefficient.Uncertainty, error)
//		Uncertainty bounds the noise in the coefficients: see coefficient.Uncertainty.
type LinearModel = models.LinearModel

// Interval is a confidence interval.
//
// Its fields:
//
//	Name string
//	Lo   float64
//	Hi   float64
//	Of   string // the class whose score it is in, of a model with several
//
// Its methods:
//
//	Sign() int
//		Sign is that of all numbers in the interval: 1 or −1, and 0 where it cannot be read.
type Interval = models.Interval

// GramMatrix is a released second moment Σ x·xᵀ of the features.
//
// Its fields:
//
//	Columns []string
//	// Second is row-major and symmetric. It need not be positive semidefinite: the noise is in it.
//	Second []float64
//	// Sigma is the noise on each entry of the diagonal; off it Sigma/√2.
//	Sigma float64
//	Provenance
//
// Its methods:
//
//	Gota() dataframe.DataFrame
//		Gota is the matrix as a gota frame in long form, a row for each entry: "of", "row", "column", "value", and what the
//		release promises: "epsilon", "delta", "unit", "entry", "promise".
//	Spread(q float64) (float64, error)
//		Spread bounds how far the noise moves any eigenvalue: with probability 1 − q, by both sides of the largest eigenvalue
//		of the Gaussian orthogonal ensemble.
type GramMatrix = linear.GramMatrix

// Gram releases Σ x·xᵀ over the rows, in the units of the chain's rows, with noise of the Gaussian orthogonal
// ensemble: "Analyze Gauss" (Dwork, Talwar, Thakurta, Zhang 2014) with half the variance off the diagonal, as one Gaussian
// mechanism in the Frobenius norm (Redberg, Wang 2021, Algorithm 6). Cells are rounded to a public grid so coarse that the
// sum is exact, and the noise is discrete.
//
//go:noinline
func (p Pipeline) Gram(t Target) Plan[GramMatrix] {
	return newPlan[GramMatrix](p, linear.GramRelease{Target: t})
}

// Sketching is a Gaussian mixture of the rows: k draws of N(0, ZᵀZ + σ²I) for the rows z of the features and the scaled
// numeric label (Lev et al. 2025, Algorithm 2). What is released are the draws' inner products, which tell as much as the
// draws do.
//
// Its fields:
//
//	Epsilon, Delta float64 // target; no defaults
//	Rows           int     // k; 0: 8 for each column
//	LabelScale     float64 // bound on the scaled label, in units of R; 0: 1
//	// ReleaseEigenvalue spends a part of the budget on the smallest eigenvalue of ZᵀZ and adds less noise where that is
//	// large.
//	ReleaseEigenvalue bool
//	// Intercept puts a column beside the features that is half the bound on a row's norm in every row, as fits have it: regressions on the
//	// sketch then have an intercept of the rows' own. A row is longer by it, and the noise larger.
//	Intercept bool
type Sketching = linear.Sketching

// Sketch holds the inner products of a Gaussian mixture.
//
// Its fields:
//
//	Columns []string  // features, then the constant column where there is one, then the label
//	Inner   []float64 // row-major and symmetric, one row for each column
//	Rows    int       // k
//	// Sigma is σ, the noise on each cell of the sketch. 0: Inner is ZᵀZ itself, of rows that are public.
//	Sigma float64
//	// The label column holds (y − LabelMid)/LabelUnit.
//	LabelMid  float64
//	LabelUnit float64
//	// Constant is what the column ConstantColumn holds in every row: public. 0: there is none.
//	Constant float64
//	Provenance
//
// Its methods:
//
//	Check() error
//		Check reports a sketch whose parts do not fit together, as a damaged file has them: names that are not different, a
//		matrix of another size, that is not symmetric or not finite, or numbers beside it that no release gives.
//	Components(k int, columns ...string) (sketch.Components, error)
//		Components returns the first k principal components of the columns, of all features if none is given: eigenvectors of
//		the second moments Σ xxᵀ of the rows, not centred, from which the noise σ² is taken off.
//	Covered(sd float64) Sketch
//		Covered is the sketch with noise of that standard deviation on each entry of Inner, which covers rounding.
//	Gota() dataframe.DataFrame
//		Gota is the sketch's inner products as a gota frame in long form, a row for each entry: "of", "row", "column", "value",
//		and what the release promises: "epsilon", "delta", "unit", "entry", "promise".
//	Regress(label string, features ...string) (sketch.Regression, error)
//		Regress regresses a column of the sketch on others, or on all features if none is given.
type Sketch = sketch.Sketch

// GaussMix releases the inner products of a Gaussian mixture of the features and the numeric label.
//
//go:noinline
func (p Pipeline) GaussMix(o Sketching) Plan[Sketch] {
	return newPlan[Sketch](p, linear.SketchRelease{Sketching: o})
}
