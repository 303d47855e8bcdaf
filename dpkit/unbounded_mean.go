package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/unbounded"
)

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
