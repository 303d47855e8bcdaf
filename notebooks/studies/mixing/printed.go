package mixing

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"github.com/dpkit-go/dpnb/accountant"
)

// Algorithm is one of the paper's, calibrated.
type Algorithm interface {
	// On is the algorithm on some rows: each call of what it returns is a release.
	On(m *Moments) func(rng *rand.Rand) ([]float64, error)
}

// LinearMixing is Algorithms 1 and 2 of the paper at their printed calibration, with the eigenvalue, η and the noise in units of C²,
// without which it is not private, and the noise √γ·C where it says γ·C.
type LinearMixing struct {
	K               int
	Gamma, Eta, Tau float64
}

// CalibrateLinearMixing finds the smallest γ > 5/2 at which Theorem 1 with η = γ/√k claims ε.
func CalibrateLinearMixing(epsilon, delta float64, k int) (LinearMixing, error) {
	p := LinearMixing{K: k, Tau: math.Sqrt(2 * math.Log(3/delta))}
	gamma, err := least(epsilon, func(gamma float64) (float64, error) {
		return TheoremOne(gamma, gamma/math.Sqrt(float64(k)), k, delta)
	})
	p.Gamma, p.Eta = gamma, gamma/math.Sqrt(float64(k))
	return p, err
}

// TheoremOne is the ε that Theorem 1 claims, equation (2).
func TheoremOne(gamma, eta float64, k int, delta float64) (float64, error) {
	eps, err := LemmaOne(gamma, k, delta/3)
	return eps + math.Sqrt(2*math.Log(3.75/delta))/eta, err
}

// LemmaOne is the ε of Lemma 1 by Proposition 1: the Rényi curve of a sketch at its best order.
func LemmaOne(gamma float64, k int, delta float64) (float64, error) {
	curve, err := accountant.GaussMix{K: k, Gamma: gamma, Neighbours: accountant.AddRemove}.RDP(accountant.AddRemove)
	if err != nil {
		return 0, err
	}
	eps, _, err := curve.Epsilon(delta)
	return eps, err
}

// SheffetTheoremTwo is the ε of Sheffet 2019, Theorem 2, as the paper quotes it.
func SheffetTheoremTwo(gamma float64, k int, delta float64) float64 {
	log := math.Log(4 / delta)
	return (2*math.Sqrt(2*float64(k)*log) + 2*log) / gamma
}

// least finds the smallest γ > 5/2 whose ε is within the target.
func least(epsilon float64, of func(gamma float64) (float64, error)) (float64, error) {
	lo, hi := 2.5, 2.5*(1+1e-9)
	for {
		eps, err := of(hi)
		if err != nil {
			return 0, err
		}
		if eps <= epsilon {
			break
		}
		lo, hi = hi, 2*hi
	}
	for hi > lo*(1+1e-9) {
		mid := math.Sqrt(lo * hi)
		eps, err := of(mid)
		if err != nil {
			return 0, err
		}
		if eps <= epsilon {
			hi = mid
		} else {
			lo = mid
		}
	}
	return hi, nil
}

// On implements [Algorithm].
func (p LinearMixing) On(m *Moments) func(*rand.Rand) ([]float64, error) {
	s := &sketch{Moments: m}
	return func(rng *rand.Rand) ([]float64, error) {
		variance := p.Gamma
		if p.Gamma > p.Tau {
			lambda := math.Max(m.Smallest/SquareNorm-p.Eta*(p.Tau-rng.NormFloat64()), 0)
			variance = math.Max(p.Gamma-lambda, 0)
		}
		return s.draw(p.K, variance*SquareNorm, rng)
	}
}

// Sheffet is Algorithm 4 or 5: no noise where a Laplace test finds the smallest eigenvalue large enough, else noise of variance γ,
// where the paper prints γ as its standard deviation.
type Sheffet struct {
	K              int
	Gamma          float64 // in absolute units
	Test, Distance float64 // scale of the test's noise; how far above γ the eigenvalue must be
}

// CalibrateSheffet is line 2 of Algorithm 4, and of Algorithm 5 if byLemma: γ of Lemma 1 at (ε/2, δ), in units of C².
func CalibrateSheffet(epsilon, delta float64, k int, byLemma bool) (Sheffet, error) {
	log := math.Log(8 / delta)
	s := Sheffet{
		K: k, Test: 4 * SquareNorm / epsilon, Distance: 4 * SquareNorm * math.Log(1/delta) / epsilon,
		Gamma: 4 * SquareNorm / epsilon * (math.Sqrt(2*float64(k)*log) + 2*log),
	}
	if !byLemma {
		return s, nil
	}
	gamma, err := least(epsilon/2, func(gamma float64) (float64, error) { return LemmaOne(gamma, k, delta) })
	s.Gamma = gamma * SquareNorm
	return s, err
}

// On implements [Algorithm].
func (p Sheffet) On(m *Moments) func(*rand.Rand) ([]float64, error) {
	s := &sketch{Moments: m}
	return func(rng *rand.Rand) ([]float64, error) {
		variance, z := p.Gamma, p.Test*(rng.ExpFloat64()-rng.ExpFloat64())
		if m.Smallest > p.Gamma+z+p.Distance {
			variance = 0
		}
		return s.draw(p.K, variance, rng)
	}
}

// AdaSSP is Wang 2018, Algorithm 2, the paper's Algorithm 3: three Gaussian releases at (ε/3, δ/3) by the constants printed there.
type AdaSSP struct{ Sigma, log, third, rho float64 }

// CalibrateAdaSSP is its lines 2 to 5. ρ is the probability with which the noise may exceed the ridge; the paper does not name it,
// its code has 1e-4, and Wang 0.05.
func CalibrateAdaSSP(epsilon, delta, rho float64) AdaSSP {
	log := math.Log(6 / delta)
	return AdaSSP{Sigma: math.Sqrt(log) / (epsilon / 3), log: log, third: epsilon / 3, rho: rho}
}

// On implements [Algorithm].
func (a AdaSSP) On(m *Moments) func(*rand.Rand) ([]float64, error) {
	return func(rng *rand.Rand) ([]float64, error) {
		d := float64(m.Columns)
		smallest := math.Max(m.Features+a.Sigma*rng.NormFloat64()-a.log/a.third, 0)
		ridge := math.Max(0, math.Sqrt(d*a.log*math.Log(2*d*d/a.rho))/a.third-smallest)
		noisy, b := mat.NewSymDense(m.Columns, nil), m.right()
		for i := range m.Columns {
			for j := i; j < m.Columns; j++ {
				v := m.Gram.At(i, j) + a.Sigma*rng.NormFloat64()
				if i == j {
					v += ridge
				}
				noisy.SetSym(i, j, v)
			}
			b.SetVec(i, b.AtVec(i)+a.Sigma*rng.NormFloat64())
		}
		return m.solve(noisy, b)
	}
}
