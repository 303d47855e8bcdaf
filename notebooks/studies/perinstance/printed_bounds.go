package perinstance

import (
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pdp"
	"github.com/dpkit-go/dpnb/internal/quad"
)

// each is the part of ρ that a record has: ρ/n where the bounds are for all of them (the source's Proposition 15).
func (p problem) each(rho float64, who pdp.Who) float64 {
	if who == pdp.ForAllRows {
		return rho / float64(len(p.x))
	}
	return rho
}

// upper is Φ⁻¹(1 − ρ/2).
func upper(rho float64) float64 { return -quad.NormalQuantile(rho / 2) }

// printed returns the source's two reports, line by line as printed. Each of three events has the part ρ/3 (its
// Theorem 13: 1 − 3ρ). τ is as the source evaluates it, "F⁻¹(1 − ρ/2) = 12 for d = 50": in a normalisation in which it is √2 too small.
func (p problem) printed(n noisy, rho float64, who pdp.Who) func(x []float64, y float64) (independent, dependent float64) {
	one := p.each(rho, who)
	q := upper(one / 3)
	tau := quad.GOEQuantile(len(n.theta), rho/3/2) / math.Sqrt2
	low := max(p.lambda, n.smallest-n.sigma4*upper(rho/3))
	return func(x []float64, y float64) (float64, float64) {
		first, second := p.loss.Derivatives(dot(x, n.theta), y)
		square := dot(x, x)
		steep := math.Abs(first) * math.Sqrt(square)
		variance := p.sigma * p.sigma
		shift := steep * steep / (2 * variance)

		// Theorems 8 and 9.
		independent := -math.Log1p(-second*square/p.lambda) + shift + steep*upper(one)/p.sigma

		// Algorithm 4.
		g := first*dot(n.gradient, x) + n.sigma2*steep*q
		c := n.coordinates(x)
		var mu float64
		if low >= 2*tau*n.sigma3 {
			mu = (low + tau*n.sigma3) / low * n.inverse(c, func(h float64) float64 { return h })
		} else {
			mu = (low + 2*tau*n.sigma3) / low * n.inverse(c, func(h float64) float64 { return h + tau*n.sigma3 })
		}
		mu = min(mu, square/low)
		return independent, math.Abs(-math.Log1p(-second*mu)) + shift + math.Abs(g)/variance
	}
}

// ours returns the library's reports of the same statistics, [pdp.Report].
func (p problem) ours(n noisy, rho float64, who pdp.Who) (func(x []float64, y float64) (independent, dependent float64, err error), error) {
	plain := pdp.Report{
		Theta: n.theta, Radius: 1, Sigma: p.sigma, Lambda: p.lambda, Rows: len(p.x), Rho: rho,
	}
	if _, ok := p.loss.(pdp.Squared); ok {
		plain.Squared = true
	} else {
		plain.Worst = accountant.Budget{Epsilon: 1, Delta: 1e-5}
	}
	full := plain
	full.Gradient = &pdp.NoisyVector{Value: n.gradient, Sigma: n.sigma2}
	full.Eigenvalue = &pdp.NoisyNumber{Value: n.smallest - p.lambda, Sigma: n.sigma4}
	full.Hessian = &pdp.NoisyVector{Sigma: math.Sqrt2 * n.sigma3}
	for i := range n.theta {
		for j := i; j < len(n.theta); j++ {
			v := n.hessian.At(i, j)
			if j > i {
				v *= math.Sqrt2
			} else {
				v -= p.lambda
			}
			full.Hessian.Value = append(full.Hessian.Value, v)
		}
	}
	a, err := plain.Bounds(who)
	if err != nil {
		return nil, err
	}
	b, err := full.Bounds(who)
	if err != nil {
		return nil, err
	}
	return func(x []float64, y float64) (float64, float64, error) {
		u, err := a.At(x, y)
		if err != nil {
			return 0, 0, err
		}
		v, err := b.At(x, y)
		return u.Model, v.Model, err
	}, nil
}
