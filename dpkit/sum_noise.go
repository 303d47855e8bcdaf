package dpkit

import (
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// sumNoise is the noise on one vector sum of integers, settled for a target on a pair state.
type sumNoise interface {
	price(target accountant.Budget, st Stage, c ReleaseCost) (bill, error)
	lattice() noise.Grid // what rows are rounded to
	sensitivity() (total, free float64)
	sd() float64 // standard deviation of the noise on a coordinate
	add(rng *noise.Source, sums []int64)
	summand() pair.Query // of one row, in the norm of the noise
	reference() string
}

// contribution describes what one row adds to a vector sum, in both norms.
type contribution struct {
	l2, l1      pair.Query
	coordinates int
	fp          float64 // see gaussianSum; in the ℓ2 norm
}

// noiseFor settles the noise of the target's kind.
func noiseFor(t Target, st Stage, q contribution) (sumNoise, error) {
	if t.Noise == LaplaceNoise {
		l := &laplaceSum{query: q.l1, coordinates: q.coordinates, fp: up(q.fp * math.Sqrt(float64(q.coordinates)))}
		return l, l.settle(t.budget(), st.Before)
	}
	g := &gaussianSum{query: q.l2, coordinates: q.coordinates, draws: 1, fp: q.fp}
	if err := g.state(st.Before); err != nil {
		return nil, err
	}
	return g, g.calibrate(t.budget(), st)
}

func (g *gaussianSum) lattice() noise.Grid                 { return g.grid }
func (g *gaussianSum) sensitivity() (total, free float64)  { return g.s, g.free }
func (g *gaussianSum) sd() float64                         { return g.sigma }
func (g *gaussianSum) add(rng *noise.Source, sums []int64) { noise.AddGaussian(rng, sums, g.gridSD) }
func (g *gaussianSum) summand() pair.Query                 { return g.query }
func (g *gaussianSum) reference() string {
	return "Gaussian mechanism on the pair state: S = 2Cf + min(Lτ, 2Cm)"
}
