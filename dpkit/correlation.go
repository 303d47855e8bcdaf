package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/correlation"
)

// Correlation releases the correlations of the named features, or of all of them, with their means, variances and covariances, all in one draw
// of Gaussian noise on the first and second moments.
//
//	r, err := session.Data().Correlation(dpkit.Target{Epsilon: 1, Delta: 1e-6}, "age", "stay", "cost").Release(ctx)
//
// Each has an interval that covers the noise, whatever the means and the deviations are (docs/theory/tables.md#correlations). Columns are read in
// units of their public bounds: noise on a correlation is in inverse proportion to what of its bounds a column uses, so that bounds that are wider
// than they need be cost twice, in both columns. Categories must be encoded before, cells may not miss. Behind a step that may remove rows their number
// is released in the same draw.
//
//go:noinline
func (p Pipeline) Correlation(t Target, columns ...string) Plan[CorrelationMatrix] {
	if len(columns) > 0 {
		p = p.Select(columns...)
	}
	return newPlan[CorrelationMatrix](p, correlation.Release{Target: t})
}

// CorrelationMatrix is a released matrix of correlations, with the means, the variances and the covariances that the same draw tells. What it holds
// are noisy moments of u = (x − mid)/half in [−1, 1], mid and half of each column's public bounds.
//
// Its fields:
//
//	Columns []string
//	Lo      []float64 // public bounds of each column
//	Hi      []float64
//	Rows    int // places of rows, public
//	// Present is the noisy number of rows that are there, with noise of SquareSigma, where a step may have removed some; nil: all of Rows are.
//	Present *float64
//	// Sums are Σu of each column, and Products Σu_j·u_k, row-major and symmetric. SumSigma is the noise on a sum and on a product of two
//	// columns, SquareSigma that on a square.
//	Sums        []float64
//	Products    []float64
//	SumSigma    float64
//	SquareSigma float64
//	Provenance
//
// Its methods:
//
//	Check() error
//		Check reports a matrix whose parts do not fit together, or whose provenance promises what cannot be, as a damaged file
//		has them.
//	Correlation(a, b string, level float64) (TableCell, error)
//		Correlation is that of two columns over the rows, with an interval that holds it with the given probability, 0 < level <
//		1, of the noise alone: not of sampling, and not of what was clamped before.
//	Covariance(a, b string, level float64) (TableCell, error)
//		Covariance is that of two columns over the rows, in the product of their units, with an interval as that of Correlation:
//		the mean product of their distances from their means.
//	Gota() dataframe.DataFrame
//		Gota is the matrix as a gota frame in long form, a row for each pair of columns, "row" and "column": "correlation" and
//		"covariance", in the product of both units, each with "low" and "high" of 0.95 behind its name, and what the release
//		promises, as Estimates.Gota has it.
//	Mean(column string, level float64) (TableCell, error)
//		Mean is that of a column over the rows, in its units, with an interval as that of Correlation.
//	WriteCSV(to io.Writer) error
//		WriteCSV writes what Gota has, its promise in every row, so that no part of the file loses it.
type CorrelationMatrix = correlation.CorrelationMatrix
