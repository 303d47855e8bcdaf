package mixing

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// Moments are ZᵀZ of rows z = (x, v), features of norm at most 1 and a label in [−1, 1]: C_X = C_Y = 1, as the paper has them, and
// C² = [SquareNorm].
type Moments struct {
	Columns  int // of x
	Gram     *mat.SymDense
	Smallest float64 // eigenvalue of all of it
	Features float64 // smallest eigenvalue of XᵀX
}

// SquareNorm is C² = C_X² + C_Y².
const SquareNorm = 2

// MomentsOf sums over the rows of z, the last column of which is the label.
func MomentsOf(z *mat.Dense) *Moments {
	_, c := z.Dims()
	m := &Moments{Columns: c - 1, Gram: mat.NewSymDense(c, nil)}
	m.Gram.SymOuterK(1, z.T())
	m.Smallest = smallestEigenvalue(m.Gram)
	m.Features = smallestEigenvalue(m.Gram.SliceSym(0, m.Columns))
	return m
}

func smallestEigenvalue(a mat.Symmetric) float64 {
	var e mat.EigenSym
	if !e.Factorize(a, false) {
		panic("mixing: no eigenvalues of a finite symmetric matrix") // impossible
	}
	return e.Values(nil)[0]
}

// NotPrivate is least squares with the ridge 1e-6 of the paper's baseline.
func (m *Moments) NotPrivate() ([]float64, error) {
	a := mat.NewSymDense(m.Columns, nil)
	a.CopySym(m.Gram.SliceSym(0, m.Columns))
	for j := range m.Columns {
		a.SetSym(j, j, a.At(j, j)+1e-6)
	}
	return m.solve(a, m.right())
}

func (m *Moments) right() *mat.VecDense {
	b := mat.NewVecDense(m.Columns, nil)
	for j := range m.Columns {
		b.SetVec(j, m.Gram.At(j, m.Columns))
	}
	return b
}

func (m *Moments) solve(a *mat.SymDense, b *mat.VecDense) ([]float64, error) {
	var w mat.VecDense
	if err := w.SolveVec(a, b); err != nil {
		if _, near := err.(mat.Condition); !near {
			return nil, fmt.Errorf("mixing: %w", err)
		}
	}
	return w.RawVector().Data, nil
}

// sketch draws least squares on k rows of N(0, ZᵀZ + σ²I), σ² in absolute units. The factor of the last σ² is kept: where the
// eigenvalue is small all releases have the same.
type sketch struct {
	*Moments
	variance float64
	factor   *mat.TriDense
}

// draw is a release: given the rows, least squares on the sketch has the multivariate t law
// w = w_ridge + √v·L⁻ᵀg/χ_{k−p+1} about the ridge solution, LLᵀ = Σ_xx, v the residual variance of Σ = ZᵀZ + σ²I.
func (s *sketch) draw(k int, variance float64, rng *rand.Rand) ([]float64, error) {
	if s.factor == nil || s.variance != variance {
		a := mat.NewSymDense(s.Columns+1, nil)
		a.CopySym(s.Gram)
		for j := range s.Columns + 1 {
			a.SetSym(j, j, a.At(j, j)+variance)
		}
		var all mat.Cholesky
		if !all.Factorize(a) {
			return nil, fmt.Errorf("mixing: the sketch's covariance is not positive definite")
		}
		s.variance, s.factor = variance, new(mat.TriDense)
		all.LTo(s.factor)
	}
	l, p := s.factor, s.Columns
	chi := chi(k-p+1, rng)
	// w = L_xx⁻ᵀ(l_y + L_yy·g/χ): the mean is L_xx⁻ᵀl_y.
	w := make([]float64, p)
	for i := p - 1; i >= 0; i-- {
		w[i] = l.At(p, i) + l.At(p, p)*rng.NormFloat64()/chi
		for j := i + 1; j < p; j++ {
			w[i] -= l.At(j, i) * w[j]
		}
		w[i] /= l.At(i, i)
	}
	return w, nil
}

// chi is the square root of a χ² variate.
func chi(freedom int, rng *rand.Rand) float64 {
	sum := 0.0
	for range freedom {
		g := rng.NormFloat64()
		sum += g * g
	}
	return math.Sqrt(sum)
}
