package linear

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/dpkit-go/dpnb/accountant"
)

// moments are ZᵀZ of rows z = (x, c, v): features of norm at most R = 1, the constant feature c = 1/2, all divided by
// √(R² + c²), and the label in [−1, 1]. So C_X = C_Y = 1, as the paper has them.
type moments struct {
	n, p     int // rows; columns of (x, c)
	gram     *mat.SymDense
	smallest float64 // eigenvalue of all of it
	features float64 // smallest eigenvalue of the block of (x, c)
	lo, hi   float64 // label's bounds
}

// constantFeature is that of dpkit, whose methods get the same rows.
const constantFeature = 0.5

func momentsOf(d design, lo, hi float64) *moments {
	m := &moments{n: d.n, p: d.d + 1, lo: lo, hi: hi}
	to := math.Sqrt(1 + constantFeature*constantFeature)
	z := mat.NewDense(d.n, m.p+1, nil)
	for i := range d.n {
		for j, v := range d.row(i) {
			z.Set(i, j, v/to)
		}
		z.Set(i, d.d, constantFeature/to)
		z.Set(i, m.p, (d.y[i]-(lo+hi)/2)/((hi-lo)/2))
	}
	m.gram = mat.NewSymDense(m.p+1, nil)
	m.gram.SymOuterK(1, z.T())
	m.smallest = smallestEigenvalue(m.gram)
	m.features = smallestEigenvalue(m.gram.SliceSym(0, m.p))
	return m
}

func smallestEigenvalue(a mat.Symmetric) float64 {
	var e mat.EigenSym
	if !e.Factorize(a, false) {
		panic("linear study: no eigenvalues of a finite symmetric matrix") // impossible
	}
	return e.Values(nil)[0]
}

// model turns coefficients of (x, c) for v into those of the encoded rows for the label.
func (m *moments) model(w []float64) (coef []float64, intercept float64) {
	half, to := (m.hi-m.lo)/2, math.Sqrt(1+constantFeature*constantFeature)
	coef = make([]float64, m.p-1)
	for j := range coef {
		coef[j] = w[j] / to * half
	}
	return coef, (m.lo+m.hi)/2 + w[m.p-1]*constantFeature/to*half
}

// notPrivate is least squares with the ridge 1e-6 of the paper's baseline.
func (m *moments) notPrivate() ([]float64, error) {
	a := mat.NewSymDense(m.p, nil)
	a.CopySym(m.gram.SliceSym(0, m.p))
	for j := range m.p {
		a.SetSym(j, j, a.At(j, j)+1e-6)
	}
	return m.solve(a, m.right())
}

func (m *moments) right() *mat.VecDense {
	b := mat.NewVecDense(m.p, nil)
	for j := range m.p {
		b.SetVec(j, m.gram.At(j, m.p))
	}
	return b
}

func (m *moments) solve(a *mat.SymDense, b *mat.VecDense) ([]float64, error) {
	var w mat.VecDense
	if err := w.SolveVec(a, b); err != nil {
		if _, near := err.(mat.Condition); !near {
			return nil, fmt.Errorf("linear study: %w", err)
		}
	}
	return w.RawVector().Data, nil
}

// printedMixing is LinearMixing (Lev et al. 2025, Algorithms 1 and 2) at its printed calibration, with the eigenvalue, η
// and the noise in units of C² = C_X² + C_Y², without which it is not private, and the noise √γ·C where it says γ·C.
type printedMixing struct {
	k               int
	gamma, eta, tau float64
}

// calibratePrintedMixing finds the smallest γ > 5/2 at which Theorem 1 with η = γ/√k claims ε.
func calibratePrintedMixing(epsilon, delta float64, k int) (printedMixing, error) {
	p := printedMixing{k: k, tau: math.Sqrt(2 * math.Log(3/delta))}
	claimed := func(gamma float64) (float64, error) {
		curve, err := accountant.GaussMix{K: k, Gamma: gamma, Neighbours: accountant.AddRemove}.RDP(accountant.AddRemove)
		if err != nil {
			return 0, err
		}
		eps, _, err := curve.Epsilon(delta / 3)
		return eps + math.Sqrt(2*math.Log(3.75/delta))*math.Sqrt(float64(k))/gamma, err
	}
	lo, hi := 2.5, 2.5*(1+1e-9)
	for {
		eps, err := claimed(hi)
		if err != nil {
			return p, err
		}
		if eps <= epsilon {
			break
		}
		lo, hi = hi, 2*hi
	}
	for hi > lo*(1+1e-9) {
		mid := math.Sqrt(lo * hi)
		eps, err := claimed(mid)
		if err != nil {
			return p, err
		}
		if eps <= epsilon {
			hi = mid
		} else {
			lo = mid
		}
	}
	p.gamma, p.eta = hi, hi/math.Sqrt(float64(k))
	return p, nil
}

// draw is a release: given the rows, least squares on the sketch has the multivariate t law
// w = w_ridge + √v·L⁻ᵀg/χ_{k−p+1} about the ridge solution, LLᵀ = Σ_xx, v the residual variance of Σ = ZᵀZ + σ²I.
func (p printedMixing) draw(m *moments, rng *rand.Rand) ([]float64, error) {
	const square = 2 // C²
	variance := p.gamma
	if p.gamma > p.tau {
		lambda := math.Max(m.smallest/square-p.eta*(p.tau-rng.NormFloat64()), 0)
		variance = math.Max(p.gamma-lambda, 0)
	}
	a := mat.NewSymDense(m.p+1, nil)
	a.CopySym(m.gram)
	for j := range m.p + 1 {
		a.SetSym(j, j, a.At(j, j)+variance*square)
	}
	var all mat.Cholesky
	if !all.Factorize(a) {
		return nil, fmt.Errorf("linear study: the sketch's covariance is not positive definite")
	}
	var l mat.TriDense
	all.LTo(&l)
	chi := 0.0
	for range p.k - m.p + 1 {
		g := rng.NormFloat64()
		chi += g * g
	}
	// w = L_xx⁻ᵀ(l_y + L_yy·g/χ): the mean is L_xx⁻ᵀl_y.
	w := make([]float64, m.p)
	for i := m.p - 1; i >= 0; i-- {
		w[i] = l.At(m.p, i) + l.At(m.p, m.p)*rng.NormFloat64()/math.Sqrt(chi)
		for j := i + 1; j < m.p; j++ {
			w[i] -= l.At(j, i) * w[j]
		}
		w[i] /= l.At(i, i)
	}
	return w, nil
}

// printedAdaSSP is AdaSSP (Wang 2018, Algorithm 2; Lev et al. 2025, Algorithm 3): three Gaussian releases at (ε/3, δ/3)
// by the constants printed there, ρ = 0.05.
type printedAdaSSP struct{ sigma, log, third float64 }

func calibratePrintedAdaSSP(epsilon, delta float64) printedAdaSSP {
	log := math.Log(6 / delta)
	return printedAdaSSP{sigma: math.Sqrt(log) / (epsilon / 3), log: log, third: epsilon / 3}
}

func (a printedAdaSSP) draw(m *moments, rng *rand.Rand) ([]float64, error) {
	d := float64(m.p)
	smallest := math.Max(m.features+a.sigma*rng.NormFloat64()-a.log/a.third, 0)
	ridge := math.Max(0, math.Sqrt(d*a.log*math.Log(2*d*d/0.05))/a.third-smallest)
	noisy, b := mat.NewSymDense(m.p, nil), m.right()
	for i := range m.p {
		for j := i; j < m.p; j++ {
			v := m.gram.At(i, j) + a.sigma*rng.NormFloat64()
			if i == j {
				v += ridge
			}
			noisy.SetSym(i, j, v)
		}
		b.SetVec(i, b.AtVec(i)+a.sigma*rng.NormFloat64())
	}
	return m.solve(noisy, b)
}
