package dpkit

import (
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
)

// OneHot replaces every category by one 0/1 column for each of its public levels. It is a public
// row map: it costs nothing. A missing category becomes a block of missing cells. With columns
// named, only those are encoded.
func (p Pipeline) OneHot(columns ...string) Pipeline {
	return p.with(steps.OneHot{Columns: slices.Clone(columns)})
}
