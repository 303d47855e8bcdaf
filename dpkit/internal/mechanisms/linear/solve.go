package linear

import (
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
// ridge grows until it is, which is a function of what is released.
func (m *NormalEquations) Solve(ridge float64) (ridgeSolution, error) {
	p := m.Size - 1
	a, b := make([]float64, p*p), make([]float64, p)
	largest := 0.0
	for i := range p {
		copy(a[i*p:(i+1)*p], m.Sum[i*m.Size:i*m.Size+p])
		b[i] = m.Sum[i*m.Size+p]
		largest = max(largest, math.Abs(a[i*p+i]))
	}
	step := largest * 0x1p-40
	for added := max(ridge, 0); ; added, step = max(ridge, 0)+step, 2*step {
		for i := range p {
			a[i*p+i] = m.Sum[i*m.Size+i] + added
		}
		l, err := linalg.Cholesky(a, p)
		if err != nil {
			if step <= 2*float64(p)*largest {
				continue
			}
			return ridgeSolution{}, fmt.Errorf("regression on %d columns: no ridge up to the size of the noisy moments makes them positive definite; raise ε or drop columns: %w", p, err)
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
