package glm

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/frames"
)

// TestNewtonOfSmallRidges: where Λ is below what rounding does to the Hessian, whose null space has all dimensions but one, minimisers are found: zeros in
// their place would be further off than is priced.
func TestNewtonOfSmallRidges(t *testing.T) {
	const n = 1000
	for _, d := range []int{2, 30} {
		cols := []frames.Column{frames.NumericLabel("y", 0, 1)}
		for j := range d {
			cols = append(cols, frames.Numeric(fmt.Sprint("x", j), -1, 1))
		}
		s, err := frames.NewSchema(cols...)
		if err != nil {
			t.Fatal(err)
		}
		for _, share := range []float64{1e-10, 1e-12, 3e-13, 1e-13, 3e-14} { // of Λ in nC²/4
			for _, apart := range []float64{0, 1e-6, 1} { // rows
				rng := rand.New(rand.NewPCG(1, 2))
				f := NewObjective(d, 1, n, LogisticLoss{1})
				f.Lambda = n * f.C2 * f.C2 * f.Curvature * share
				bNorm := 10 * math.Sqrt(f.Lambda)
				f.Bound(bNorm)
				m := &rows.Matrix{Domain: s, Cols: d, X: make([]float64, n*d), Y: make([]float64, n)}
				normal := func(to []float64, size float64) []float64 {
					for j := range to {
						to[j] = rng.NormFloat64()
					}
					norm := num.Norm2(to)
					for j := range to {
						to[j] *= size / norm
					}
					return to
				}
				base := normal(make([]float64, d), 1)
				for i := range n {
					row := normal(m.X[i*d:(i+1)*d], apart)
					for j := range row {
						row[j] += base[j]
					}
					num.ClipRow(row, row, 1-0x1p-40)
					m.Y[i] = 1
				}
				b := normal(make([]float64, d+1), bNorm/2)
				for _, minimise := range []func(context.Context, rows.Driver, []float64) ([]float64, error){f.Minimise, f.MinimiseLogistic} {
					w, err := minimise(t.Context(), rows.InProcess{In: m}, b)
					if err != nil {
						t.Fatal(err)
					}
					at, err := f.derivatives(t.Context(), rows.InProcess{In: m}, w, b)
					if err != nil {
						t.Fatal(err)
					}
					if norm := num.Norm2(at.Gradient); !(norm <= f.Tolerance) {
						t.Errorf("d = %d, Λ = %g·nC²/4, rows %g apart: the gradient is %g at a w of norm %g, want at most %g", d, share, apart, norm, num.Norm2(w), f.Tolerance)
					}
				}
			}
		}
	}
}
