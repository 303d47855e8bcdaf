package dpkit

import (
	"fmt"

	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
)

// Components is a [SpectralFilter], [Hard] or [PrivateComponents].
type Components = steps.Components

// PCA denoises the training rows by a soft spectral filter of their second moment A = XᵀX/n,
// fitted without noise and priced: x ↦ f(A)x. Unlike a projection onto the leading directions,
// whose price explodes with a small eigengap, the filter has a finite price on every dataset.
// The rows keep their columns, so that a model trained on filtered rows reads raw ones: the
// fitted filter never leaves the pipeline.
//
// A filter that is Centered subtracts the mean μ of the rows first, x ↦ f(C)(x − μ) with the
// covariance C = A − μμᵀ, at a lower price than [Pipeline.Center] and PCA one after the other. A model that reads raw
// rows would need the mean: behind it only statistics of the filtered rows can be released, and
// coefficients by [Plan.WithoutPrediction].
//
// [Hard] is the projection of the textbooks, for data with a certified eigengap, and
// [PrivateComponents] releases the directions, so that prediction may use them.
func (p Pipeline) PCA(how Components) Pipeline {
	if how == nil {
		return p.with(steps.Broken{Name: "PCA(nil)", Err: fmt.Errorf("got no components, want dpkit.SoftThreshold, Tikhonov, Ramp, Hard or PrivateComponents: %w", ErrParameter)})
	}
	return p.with(how.Pca())
}
