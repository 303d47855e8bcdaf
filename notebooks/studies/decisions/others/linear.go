package others

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// Moments are the coefficients of the objective Σ (y − ⟨w, z⟩)² of rows beside the constant feature.
type Moments struct {
	second *mat.SymDense // Σ zzᵀ
	cross  []float64     // Σ yz
}

// MomentsOf are those of rows with labels in [−1, 1].
func MomentsOf(r Rows) Moments {
	z := r.design()
	_, d := z.Dims()
	m := Moments{second: mat.NewSymDense(d, nil)}
	m.second.SymOuterK(1, z.T())
	v := mat.NewVecDense(d, nil)
	v.MulVec(z.T(), mat.NewVecDense(r.N, r.Y))
	m.cross = v.RawVector().Data
	return m
}

// Functional is linear regression by the functional mechanism (Zhang et al. 2012): Laplace noise of scale 2(d + 1)²/ε on every coefficient of the
// objective, then their regularisation by four of its deviations (§ 6.1) and spectral trimming (§ 6.2), which leaves directions out whose
// curvature is not positive.
func (m Moments) Functional(random *rand.Rand, epsilon float64) (coef []float64, intercept float64, ok bool) {
	d := len(m.cross)
	scale := 2 * float64(d+1) * float64(d+1) / epsilon
	noisy := mat.NewSymDense(d, nil)
	linear := make([]float64, d)
	for i := range d {
		noisy.SetSym(i, i, m.second.At(i, i)+Laplace(random, scale)+4*math.Sqrt2*scale)
		for j := i + 1; j < d; j++ {
			// The monomial w_i·w_j has the coefficient 2 Σ z_i·z_j: half of its noise is on each side of the diagonal.
			noisy.SetSym(i, j, m.second.At(i, j)+Laplace(random, scale)/2)
		}
		linear[i] = -2*m.cross[i] + Laplace(random, scale)
	}
	var e mat.EigenSym
	if !e.Factorize(noisy, true) {
		return nil, 0, false
	}
	var vectors mat.Dense
	e.VectorsTo(&vectors)
	w := make([]float64, d)
	for k, a := range e.Values(nil) {
		if !(a > 0) {
			continue
		}
		along := 0.0
		for i := range d {
			along += vectors.At(i, k) * linear[i]
		}
		for i := range d {
			w[i] -= vectors.At(i, k) * along / (2 * a)
		}
	}
	coef, intercept = model(w)
	return coef, intercept, true
}
