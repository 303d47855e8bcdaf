package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
)

// A SpectralFilter is [SoftThreshold], [Tikhonov] or [Ramp].
type SpectralFilter = steps.SpectralFilter

// SoftThreshold soft-thresholds the singular values of X/√n at √λ: f(a) = (1 − √(λ/a))₊. It is the
// proximal map of the nuclear norm, hence 1-Lipschitz on the whole matrix.
type SoftThreshold = steps.SoftThreshold

// Tikhonov shrinks every direction by f(a) = a/(a + λ).
type Tikhonov = steps.Tikhonov

// Ramp drops the directions of small variance and keeps those of large variance as they are, with a
// linear ramp between: f(a) = min(max((a − Start)/Width, 0), 1). It is the soft form of the projection
// onto the leading directions. It has no joint Frobenius constant, so that behind other fitted steps
// it costs more than [SoftThreshold].
type Ramp = steps.Ramp

// Response is the function f of a filter on rows of norm at most R: the factor by which it shrinks the
// direction of an eigenvalue a ≥ 0 of the rows' second moment (or covariance, of a filter that is Centered).
// Errors wrap [ErrParameter].
func Response(filter SpectralFilter, R float64) (f func(a float64) float64, err error) {
	return steps.Response(filter, R)
}
