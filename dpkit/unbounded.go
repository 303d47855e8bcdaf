package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/unbounded"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
)

// MomentMethod says how the second moments of unbounded rows are approached. Package baseline has two more, for comparison.
type MomentMethod = unbounded.MomentMethod

const (
	// Adaptive measures the moments in coordinates in which every earlier measurement says that they are small,
	// until all directions are equally large: each round bounds the moments from above by what it saw and the largest
	// eigenvalue of its noise, in the whole of the matrix.
	Adaptive = unbounded.Adaptive
)

// Unbounded says how second moments of rows without public bounds are measured: in T + 1 rounds of Gaussian noise of
// the orthogonal ensemble, each on rows that were mapped by what the earlier rounds released and clipped to a public
// radius. Privacy holds for every dataset. Accuracy is promised for rows whose law is sub-Gaussian, as a
// Gaussian one in its tails, and whose declared scales hold; where they do not, the result is biased and nothing else.
type Unbounded = unbounded.Unbounded

// Moments are released second moments of rows without bounds: positive semidefinite, in the units of the columns.
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
	// UnknownLink is any monotone f: the direction of β is estimated.
	UnknownLink = models.UnknownLink
	// LogisticLink is f(t) = 1/(1 + e^−t).
	LogisticLink = models.LogisticLink
	// ProbitLink is f(t) = Φ(t).
	ProbitLink = models.ProbitLink
)

// UnboundedModel is a fitted linear model: Intercept + ⟨Coef, x⟩ predicts a numeric label, clamped to its bounds if it has
// any. Of two classes it tells the second where it is above 0: up to a positive factor, unless the scale was recovered.
type UnboundedModel = models.UnboundedModel

// MeanLocator says how the mean of unbounded rows is found before it is measured.
type MeanLocator = unbounded.MeanLocator

const (
	// GaussianBins publishes where many rows are, with Gaussian noise on the counts of occupied bins (Bun, Nissim, Stemmer
	// 2016), then measures twice with Gaussian noise, around what it found. It costs a δ: see Failure.
	GaussianBins = unbounded.GaussianBins
	// LaplaceBins does the same with Laplace noise all through: (ε, δ) with δ that of the bins alone (Karwa, Vadhan 2018).
	LaplaceBins = unbounded.LaplaceBins
	// PureBins chooses bins by the exponential mechanism and measures with Laplace noise, of pure ε: leave δ at 0. It
	// costs the logarithm of the number of bins, 2^40 for each column.
	PureBins = unbounded.PureBins
)

// UnboundedMeans is the mean of rows without bounds, whose standard deviations have public guesses: the columns' scales
// (1 without). Where those are too small rows are clipped and the mean is biased, where they are far too large the
// noise grows with them: privacy rests on neither. Where no scale is known use [Pipeline.Covariance], which finds it out.
type UnboundedMeans = unbounded.UnboundedMeans

// MeanEstimate is a released mean of rows without bounds.
type MeanEstimate = unbounded.MeanEstimate

// UnboundedMean releases the mean of all features, which may be unbounded: in three passes over the rows, with one counter for
// each occupied bin in memory.
func (p Pipeline) UnboundedMean(o UnboundedMeans) Plan[MeanEstimate] {
	return newPlan[MeanEstimate](p, unbounded.UnboundedMean{UnboundedMeans: o})
}
