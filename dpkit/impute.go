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
//
// Its fields:
//
//	// Pad is m0, the public floor on the denominator in rows; 0 means n, the public number of
//	// rows. A smaller floor shrinks the mean less and costs more: the price is of order n/m0.
//	Pad int
//	// MaxMissing certifies that at most so many rows miss a cell that is imputed here. The price then
//	// counts so many rows in place of all, and each mean has n − MaxMissing values at least: it falls by
//	// the same factor twice. Zero: nothing is assumed.
//	MaxMissing Certificate
//	// MinObserved certifies that every column that is imputed here has at least so many observed values,
//	// which divide its mean: the price falls with it, and not with the number of rows that miss a cell.
//	MinObserved Certificate
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
//
// Its fields:
//
//	Value float64 // in the units of the columns at that point of the chain
type Fixed = steps.Fixed

// Median imputes numeric columns by the medians of their observed values, fitted without noise and
// priced. Where the middle values lie far apart one row moves the median from one to the other, so
// that its price is that of the column's whole width in every row and does not shrink with n:
// [TrimmedMean] with a Trim near 1/2 resists outliers at a price of order 1/n a row. A column without
// an observed value gets its midpoint.
//
// Its fields:
//
//	// MaxMissing is as in Mean: the price counts so many rows in place of all.
//	MaxMissing Certificate
type Median = steps.Median

// TrimmedMean imputes numeric columns by trimmed means, fitted without noise and priced: the mean
// of the central share 1 − 2·Trim of the observed values, padded to at least Pad of them with the
// public midpoint. It resists outliers and costs 1/(1 − 2·Trim) times what [Mean] costs.
//
// Its fields:
//
//	// Trim is the share cut from either end, 0 < Trim < 1/2; there is no default.
//	Trim float64
//	// Pad is m0, as in Mean; 0 means n.
//	Pad int
//	// MaxMissing and MinObserved are as in Mean.
//	MaxMissing, MinObserved Certificate
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
//
// Its fields:
//
//	// Lambda is λ in units of R_z², the squared norm bound of z; it has no default. The price of an
//	// imputed cell is at most (width of its column)·(1 + 1/(2√Lambda))/(Lambda·m0).
//	Lambda float64
//	// On names the regressors, numeric columns or encoded categories that never miss; empty means
//	// all of them.
//	On []string
//	// Pad is m0, as in Mean; 0 means n.
//	Pad int
//	// MaxMissing is as in Mean.
//	MaxMissing Certificate
//	// MinEigen certifies that in each imputed column, over the rows where it is observed, the smallest
//	// eigenvalue of Σ zzᵀ is at least so much, in units of R_z²: n at most, and a large part of n/(columns + 1)
//	// where the regressors are far from collinear. The price then divides by MinEigen + Lambda·m0 in place of
//	// Lambda·m0, so that a Lambda near 0 has one, which is least squares. Zero: nothing is assumed.
//	MinEigen Certificate
type Ridge = steps.Ridge

// PrivateMean imputes by means that are themselves released privately, with a share of the budget of
// the release: no row moves when another changes, and prediction fills missing cells by the same
// values. One Gaussian query asks for the sums and the counts of the observed cells together.
//
// Its fields:
//
//	Share float64 // of the release's μ² (of its zCDP ρ), in (0, 1); no default
type PrivateMean = steps.PrivateMean
