package reports

import (
	"math"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// bestParts chooses how the report's noise budget μ is parted among gradient, Hessian and eigenvalue: the split at
// which a member's bound is least in the mean over the noise, for a typical row of a reference population. The population
// has isotropic rows of norm ¾R with |ℓ'| = 0.4 and ℓ” = 0.24, so that Σℓ”x̃x̃ᵀ is about 0.24·n·‖x̃‖²/k on the diagonal.
func (pl *calibratedReport) bestParts(mu float64) (best [3]float64) {
	least := math.Inf(1)
	for _, g := range []float64{0, 0.25, 0.5, 0.75, 0.9, 1} {
		for _, e := range []float64{0, 0.1, 0.3, 1} {
			parts := [3]float64{g, (1 - g) * (1 - e), (1 - g) * e}
			if b := pl.typicalBound(mu, parts); b < least {
				best, least = parts, b
			}
		}
	}
	return best
}

// typicalBound is the mean bound of a reference row, as [pdp.Bounds] has it.
func (pl *calibratedReport) typicalBound(mu float64, parts [3]float64) float64 {
	k, n := float64(pl.K), float64(pl.N)
	square := 0.5625*pl.R*pl.R + pl.C*pl.C
	norm := math.Sqrt(square)
	const slope, bend = 0.4, 0.24
	curve := bend * n * square / k
	sigma := func(i int) float64 {
		g := pl.query(i)
		return g.Sensitivity / (mu * math.Sqrt(parts[i]))
	}
	floor := pl.Lambda
	if parts[2] > 0 {
		floor += max(0, curve+2*sigma(2)*quad.NormalQuantile(pl.rho/64))
	}
	m := bend * square / floor
	if parts[1] > 0 {
		if h := pl.Lambda + curve - 2*quad.GOEQuantile(pl.K, pl.rho/64)/math.Sqrt2*sigma(1); h > 0 {
			m = min(m, bend*square/h)
		}
	}
	worst := math.Log1p(bend * square / pl.Lambda)
	det := worst
	if m < 1 {
		det = min(det, -math.Log1p(-m))
	}
	// Of t the part that the gradient tells is normal, and what is left reaches so far that both ends are as far.
	variance := pl.Sigma * pl.Sigma
	known, left := 0.0, pl.Sigma*norm
	if parts[0] > 0 {
		s := sigma(0)
		all := math.Hypot(pl.Sigma, s)
		known, left = variance/all*norm, pl.Sigma*s/all*norm
	}
	shift := slope * slope * square / (2 * variance)
	const points = 8
	sum := 0.0
	for i := range points {
		centre := known * quad.NormalQuantile((float64(i)+0.5)/points)
		up, down := quad.UnevenTails(pl.rho, ((worst+2*shift)*variance/slope+2*centre)/left)
		sum += max(det+slope*(centre+left*up)/variance+shift, slope*(left*down-centre)/variance-shift)
	}
	return sum / points
}
