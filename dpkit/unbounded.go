package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/unbounded"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
)

// MomentMethod says how the second moments of unbounded rows are approached. Package baseline has two more, for comparison.
type MomentMethod = unbounded.MomentMethod

const (
	// MomentsAdaptive measures the moments in coordinates in which every earlier measurement says that they are small,
	// until all directions are equally large: each round bounds the moments from above by what it saw and the largest
	// eigenvalue of its noise, in the whole of the matrix.
	MomentsAdaptive = unbounded.MomentsAdaptive
)

// Unbounded says how second moments of rows without public bounds are measured: in T + 1 rounds of Gaussian noise of
// the orthogonal ensemble, each on rows that were mapped by what the earlier rounds released and clipped to a public
// radius. Privacy holds for every dataset. Accuracy is promised for rows whose law is sub-Gaussian, as a
// Gaussian one in its tails, and whose declared scales hold; where they do not, the result is biased and nothing else.
//
// Its fields:
//
//	Epsilon, Delta float64 // target; no defaults
//	Method         MomentMethod
//
//	// Smallest and Largest bound the root mean square of ⟨v, z⟩ for every unit vector v and the rows z = (1, x, y), cells
//	// in units of their columns' guessed scales. κ = (Largest/Smallest)² bounds the condition number of the second
//	// moments, and the price grows with its logarithm: be generous. 0: 1e-4 and 1e4. Directions larger than that are clipped,
//	// smaller ones drown in noise.
//	Smallest, Largest float64
type Unbounded = unbounded.Unbounded

// Moments are released second moments of rows without bounds: positive semidefinite, in the units of the columns.
//
// Its fields:
//
//	Of    string // "second moment" or "covariance"
//	Names []string
//	// Matrix is row-major. Its error is relative: with Σ the moments of the rows, about Error in the spectral norm of
//	// Σ^−½ (Matrix − Σ) Σ^−½.
//	Matrix []float64
//	// Mean is that of the columns, beside a covariance: its error by noise is about Error/2 standard deviations in any direction.
//	Mean []float64
//	// Error is predicted from public numbers, for rows of a Gaussian law whose declared scales hold; 0 on public data.
//	Error float64
//	// Definite says that the moments stand above the noise in every direction. Where it is false some combination of the
//	// columns is constant, collinear, or smaller than was declared: what is said of it is noise, raised to be positive.
//	Definite bool
//	Provenance
//
// Its methods:
//
//	At(a, b string) (float64, error)
//		At returns the entry of two columns.
//	Gota() dataframe.DataFrame
//		Gota is the matrix as a gota frame in long form, a row for each entry: "of", "row", "column", "value", and what the
//		release promises.
//	SDs() []float64
//		SDs are the standard deviations (root mean squares of a second moment) of the columns.
type Moments = unbounded.Moments

// SecondMoment releases E xxᵀ of all features, which may be unbounded. Each round is one pass over the rows, in constant memory.
func (p Pipeline) SecondMoment(o Unbounded) Plan[Moments] {
	return newPlan[Moments](p, unbounded.SecondMoment{Unbounded: o, Central: false})
}

// Covariance releases mean and covariance of all features, which may be unbounded, from one joint second moment of
// (1, x): a mean far from 0 costs what a large condition number costs, its logarithm.
func (p Pipeline) Covariance(o Unbounded) Plan[Moments] {
	return newPlan[Moments](p, unbounded.SecondMoment{Unbounded: o, Central: true})
}

// UnboundedLinear is regression of the schema's label on all features, none of which needs a bound, by least squares on
// one joint second moment of (1, x, y).
//
//   - A numeric label, with or without bounds: least squares. The best linear predictor is estimated whatever the law of
//     the label given the features (Milionis's least squares with bounded labels and linear regression; there by three
//     releases in place of one).
//   - A label of two classes: binary regression. Least squares of ±1 gives the direction of the separating
//     hyperplane alone, if the features are Gaussian (Brillinger 1982); a Link that is known gives the scale, too.
//
// Its fields:
//
//	Unbounded
//	// NoIntercept leaves the constant feature out: features, and their label, have mean 0.
//	NoIntercept bool
//	Link        Link // of a label of two classes
type UnboundedLinear = unbounded.UnboundedLinear

// FitUnbounded fits a linear model of the schema's label on features without bounds. Each round is one pass over the
// rows, in constant memory.
//
// If the released moments do not stand above their noise the model says so in Refused, and does not predict: the
// release is paid for, as the refusal is a function of what was released.
func (p Pipeline) FitUnbounded(o UnboundedLinear) Plan[UnboundedModel] {
	return newPlan[UnboundedModel](p, unbounded.UnboundedFit{UnboundedLinear: o})
}

// Link is the law of a label of two classes given the features: P(second class) = f(b + ⟨β, x⟩).
type Link = models.Link

const (
	// LinkUnknown is any monotone f: the direction of β is estimated.
	LinkUnknown = models.LinkUnknown
	// LinkLogistic is f(t) = 1/(1 + e^−t).
	LinkLogistic = models.LinkLogistic
	// LinkProbit is f(t) = Φ(t).
	LinkProbit = models.LinkProbit
)

// UnboundedModel is a fitted linear model: Intercept + ⟨Coef, x⟩ predicts a numeric label, clamped to its bounds if it has
// any. Of two classes it tells the second where it is above 0: up to a positive factor, unless the scale was recovered.
//
// Its fields:
//
//	Label   string
//	Classes []string  // of a label of two classes; the second is the positive one
//	Bounds  []float64 // public bounds of a numeric label that has them
//	Columns []string
//	Coef    []float64
//	// Privacy are the standard deviations of the coefficients by the noise, to first order, and Sampling those by the
//	// rows being a sample, where residuals do not depend on the features.
//	Privacy           []float64
//	Sampling          []float64
//	Intercept         float64
//	InterceptPrivacy  float64
//	InterceptSampling float64
//	Residual          float64 // standard deviation of what the model leaves of the label, or of ±1
//	// Noise bounds, but for 1 in 1000, the relative error of the noise on the moments of the features. First-order errors are
//	// good while it is well below 1.
//	Noise   float64
//	Refused string // why the coefficients are not to be used; empty if they are
//	Link    Link
//	Scaled  bool // the coefficients are those of the link, not their direction alone
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
//		Accuracy is the share of public rows whose class the model predicts.
//	Gota() dataframe.DataFrame
//		Gota is the coefficients as a gota frame: "name", "value", "privacy" and "sampling" (their standard deviations by the
//		noise and by the rows being a sample), and what the release promises, as LinearModel.Gota has it.
//	Inputs() frames.Schema
//		Inputs is the schema of the columns that prediction reads, without the label and without features that the chain drops.
//	Intervals(level float64) ([]Interval, error)
//		Intervals returns a confidence interval for each coefficient of the best linear predictor of the population, and for the
//		intercept, "(intercept)", last: normal ones, for noise and sampling together, to first order in both.
//	Predict(ctx context.Context, src *frames.PublicFrame) ([]float64, error)
//		Predict returns for every row of src, in order, the label; of two classes the probability of the second if the scale was
//		recovered, else the score, whose sign alone has a meaning.
//	PredictGota(ctx context.Context, df dataframe.DataFrame) (dataframe.DataFrame, error)
//		PredictGota is LinearModel.PredictGota of a model of columns without bounds.
//	PredictRow(row any) (float64, error)
//		PredictRow is LinearModel.PredictRow of a model of columns without bounds.
//	PredictRows(ctx context.Context, rows any) ([]float64, error)
//		PredictRows is LinearModel.PredictRows of a model of columns without bounds.
//	RMSE(ctx context.Context, test *frames.PublicFrame) (float64, error)
//		RMSE is the root of the mean squared error of the predictions of a numeric label, on public rows.
//	Uncertainty(level float64) (coefficient.Uncertainty, error)
//		Uncertainty is LinearModel.Uncertainty of a model of columns without bounds: of the noise alone, where Intervals are of
//		the noise and the sampling of rows together, to first order.
type UnboundedModel = models.UnboundedModel

// MeanLocator says how the mean of unbounded rows is found before it is measured.
type MeanLocator = unbounded.MeanLocator

const (
	// BinsGaussian publishes where many rows are, with Gaussian noise on the counts of occupied bins (Bun, Nissim, Stemmer
	// 2016), then measures twice with Gaussian noise, around what it found. It costs a δ: see Failure.
	BinsGaussian = unbounded.BinsGaussian
	// BinsLaplace does the same with Laplace noise all through: (ε, δ) with δ that of the bins alone (Karwa, Vadhan 2018).
	BinsLaplace = unbounded.BinsLaplace
	// BinsPure chooses bins by the exponential mechanism and measures with Laplace noise, of pure ε: leave δ at 0. It
	// costs the logarithm of the number of bins, 2^40 for each column.
	BinsPure = unbounded.BinsPure
)

// UnboundedMeans is the mean of rows without bounds, whose standard deviations have public guesses: the columns' scales
// (1 without). Where those are too small rows are clipped and the mean is biased, where they are far too large the
// noise grows with them: privacy rests on neither. Where no scale is known use [Pipeline.Covariance], which finds it out.
//
// Its fields:
//
//	Epsilon, Delta float64 // target; no defaults
//	Locator        MeanLocator
//	// Failure is the part of δ that BinsGaussian may fail with, for which a ledger needs a Reserve (Options); 0:
//	// a tenth of δ. BinsLaplace takes all of δ.
//	Failure float64
type UnboundedMeans = unbounded.UnboundedMeans

// MeanEstimate is a released mean of rows without bounds.
//
// Its fields:
//
//	Names  []string
//	Values []float64
//	// Sigma are the standard deviations of the noise, on the mean of clipped rows: what clipping moves is not in it, where values are far
//	// outside the declared scales, and neither is the sampling error, about a standard deviation over √n.
//	Sigma []float64
//	// Located says for each column whether a bin stood out. Where none did the column is centred at 0, and its value is of
//	// no use.
//	Located []bool
//	Provenance
//
// Its methods:
//
//	Gota() dataframe.DataFrame
//		Gota is the means as a gota frame of one row a column: "of", "name", "value", "low" and "high", 1.96 standard deviations
//		of the noise away, "located", and what the release promises: "epsilon", "delta", "unit", "entry", "promise".
type MeanEstimate = unbounded.MeanEstimate

// UnboundedMean releases the mean of all features, which may be unbounded: in three passes over the rows, with one counter for
// each occupied bin in memory.
func (p Pipeline) UnboundedMean(o UnboundedMeans) Plan[MeanEstimate] {
	return newPlan[MeanEstimate](p, unbounded.UnboundedMean{UnboundedMeans: o})
}
