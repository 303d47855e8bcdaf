package unbounded

import (
	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"

	"github.com/dpkit-go/dpnb/dpkit/internal/origin"
)

// Gota is the means as a gota frame of one row a column: "of", "name", "value", "low" and "high", 1.96 standard deviations of the
// noise away, "located", and what the release promises: "epsilon", "delta", "unit", "entry", "promise".
func (e MeanEstimate) Gota() dataframe.DataFrame {
	margin := make([]float64, len(e.Sigma))
	for j, s := range e.Sigma {
		margin[j] = 1.96 * s
	}
	low, high := origin.Around(e.Values, margin)
	return origin.Gota(e.Provenance, origin.Words("of", origin.Repeated("mean", len(e.Values))), origin.Words("name", e.Names),
		origin.Numbers("value", e.Values), low, high, series.New(e.Located, series.Bool, "located"))
}

// Gota is the matrix as a gota frame in long form, a row for each entry: "of", "row", "column", "value", and what the release
// promises. The means beside a covariance are not in it.
func (m Moments) Gota() dataframe.DataFrame {
	return origin.GotaMatrix(m.Provenance, m.Of, m.Names, m.Matrix)
}
