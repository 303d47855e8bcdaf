package dpkit

import (
	"math"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// bestParts chooses how the report's noise budget μ is parted among gradient, Hessian and eigenvalue: the split at
// which the bound of a typical row of a reference population is least. The population has isotropic rows of norm ¾R with
// |ℓ'| = ½ and ℓ” = 0.2, so that Σℓ”x̃x̃ᵀ is about 0.2·n·‖x̃‖²/k on the diagonal.
func (pl *reportPlan) bestParts(mu float64) (best [3]float64) {
	k, n := float64(pl.k), float64(pl.n)
	square := 0.5625*pl.r*pl.r + pl.c*pl.c
	norm := math.Sqrt(square)
	const slope, bend = 0.5, 0.2
	curve := bend * n * square / k
	q, z := -quad.NormalQuantile(pl.rho/2), -quad.NormalQuantile(pl.rho/64)
	tau := quad.GOEQuantile(pl.k, pl.rho/64) / math.Sqrt2
	bound := func(parts [3]float64) float64 {
		sigma := func(i int) float64 {
			g := pl.query(i)
			return g.sensitivity / (mu * math.Sqrt(parts[i]))
		}
		cross := pl.sigma * norm * q
		if parts[0] > 0 {
			s := sigma(0)
			all := math.Hypot(pl.sigma, s)
			cross = norm * (0.8*pl.sigma*pl.sigma/all + pl.sigma*s/all*q)
		}
		least := pl.lambda
		if parts[2] > 0 {
			least += max(0, curve-2*z*sigma(2))
		}
		m := bend * square / least
		if parts[1] > 0 {
			if h := pl.lambda + curve - 2*tau*sigma(1); h > 0 {
				m = min(m, bend*square/h)
			}
		}
		variance := pl.sigma * pl.sigma
		return min(math.Log1p(m), math.Log1p(bend*square/pl.lambda)) + slope*cross/variance + slope*slope*square/(2*variance)
	}
	least := math.Inf(1)
	for _, g := range []float64{0, 0.25, 0.5, 0.75, 0.9, 1} {
		for _, e := range []float64{0, 0.1, 0.3, 1} {
			if parts := [3]float64{g, (1 - g) * (1 - e), (1 - g) * e}; bound(parts) < least {
				best, least = parts, bound(parts)
			}
		}
	}
	return best
}
