package steps

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// A SpectralFilter is [SoftThreshold], [Tikhonov] or [Ramp].
type SpectralFilter interface {
	Components
	check() error
	centred() bool
	// Constants of the filter on rows of norm at most r.
	Constants(r float64) spectralConstants
}

// spectralConstants are those of docs/theory/calculus.md#lemma-4-spectral-filters, in absolute units.
type spectralConstants struct {
	public    []stage.Constant
	k         float64                 // sup f on the eigenvalues of A, at most R²
	joint     float64                 // Frobenius Lipschitz constant of X ↦ X f(XᵀX/n); 0 where none is known
	lip       float64                 // Lipschitz constant of f
	weighted  float64                 // L_f = sup √a·|f(a) − f(b)|/|a − b|
	resolvent bool                    // f(A) − f(B) is bounded in operator norm too
	f         func(a float64) float64 // a ≥ 0
}

// SoftThreshold soft-thresholds the singular values of X/√n at √λ: f(a) = (1 − √(λ/a))₊. It is the
// proximal map of the nuclear norm, hence 1-Lipschitz on the whole matrix.
type SoftThreshold struct {
	Lambda   float64 // λ, in units of R²; 10⁻¹⁸ ≤ Lambda < 1; no default
	Centered bool    // subtract the mean and filter by the covariance
}

func (s SoftThreshold) String() string { return short("SoftThreshold", s.Centered, "%g", s.Lambda) }

func (s SoftThreshold) check() error { return checkLambda(s.Lambda) }

func (s SoftThreshold) Pca() stage.Preprocessor { return FilterBy(s) }

func (s SoftThreshold) centred() bool { return s.Centered }

func (s SoftThreshold) Constants(r float64) spectralConstants {
	l := s.Lambda * r * r
	return spectralConstants{
		public: thresholdConstant(l),
		k:      max(1-math.Sqrt(l)/r, 0), joint: 1, lip: 1 / (2 * l), weighted: 1 / (2 * math.Sqrt(l)),
		f: func(a float64) float64 {
			if a <= l {
				return 0
			}
			return 1 - math.Sqrt(l/a)
		},
	}
}

// Tikhonov shrinks every direction by f(a) = a/(a + λ).
type Tikhonov struct {
	Lambda   float64 // λ, in units of R²; 10⁻¹⁸ ≤ Lambda < 1; no default
	Centered bool    // subtract the mean and filter by the covariance
}

func (t Tikhonov) String() string { return short("Tikhonov", t.Centered, "%g", t.Lambda) }

func (t Tikhonov) check() error { return checkLambda(t.Lambda) }

func (t Tikhonov) Pca() stage.Preprocessor { return FilterBy(t) }

func (t Tikhonov) centred() bool { return t.Centered }

func (t Tikhonov) Constants(r float64) spectralConstants {
	l := t.Lambda * r * r
	return spectralConstants{
		public: thresholdConstant(l),
		k:      r * r / (r*r + l), joint: 9. / 8, lip: 1 / l, weighted: 1 / (2 * math.Sqrt(l)), resolvent: true,
		f: func(a float64) float64 { return a / (a + l) },
	}
}

// Ramp drops the directions of small variance and keeps those of large variance as they are, with a
// linear ramp between: f(a) = min(max((a − Start)/Width, 0), 1). It is the soft form of the projection
// onto the leading directions. It has no joint Frobenius constant, so that behind other fitted steps
// it costs more than [SoftThreshold].
type Ramp struct {
	Start    float64 // variance at which the ramp begins, in units of R²; ≥ 0
	Width    float64 // of the ramp, in units of R²; ≥ 10⁻¹⁸, with Start + Width ≤ 1; no default
	Centered bool    // subtract the mean and filter by the covariance
}

func (t Ramp) String() string {
	return short("Ramp", t.Centered, "Start: %g, Width: %g", t.Start, t.Width)
}

func (t Ramp) Pca() stage.Preprocessor { return FilterBy(t) }

func (t Ramp) centred() bool { return t.Centered }

func (t Ramp) check() error {
	if !(t.Start >= 0) || !(t.Width >= minShare) || !(t.Start+t.Width <= 1) {
		return fmt.Errorf("filter Start and Width: got %g and %g, want Start ≥ 0, Width ≥ %g and Start + Width ≤ 1, in units of R²: %w", t.Start, t.Width, minShare, kind.ErrParameter)
	}
	return nil
}

func (t Ramp) Constants(r float64) spectralConstants {
	start, width := t.Start*r*r, t.Width*r*r
	return spectralConstants{
		public: []stage.Constant{
			{Symbol: "a0", Value: start, Origin: stage.FromParameter, Meaning: "eigenvalue of XᵀX/n at which the ramp begins"},
			{Symbol: "w", Value: width, Origin: stage.FromParameter, Meaning: "width of the ramp"},
		},
		k: 1, lip: 1 / width, weighted: math.Sqrt(start+width) / width,
		f: func(a float64) float64 { return num.Clamp((a-start)/width, 0, 1) },
	}
}

func thresholdConstant(l float64) []stage.Constant {
	return []stage.Constant{{Symbol: "λ", Value: l, Origin: stage.FromParameter, Meaning: "threshold on the eigenvalues of XᵀX/n"}}
}

func checkLambda(l float64) error {
	if !(l >= minShare) || !(l < 1) {
		return fmt.Errorf("threshold Lambda: got %g, want a number in [%g, 1), in units of R²: %w", l, minShare, kind.ErrParameter)
	}
	return nil
}

// Response is the function f of a filter on rows of norm at most R: the factor by which it shrinks the
// direction of an eigenvalue a ≥ 0 of the rows' second moment (or covariance, of a filter that is Centered).
// Errors wrap [kind.ErrParameter].
func Response(filter SpectralFilter, R float64) (f func(a float64) float64, err error) {
	if filter == nil {
		return nil, fmt.Errorf("dpkit: response: got no filter, want dpkit.SoftThreshold, Tikhonov or Ramp: %w", kind.ErrParameter)
	}
	if err := filter.check(); err != nil {
		return nil, fmt.Errorf("dpkit: response: %w", err)
	}
	if !(R > 0) || math.IsInf(R, 1) {
		return nil, fmt.Errorf("dpkit: response: R: got %g, want a positive norm bound: %w", R, kind.ErrParameter)
	}
	return filter.Constants(R).f, nil
}

// short names a filter in legends, where its full text would take the space of the curves.
func short(name string, centred bool, format string, parameters ...any) string {
	if centred {
		format += ", Centered"
	}
	return name + "{" + fmt.Sprintf(format, parameters...) + "}"
}
