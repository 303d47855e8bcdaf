package dpkit

import (
	"fmt"
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
)

// Mean imputes by means, fitted without noise and priced:
//
//	θ = (Σ observed x + (m0 − c)₊·default) / max(c, m0),
//
// where c counts the observed cells of the column (or one-hot block), m0 is Pad and the default is
// public: the midpoint of the bounds, or the centroid of the levels. The floor m0 on the
// denominator makes the bound hold for every dataset. Imputed rows are clipped to the ball that
// the rows were in. At prediction time missing cells get the public default.
type Mean = steps.Mean

// Midpoint imputes by the public default, the midpoint of the bounds or the centroid of the levels: it is a public row map and costs nothing.
type Midpoint = steps.Midpoint

// An Imputer is [Mean], [TrimmedMean], [Median], [Ridge], [PrivateMean] or [Fixed], [Midpoint].
type Imputer = steps.Imputer

// Impute replaces missing cells. With columns named, only theirs; a category that was one-hot
// encoded goes by its own name.
//
// Where numbers may miss, call it after Scale. Before it, the bound on what [Mean] moves is in raw
// units, led by the widest column, and Scale multiplies it by the factor of the narrowest; after it
// all columns count alike. Cost shows the difference.
func (p Pipeline) Impute(how Imputer, columns ...string) Pipeline {
	if how == nil {
		return p.with(steps.Broken{Name: "Impute(nil)", Err: fmt.Errorf("got no imputer, want dpkit.Mean{} or dpkit.Midpoint{}: %w", ErrParameter)})
	}
	return p.with(how.Imputer(slices.Clone(columns)))
}

// Fixed imputes numeric columns by a public constant within their bounds, known from the codebook and
// not from the rows (0 where nothing is nothing, for instance). It is a public row map and costs
// nothing. [Midpoint] does the same with the middle of the bounds, for categories too.
//
// Behind it a missing cell is that number and nothing else: in a column of 0 and 1 it counts as the one or the
// other, unless [Pipeline.Indicate] stands in front. Behind [Pipeline.Ordinal] the number of a level is refused.
type Fixed = steps.Fixed

// Median imputes numeric columns by the medians of their observed values, fitted without noise and
// priced. Where the middle values lie far apart one row moves the median from one to the other, so
// that its price is that of the column's whole width in every row and does not shrink with n:
// [TrimmedMean] with a Trim near 1/2 resists outliers at a price of order 1/n a row. A column without
// an observed value gets its midpoint.
type Median = steps.Median

// TrimmedMean imputes numeric columns by trimmed means, fitted without noise and priced: the mean
// of the central share 1 − 2·Trim of the observed values, padded to at least Pad of them with the
// public midpoint. It resists outliers and costs 1/(1 − 2·Trim) times what [Mean] costs.
type TrimmedMean = steps.TrimmedMean

// Ridge imputes a numeric column by ridge regression on columns that never miss, fitted without
// noise and priced. For each imputed column, over the rows where it is observed,
//
//	β = argmin (1/N) Σ ½(⟨β, z⟩ − (y − mid))² + (λ/2)‖β‖²,   N = max(observed rows, m0),
//
// z being the regressors and a constant as large as their norm bound, mid the public midpoint. A
// missing cell gets mid + ⟨β, z⟩, clamped to the column's bounds; imputed rows are clipped to the
// ball that the rows were in. Call it after Scale: one penalty serves all regressors. At prediction
// time missing cells get the midpoint.
type Ridge = steps.Ridge

// PrivateMean imputes by means that are themselves released privately, with a share of the budget of
// the release: no row moves when another changes, and prediction fills missing cells by the same
// values. One Gaussian query asks for the sums and the counts of the observed cells together.
type PrivateMean = steps.PrivateMean
