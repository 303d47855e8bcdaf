package dpkit

import (
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/sums"
)

// Count releases how many rows meet all the conditions. Without one it counts the rows that the steps
// before it left, which is a question only behind a step that may remove rows: otherwise their number
// is public. What is released is between 0 and the number of rows. A row whose cell is missing meets no condition on it. No step may have displaced the
// columns of the conditions.
//
//go:noinline
func (p Pipeline) Count(t Target, where ...Condition) Plan[Estimates] {
	return newPlanAmong[Estimates](p, sums.Count{Target: t, Where: slices.Clone(where)}, noiseEnds[Estimates])
}

// Histogram releases how many rows have each level of a category, or of the class label, by one
// draw of noise. Rows whose cell is missing are counted under "(missing)" where
// the schema allows them. Levels are public, so that empty ones are listed too. No step may have
// changed the column: leave it unencoded.
//
//go:noinline
func (p Pipeline) Histogram(column string, t Target) Plan[Estimates] {
	return newPlanAmong[Estimates](p, sums.Histogram{Column: column, Target: t}, noiseEnds[Estimates])
}

// Sum releases the sum over rows of each of the named features, or of all of them, in the units of the
// chain's rows, by one draw of noise in proportion to the columns' public widths. A one-hot column's
// sum counts its level. Rows that a step removed add nothing.
//
//go:noinline
func (p Pipeline) Sum(t Target, columns ...string) Plan[Estimates] {
	if len(columns) > 0 {
		p = p.Select(columns...)
	}
	return newPlanAmong[Estimates](p, sums.Sum{Target: t}, noiseEnds[Estimates])
}

// Mean releases the mean of every feature, in the units of the chain's rows, by one draw of noise.
// A one-hot column's mean is the frequency of its level. Rows are scaled to the unit ball by their
// public bounds before the noise and back after it, so that every column gets noise in proportion to
// its width: select the columns that you need.
//
// Behind a step that may remove rows these are the means of the rows that are there. Their number is
// private: it is released in the same draw, as [Estimates.Rows], and the sums are divided by it. Such a ratio
// is clamped to the column's bounds, and its Sigma is the first-order one, good while Rows is many times
// its own.
//
//go:noinline
func (p Pipeline) Mean(t Target) Plan[Estimates] {
	return newPlanAmong[Estimates](p, sums.Mean{Target: t}, noiseEnds[Estimates])
}

// Estimates are released numbers with privacy noise of known size: unbiased, except for counts, which are clamped to what is public, from 0
// to the number of rows, and for the means of a private number of rows.
//
// Its fields:
//
//	Of     string // what the numbers are, for instance "mean"
//	Names  []string
//	Values []float64
//	// Sigma is the standard deviation of the noise in each value. It is public.
//	Sigma []float64
//	// Noise is its law; "" is NoiseGaussian.
//	Noise Noise
//	// Rows is the released number of rows behind means where a step may have removed some, and
//	// RowsSigma the standard deviation of its noise; both are 0 where the number is public.
//	Rows      float64
//	RowsSigma float64
//	// Most is the public number of rows that counts are clamped to, from 0; 0: the values are as they were drawn.
//	Most float64
//	Provenance
//
// Its methods:
//
//	Gota() dataframe.DataFrame
//		Gota is the estimates as a gota frame of one row each: "of", "name", "value", "low" and "high" of the interval that
//		holds the exact statistic with probability 0.95, and what the release promises: "epsilon", "delta", "unit", "entry",
//		"promise".
//	Interval(level float64) (low, high []float64, err error)
//		Interval returns the ends of such intervals: each value with its margin on both sides, and of clamped counts what of
//		that is possible, from 0 to the number of rows.
//	Margin(level float64) ([]float64, error)
//		Margin returns the half-widths of intervals that hold the exact statistics of the data, each with the given probability,
//		0 < level < 1.
//	Value(name string) (float64, bool)
//		Value returns the estimate of that name.
type Estimates = sums.Estimates

// QuantileEstimate is a released quantile.
//
// Its fields:
//
//	Column string
//	Q      float64
//	Value  float64
//	// Rate is η: candidates were drawn with weight e^{−η·error}, error being how many rows the rank of
//	// q is off. It is public; 0 where there is no noise.
//	Rate       float64
//	Candidates int
//	// Width is how far from a candidate, in units of the column, a value may lie whose rank is what counts: public, and 0 where no
//	// step displaced the column. Behind steps that did ranks jump, and ranks within a width do not.
//	Width float64
//	// Lo and Hi are public numbers below and above Value. Of the n rows that have a value, at most q·n plus the margin lie below Lo,
//	// and at least q·n less the margin lie at or below Hi. Value alone has no such bound where many rows share a number between two
//	// candidates. Both are 0 in values that were stored without them.
//	Lo float64
//	Hi float64
//	// Rounded is by how many rows q·n is off at most, as ranks are counted for q rounded to a multiple of 2⁻²⁰. Margins count it.
//	Rounded float64
//	Provenance
//
// Its methods:
//
//	Gota() dataframe.DataFrame
//		Gota is the quantile as a gota frame of one row: "of" ("quantile 0.5"), "name" of the column, "value", "rank_margin",
//		the rows by which its rank is off at most with probability 0.95, and what the release promises, as Estimates.Gota has
//		it.
//	InWords() string
//		InWords says what the rank margin bounds, with probability 0.95.
//	RankMargin(level float64) (float64, error)
//		RankMargin returns m, so that with the given probability at most q·n + m rows lie below Lo and at least q·n − m rows
//		at or below Hi, of the n rows that have a value, 0 < level < 1.
type QuantileEstimate = sums.QuantileEstimate

// Quantile releases a value of a numeric column below which about the fraction q of the rows lies, 0 < q
// < 1, by the exponential mechanism (McSherry, Talwar 2007; priced by its bounded range, Durfee, Rogers 2019) on public
// candidates: in rising order, or by default 65537 that divide the column's bounds evenly, and up to 262145 where n·ε is above about
// 30 000; for an unbounded column they are
// 65537 of either sign, from 1e-9 to 1e9 times its guessed scale (or 1) and 0.13 % apart. Give the values of a coarse column
// themselves: fewer candidates are told apart with less noise. Rows that were removed, and missing cells, do not count. δ may be 0, for
// pure ε; a δ above 0 lowers the noise a little. Behind steps that displaced the column ranks would jump with every row; there a
// candidate counts as good as any number within a public width of it, which is chosen for the least predicted error and said in the
// cost and in the estimate, and the default candidates are 1025 or more, as the width asks for.
//
//go:noinline
func (p Pipeline) Quantile(t Target, q float64, column string, candidates ...float64) Plan[QuantileEstimate] {
	return newPlan[QuantileEstimate](p, sums.Quantile{Target: t, Q: q, Column: column, Candidates: slices.Clone(candidates)})
}
