package others

import (
	"errors"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// Rows are features, row-major, of norm at most 1, with labels: 0 and 1 of two classes, or numbers in [−1, 1]. Fits have an intercept by a
// constant feature, Constant, beside them.
type Rows struct {
	N, D int
	X, Y []float64
}

// Constant is the constant feature of fits: as that of dpkit's.
const Constant = 0.5

// design is the rows beside the constant feature, divided by their public bound.
func (r Rows) design() *mat.Dense {
	to := math.Sqrt(1 + Constant*Constant)
	z := mat.NewDense(r.N, r.D+1, nil)
	for i := range r.N {
		row := z.RawRowView(i)
		for j, v := range r.X[i*r.D : (i+1)*r.D] {
			row[j] = v / to
		}
		row[r.D] = Constant / to
	}
	return z
}

// model turns coefficients of the design into those of the rows.
func model(w []float64) (coef []float64, intercept float64) {
	to := math.Sqrt(1 + Constant*Constant)
	coef = make([]float64, len(w)-1)
	for j := range coef {
		coef[j] = w[j] / to
	}
	return coef, w[len(coef)] * Constant / to
}

// Logistic is logistic regression by objective perturbation (Chaudhuri, Monteleoni, Sarwate 2011, Algorithm 2), for rows of norm at
// most 1 and c = 1/4, the largest second derivative of the loss: with α the regularisation of the sum of losses, ε' = ε − 2 ln(1 + c/α), and
// where that is not positive α grows to c/(e^{ε/4} − 1) and ε' = ε/2. The noise b has a direction that is uniform and a
// length of law Gamma(d, 2/ε').
func Logistic(random *rand.Rand, r Rows, epsilon, alpha float64) (coef []float64, intercept float64, err error) {
	z := r.design()
	_, d := z.Dims()
	const c = 0.25
	rest := epsilon - 2*math.Log1p(c/alpha)
	if !(rest > 0) {
		alpha = max(alpha, c/math.Expm1(epsilon/4))
		rest = epsilon / 2
	}
	b := make([]float64, d)
	norm, length := 0.0, 0.0
	for j := range b {
		b[j] = random.NormFloat64()
		norm += b[j] * b[j]
		length += random.ExpFloat64() * 2 / rest
	}
	for j := range b {
		b[j] *= length / math.Sqrt(norm)
	}
	w, err := minimise(z, r.Y, alpha, b)
	if err != nil {
		return nil, 0, err
	}
	coef, intercept = model(w)
	return coef, intercept, nil
}

// minimise finds the least of Σ ln(1 + e^{−s⟨w, z⟩}) + (α/2)‖w‖² + ⟨b, w⟩, s = ±1 the class, by Newton's method with halved steps.
func minimise(z *mat.Dense, y []float64, alpha float64, b []float64) ([]float64, error) {
	n, d := z.Dims()
	w := make([]float64, d)
	margins := func(w []float64) *mat.VecDense {
		m := mat.NewVecDense(n, nil)
		m.MulVec(z, mat.NewVecDense(d, w))
		return m
	}
	objective := func(w []float64, m *mat.VecDense) float64 {
		sum := 0.0
		for i, label := range y {
			t := m.AtVec(i)
			if label == 1 {
				t = -t
			}
			if t > 0 {
				sum += t + math.Log1p(math.Exp(-t))
			} else {
				sum += math.Log1p(math.Exp(t))
			}
		}
		for j, v := range w {
			sum += alpha/2*v*v + b[j]*v
		}
		return sum
	}
	m := margins(w)
	at := objective(w, m)
	scaled := mat.NewDense(n, d, nil)
	for range 60 {
		gradient := mat.NewVecDense(d, nil)
		slope := mat.NewVecDense(n, nil)
		for i, label := range y {
			p := 1 / (1 + math.Exp(-m.AtVec(i)))
			slope.SetVec(i, p-label)
			root := math.Sqrt(p * (1 - p))
			from, to := z.RawRowView(i), scaled.RawRowView(i)
			for j, v := range from {
				to[j] = root * v
			}
		}
		gradient.MulVec(z.T(), slope)
		hessian := mat.NewSymDense(d, nil)
		hessian.SymOuterK(1, scaled.T())
		for j := range d {
			gradient.SetVec(j, gradient.AtVec(j)+alpha*w[j]+b[j])
			hessian.SetSym(j, j, hessian.At(j, j)+alpha)
		}
		var chol mat.Cholesky
		if !chol.Factorize(hessian) {
			return nil, errors.New("others: logistic regression: the Hessian is not positive definite")
		}
		step := mat.NewVecDense(d, nil)
		if err := chol.SolveVecTo(step, gradient); err != nil {
			return nil, err
		}
		decrease := mat.Dot(step, gradient)
		if decrease < 1e-9 {
			return w, nil
		}
		for size := 1.0; ; size /= 2 {
			next := make([]float64, d)
			for j := range next {
				next[j] = w[j] - size*step.AtVec(j)
			}
			mNext := margins(next)
			if value := objective(next, mNext); value <= at-1e-4*size*decrease || size < 1e-9 {
				w, m, at = next, mNext, value
				break
			}
		}
	}
	return w, nil
}
