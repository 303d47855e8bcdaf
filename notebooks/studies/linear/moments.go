package linear

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"github.com/dpkit-go/dpnb/notebooks/studies/mixing"
)

// moments are ZᵀZ of rows z = (x, c, v): features of norm at most R = 1, the constant feature c = 1/2, all divided by
// √(R² + c²), and the label in [−1, 1]. So C_X = C_Y = 1, as the paper has them.
type moments struct {
	*mixing.Moments
	lo, hi float64 // label's bounds
}

// constantFeature is that of dpkit, whose methods get the same rows.
const constantFeature = 0.5

func momentsOf(d design, lo, hi float64) *moments {
	to := math.Sqrt(1 + constantFeature*constantFeature)
	z := mat.NewDense(d.n, d.d+2, nil)
	for i := range d.n {
		for j, v := range d.row(i) {
			z.Set(i, j, v/to)
		}
		z.Set(i, d.d, constantFeature/to)
		z.Set(i, d.d+1, (d.y[i]-(lo+hi)/2)/((hi-lo)/2))
	}
	return &moments{Moments: mixing.MomentsOf(z), lo: lo, hi: hi}
}

// model turns coefficients of (x, c) for v into those of the encoded rows for the label.
func (m *moments) model(w []float64) (coef []float64, intercept float64) {
	half, to := (m.hi-m.lo)/2, math.Sqrt(1+constantFeature*constantFeature)
	coef = make([]float64, m.Columns-1)
	for j := range coef {
		coef[j] = w[j] / to * half
	}
	return coef, (m.lo+m.hi)/2 + w[m.Columns-1]*constantFeature/to*half
}
