package sketch

import (
	"github.com/go-gota/gota/dataframe"

	"github.com/dpkit-go/dpnb/dpkit/internal/origin"
)

// Gota is the sketch's inner products as a gota frame in long form, a row for each entry: "of", "row", "column", "value", and what the
// release promises: "epsilon", "delta", "unit", "entry", "promise".
func (s Sketch) Gota() dataframe.DataFrame {
	return origin.GotaMatrix(s.Provenance, "inner product", s.Columns, s.Inner)
}
