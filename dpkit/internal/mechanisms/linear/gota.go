package linear

import (
	"github.com/go-gota/gota/dataframe"

	"github.com/dpkit-go/dpnb/dpkit/internal/origin"
)

// Gota is the matrix as a gota frame in long form, a row for each entry: "of", "row", "column", "value", and what the release
// promises: "epsilon", "delta", "unit", "entry", "promise".
func (m GramMatrix) Gota() dataframe.DataFrame {
	return origin.GotaMatrix(m.Provenance, "second moment", m.Columns, m.Second)
}
