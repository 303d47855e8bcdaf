package dpkit

import (
	"fmt"
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
)

// A Deduper is [Exact], [Grid] or [Ball].
type Deduper = steps.Deduper

// Exact removes exact duplicates. Over whole rows it costs nothing: what is left is the set of rows,
// and one row that changes changes one element of it.
type Exact = steps.Exact

// Dedup removes duplicate rows of the training data: [Exact] ones, rows that share a cell of a public
// [Grid], or near ones in a [Ball]. A removed row keeps its place and contributes nothing; means and
// gradients are still divided by the public number of rows.
//
// Without keys, two rows are duplicates if they agree in everything, label included. With keys (names
// of features, or of the label) only those are compared, and of each group of duplicates the row
// stays that comes first in the order of its values (not in the order of the file).
//
// Whether two rows are duplicates is not continuous in them: put Dedup before the steps that are
// fitted to the data. At prediction time nothing is removed.
func (p Pipeline) Dedup(how Deduper, keys ...string) Pipeline {
	if how == nil {
		return p.with(steps.Broken{Name: "Dedup(nil)", Err: fmt.Errorf("got no method, want dpkit.Exact{}, dpkit.Grid{…} or dpkit.Ball{…}: %w", ErrParameter)})
	}
	return p.with(how.Deduper(slices.Clone(keys)))
}
