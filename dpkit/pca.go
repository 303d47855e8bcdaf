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

// A SpectralFilter is [SoftThreshold], [Tikhonov] or [Ramp].
type SpectralFilter = steps.SpectralFilter

// SoftThreshold soft-thresholds the singular values of X/√n at √λ: f(a) = (1 − √(λ/a))₊. It is the
// proximal map of the nuclear norm, hence 1-Lipschitz on the whole matrix.
//
// Its fields:
//
//	Lambda   float64 // λ, in units of R²; 10⁻¹⁸ ≤ Lambda < 1; no default
//	Centered bool    // subtract the mean and filter by the covariance
type SoftThreshold = steps.SoftThreshold

// Tikhonov shrinks every direction by f(a) = a/(a + λ).
//
// Its fields:
//
//	Lambda   float64 // λ, in units of R²; 10⁻¹⁸ ≤ Lambda < 1; no default
//	Centered bool    // subtract the mean and filter by the covariance
type Tikhonov = steps.Tikhonov

// Ramp drops the directions of small variance and keeps those of large variance as they are, with a
// linear ramp between: f(a) = min(max((a − Start)/Width, 0), 1). It is the soft form of the projection
// onto the leading directions. It has no joint Frobenius constant, so that behind other fitted steps
// it costs more than [SoftThreshold].
//
// Its fields:
//
//	Start    float64 // variance at which the ramp begins, in units of R²; ≥ 0
//	Width    float64 // of the ramp, in units of R²; ≥ 10⁻¹⁸, with Start + Width ≤ 1; no default
//	Centered bool    // subtract the mean and filter by the covariance
type Ramp = steps.Ramp

// Response is the function f of a filter on rows of norm at most R: the factor by which it shrinks the
// direction of an eigenvalue a ≥ 0 of the rows' second moment (or covariance, of a filter that is Centered).
// Errors wrap [ErrParameter].
func Response(filter SpectralFilter, R float64) (f func(a float64) float64, err error) {
	return steps.Response(filter, R)
}

// Hard is the orthogonal projector onto the K leading directions of the second moment A = XᵀX/n, fitted
// without noise. It is the PCA of the textbooks, and its price grows with 1/Gap: the projector turns
// freely where the K-th and the next eigenvalue are close. The rows keep their columns: the
// coordinates along fitted directions have no bound at all, as no choice of their signs is continuous
// (docs/theory/preprocessing.md#coordinates-along-principal-directions).
// [SoftThreshold] has a price for every dataset, and [PrivateComponents] releases the directions.
//
// Its fields:
//
//	K int // directions to keep, 0 < K < columns; no default
//	// Gap certifies that the K-th and the (K+1)-th eigenvalue of A differ by so much at least, in units of
//	// R². No default; Declare or Test it.
//	Gap Certificate
type Hard = steps.Hard

// PrivateComponents is PCA with a private fit: the second moment Σ x·xᵀ is released with symmetric
// Gaussian noise (a multiple of the Gaussian orthogonal ensemble), and rows become their K coordinates
// along its leading directions. Unlike fitted directions these may be used at prediction time, and a
// model in their coordinates can be released. "Analyze Gauss" (Dwork, Talwar, Thakurta, Zhang 2014)
// with half the noise on the entries off the diagonal, which the Frobenius norm counts twice.
//
// Its fields:
//
//	K     int     // directions to keep, 0 < K ≤ columns; no default
//	Share float64 // of the release's μ² (of its zCDP ρ), in (0, 1); no default
type PrivateComponents = steps.PrivateComponents
