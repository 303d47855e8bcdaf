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
