package pdp

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/internal/linalg"
)

// Moments is a release of Σ x xᵀ with noise of the Gaussian orthogonal ensemble, σ² on the diagonal and σ²/2 off it, and,
// for linear models, of Σ v x with noise σ²: what AdaSSP regresses on (Wang 2018), and "Analyze Gauss" with half the
// variance off the diagonal. It is one Gaussian mechanism on (svec(x xᵀ), v x), whose norm is ‖x‖√(‖x‖² + v²).
type Moments struct {
	Second []float64 // d×d and symmetric, row by row
	Cross  []float64 // of length d; nil: there are no labels
	Sigma  float64   // σ, above 0
}

// MomentAudit is what the curator learns from released moments and the exact ones. It prints as its shape.
type MomentAudit struct {
	d       int
	labels  bool
	sigma   float64
	surplus Curator[Moments] // noise
}

// Audit takes the exact sums. Errors wrap [ErrParameter].
func (m Moments) Audit(second, cross []float64) (MomentAudit, error) {
	d := int(math.Round(math.Sqrt(float64(len(m.Second)))))
	if !(m.Sigma > 0) || math.IsInf(m.Sigma, 1) {
		return MomentAudit{}, fmt.Errorf("pdp: moments: sigma: got %g, want a positive finite number: %w", m.Sigma, ErrParameter)
	}
	if d == 0 || d*d != len(m.Second) || len(second) != d*d || len(m.Cross) != len(cross) || m.Cross != nil && len(cross) != d {
		return MomentAudit{}, fmt.Errorf("pdp: moments: got matrices of %d and %d numbers and vectors of %d and %d, want d², d², and d and d or none: %w",
			len(m.Second), len(second), len(m.Cross), len(cross), ErrParameter)
	}
	noise := Moments{Second: make([]float64, d*d)}
	for i, v := range m.Second {
		noise.Second[i] = v - second[i]
	}
	for i, v := range m.Cross {
		noise.Cross = append(noise.Cross, v-cross[i])
	}
	return MomentAudit{d, m.Cross != nil, m.Sigma, sealed(noise)}, nil
}

// Losses are the losses of rows of d features, row by row, as members or as others; v are their labels, nil where the
// release has none. With E and e the noise on the two sums it is
//
//	(±2(xᵀEx + v xᵀe) + ‖x‖²(‖x‖² + v²))/(2σ²).
//
// Errors wrap [ErrParameter].
func (a MomentAudit) Losses(x, v []float64, member bool) (Curator[[]float64], error) {
	none := Curator[[]float64]{}
	noise, ok := a.surplus.Open()
	if !ok || len(x)%a.d != 0 || a.labels != (v != nil) || v != nil && len(v) != len(x)/a.d {
		return none, fmt.Errorf("pdp: moments: losses: got %d numbers and %d labels, want rows of %d features with a label each, or none where the release has none: %w", len(x), len(v), a.d, ErrParameter)
	}
	n := len(x) / a.d
	losses := make([]float64, n)
	z := make([]float64, min(batchRows, n)*a.d)
	for from := 0; from < n; from += batchRows {
		rows := min(batchRows, n-from)
		product(z, a.d, linalg.Dense(x[from*a.d:(from+rows)*a.d], rows, a.d), linalg.Dense(noise.Second, a.d, a.d))
		for i := range rows {
			row := x[(from+i)*a.d : (from+i+1)*a.d]
			inner, square := dot(row, z[i*a.d:(i+1)*a.d]), dot(row, row)
			label := 0.0
			if a.labels {
				label = v[from+i]
				inner += label * dot(row, noise.Cross)
			}
			if !member {
				inner = -inner
			}
			loss := (inner + square*(square+label*label)/2) / (a.sigma * a.sigma)
			if math.IsNaN(loss - loss) {
				return none, fmt.Errorf("pdp: moments: got an output, a sum or a row that is not finite or too large: %w", ErrParameter)
			}
			losses[from+i] = loss
		}
	}
	return sealed(losses), nil
}

// PDP is the per-instance privacy of a row before the run, as [GaussianSum.PDP]: it depends on the row alone. Errors wrap
// [ErrParameter] or [accountant.ErrDelta].
func (m Moments) PDP(x []float64, v, delta float64) (Curator[float64], error) {
	if m.Cross == nil {
		v = 0
	}
	square := dot(x, x)
	g := GaussianSum{Output: []float64{0}, Sigma: m.Sigma}
	return g.PDP([]float64{math.Sqrt(square*(square+v*v)) * (1 + 0x1p-40 + float64(len(x))*0x1p-50)}, delta)
}

// String names the shape alone.
func (a MomentAudit) String() string {
	return fmt.Sprintf("pdp audit of moments of %d features, for the curator only", a.d)
}

// Format prints [MomentAudit.String] for every verb.
func (a MomentAudit) Format(f fmt.State, _ rune) { fmt.Fprint(f, a.String()) }
