package dpkit

import (
	"fmt"
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

// A FeatureSelector is [SoftSelect].
type FeatureSelector = steps.FeatureSelector

// SoftSelect soft-thresholds the root mean square of every column at √Lambda: x ↦ x·(1 − √λ/rms)₊.
// A column below the threshold becomes 0, the others shrink towards it. It is the proximal map of
// the group lasso, hence 1-Lipschitz on the whole matrix, where a hard selection has no finite
// price. A model trained behind it reads raw rows, as behind [Pipeline.PCA].
//
// Its fields:
//
//	Lambda float64 // λ, in units of R²; 10⁻¹⁸ ≤ Lambda < 1; no default
type SoftSelect = steps.SoftSelect

// SelectFeatures drops features by what the training rows say about them, fitted without noise and
// priced. Every column keeps its place: one that is dropped becomes 0 in the training rows.
func (p Pipeline) SelectFeatures(how FeatureSelector) Pipeline {
	if how == nil {
		return p.with(steps.Broken{Name: "SelectFeatures(nil)", Err: fmt.Errorf("got no selector, want dpkit.SoftSelect{Lambda: …}: %w", ErrParameter)})
	}
	return p.with(how.Selector())
}
