package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/linear"
)

// Sketching is a Gaussian mixture of the rows: k draws of N(0, ZᵀZ + σ²I) for the rows z of the features and the scaled
// numeric label (Lev et al. 2025, Algorithm 2). What is released are the draws' inner products, which tell as much as the
// draws do.
type Sketching = linear.Sketching

// Sketch holds the inner products of a Gaussian mixture.
type Sketch = linear.Sketch

// GaussMix releases the inner products of a Gaussian mixture of the features and the numeric label.
//
//go:noinline
func (p Pipeline) GaussMix(o Sketching) Plan[Sketch] {
	return newPlan[Sketch](p, linear.SketchRelease{Sketching: o})
}
