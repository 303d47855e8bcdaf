package dpkit

import (
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
)

// Select keeps the named features (numeric columns, categories, or encoded categories by their own
// name) and the label. It is a public row map and costs nothing.
func (p Pipeline) Select(columns ...string) Pipeline {
	return p.with(steps.Choose{Keep: true, Columns: slices.Clone(columns)})
}

// Drop removes the named features. It is a public row map and costs nothing.
func (p Pipeline) Drop(columns ...string) Pipeline {
	return p.with(steps.Choose{Keep: false, Columns: slices.Clone(columns)})
}
