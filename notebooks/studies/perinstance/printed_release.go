package perinstance

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"
)

// minimiser is that of Σ ℓ + (Λ/2)‖θ‖² + bᵀθ with what the curator knows there.
type minimiser struct {
	theta    []float64
	gradient []float64     // ∇J, which is −b
	hessian  *mat.SymDense // with Λ
	smallest float64       // its least eigenvalue
}

// minimise draws b and minimises by Newton's method.
func (p problem) minimise(rng *rand.Rand) (minimiser, error) {
	d := len(p.x[0])
	r := minimiser{theta: make([]float64, d)}
	b := make([]float64, d)
	for j := range b {
		b[j] = p.sigma * rng.NormFloat64()
	}
	for range 60 {
		r.gradient, r.hessian = p.at(r.theta)
		step := mat.NewVecDense(d, nil)
		var size float64
		for j, g := range r.gradient {
			step.SetVec(j, g+b[j])
			size += (g + b[j]) * (g + b[j])
		}
		if size < 1e-16*float64(d) {
			values, err := eigenvalues(r.hessian, nil)
			if err != nil {
				return r, err
			}
			r.smallest = values[0]
			return r, nil
		}
		var chol mat.Cholesky
		if !chol.Factorize(r.hessian) {
			return r, fmt.Errorf("perinstance: the Hessian is not positive definite")
		}
		if err := chol.SolveVecTo(step, step); err != nil {
			return r, err
		}
		for j := range r.theta {
			r.theta[j] -= step.AtVec(j)
		}
	}
	return r, fmt.Errorf("perinstance: Newton's method did not converge")
}

// at returns the gradient and the Hessian of J.
func (p problem) at(theta []float64) ([]float64, *mat.SymDense) {
	d := len(theta)
	g, h := make([]float64, d), make([]float64, d*d)
	for i, x := range p.x {
		first, second := p.loss.Derivatives(dot(x, theta), p.y[i])
		for j, v := range x {
			g[j] += first * v
			if v *= second; v != 0 {
				row := h[j*d : (j+1)*d]
				for k := j; k < d; k++ {
					row[k] += v * x[k]
				}
			}
		}
	}
	for j := range d {
		g[j] += p.lambda * theta[j]
		h[j*d+j] += p.lambda
	}
	return g, mat.NewSymDense(d, h)
}

// noisy are the statistics of Algorithms 5, 6 and 3, with their deviations.
type noisy struct {
	theta                  []float64
	gradient               []float64
	hessian                *mat.SymDense // with Λ, as in the source
	smallest               float64
	sigma2, sigma3, sigma4 float64
	values                 []float64 // of the noisy Hessian
	vectors                *mat.Dense
}

// publish draws them: σ₃ is the deviation off the diagonal.
func (r minimiser) publish(rng *rand.Rand, sigma2, sigma3, sigma4 float64) (noisy, error) {
	d := len(r.theta)
	n := noisy{
		theta: r.theta, gradient: make([]float64, d), hessian: mat.NewSymDense(d, nil),
		sigma2: sigma2, sigma3: sigma3, sigma4: sigma4, vectors: new(mat.Dense),
	}
	for j, v := range r.gradient {
		n.gradient[j] = v + sigma2*rng.NormFloat64()
	}
	for i := range d {
		n.hessian.SetSym(i, i, r.hessian.At(i, i)+math.Sqrt2*sigma3*rng.NormFloat64())
		for j := range i {
			n.hessian.SetSym(i, j, r.hessian.At(i, j)+sigma3*rng.NormFloat64())
		}
	}
	n.smallest = r.smallest + sigma4*rng.NormFloat64()
	var err error
	n.values, err = eigenvalues(n.hessian, n.vectors)
	return n, err
}

// inverse is Σ c_j²/w(h_j) over the eigenvalues h of the noisy Hessian and the coordinates c of x in its eigenbasis.
func (n noisy) inverse(coordinates []float64, w func(h float64) float64) float64 {
	var s float64
	for j, c := range coordinates {
		s += c * c / w(n.values[j])
	}
	return s
}

func (n noisy) coordinates(x []float64) []float64 {
	var c mat.VecDense
	c.MulVec(n.vectors.T(), mat.NewVecDense(len(x), x))
	return c.RawVector().Data
}

func eigenvalues(m *mat.SymDense, vectors *mat.Dense) ([]float64, error) {
	var eig mat.EigenSym
	if !eig.Factorize(m, vectors != nil) {
		return nil, fmt.Errorf("perinstance: the eigensolver did not converge")
	}
	if vectors != nil {
		eig.VectorsTo(vectors)
	}
	return eig.Values(nil), nil
}

func dot(a, b []float64) (s float64) {
	for i, v := range a {
		s += v * b[i]
	}
	return s
}
