package linear

import (
	"cmp"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/internal/linalg"
)

// ridgeSolution is w = (A + ridge·I)⁻¹ b, with that inverse, row-major.
type ridgeSolution struct {
	W, inverse []float64
	ridge      float64
}

// Solve regresses the last column on the others. The matrix may be noisy: where it is not positive definite the
// ridge grows until it is, which is a function of what is released. At twice the largest sum of a row's sizes it is, whatever the noise
// made of the moments (Gershgorin), so that no release ends without a regression.
func (m *NormalEquations) Solve(ridge float64) (ridgeSolution, error) {
	p := m.Size - 1
	a, b := make([]float64, p*p), make([]float64, p)
	largest, most := 0.0, 0.0 // of the diagonal, and of the sums of a row's sizes
	for i := range p {
		copy(a[i*p:(i+1)*p], m.Sum[i*m.Size:i*m.Size+p])
		b[i] = m.Sum[i*m.Size+p]
		largest = max(largest, math.Abs(a[i*p+i]))
		sum := 0.0
		for j := range p { // the upper triangle is that of a symmetric matrix
			sum += math.Abs(m.Sum[min(i, j)*m.Size+max(i, j)])
		}
		most = max(most, sum)
	}
	if largest == 0 {
		largest = cmp.Or(most, 1)
	}
	step := largest * 0x1p-40
	for added := max(ridge, 0); ; added, step = max(ridge, 0)+step, 2*step {
		for i := range p {
			a[i*p+i] = m.Sum[i*m.Size+i] + added
		}
		l, err := linalg.Cholesky(a, p)
		if err != nil {
			if step <= 4*max(float64(p)*largest, most) {
				continue
			}
			return ridgeSolution{}, fmt.Errorf("regression on %d columns: no ridge up to the size of the noisy moments makes them positive definite: %w", p, err) // impossible
		}
		return inverseOf(l, b, p, added)
	}
}

func inverseOf(l, b []float64, p int, ridge float64) (s ridgeSolution, err error) {
	s.ridge = ridge
	s.inverse = make([]float64, p*p)
	column := func(b []float64) ([]float64, error) {
		x, err := linalg.SolveLower(l, b, p)
		if err != nil {
			return nil, err
		}
		return linalg.SolveLowerTransposed(l, x, p)
	}
	if s.W, err = column(b); err != nil {
		return s, err
	}
	unit := make([]float64, p)
	for j := range p {
		unit[j] = 1
		x, err := column(unit)
		if err != nil {
			return s, err
		}
		unit[j] = 0
		copy(s.inverse[j*p:(j+1)*p], x)
	}
	return s, nil
}

// Smallest returns the smallest eigenvalue of the leading p×p block, p ≤ size; it may be negative where noise is in it. bound is as
// in [rows.Gram.Eigen].
func (m *NormalEquations) Smallest(p int, bound float64) float64 {
	g := &rows.Gram{D: p, Total: make([]float64, p*p)}
	for i := range p {
		copy(g.Total[i*p:(i+1)*p], m.Sum[i*m.Size:i*m.Size+p])
	}
	return g.Eigen(bound).Values[p-1]
}
