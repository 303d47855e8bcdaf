package sums

import (
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// SumNoise is the noise on one vector sum of integers, settled for a target on a pair state.
type SumNoise interface {
	// Price accounts for the release at the target; c is the mechanism's entry, to which the numbers are added.
	Price(target accountant.Budget, st stage.Stage, c cost.Release) (query.Bill, error)
	Lattice() noise.Grid // what rows are rounded to
	// Sensitivity is that on the pair state, and that without preprocessing, in the norm of the noise and the units of the sum.
	Sensitivity() (total, free float64)
	sd() float64 // standard deviation of the noise on a coordinate
	add(rng *noise.Source, sums []int64)
	Summand() pair.Query // of one row, in the norm of the noise
	reference() string
}

// contribution describes what one row adds to a vector sum, in both norms.
type contribution struct {
	l2, l1      pair.Query
	any2, any1  float64 // Lipschitz constants for displacements in any feature, in both norms; 0: not known
	coordinates int
	fp          float64 // see [GaussianSum]; in the ℓ2 norm
}

// noiseFor settles the noise of the target's kind.
func noiseFor(t query.Target, st stage.Stage, q contribution) (SumNoise, error) {
	if t.Noise.Pure() {
		l := &LaplaceSum{query: q.l1, together: togetherOf(st, q.l1.C), any: q.any1, Coordinates: q.coordinates, fp: stage.Up(q.fp * math.Sqrt(float64(q.coordinates)))}
		if t.Noise == query.NoiseGeometric {
			g := &GeometricSum{sum: l}
			return g, g.settle(t.Budget(), st.Before)
		}
		return l, l.settle(t.Budget(), st.Before)
	}
	g := &GaussianSum{Query: q.l2, Together: togetherOf(st, q.l2.C), Any: q.any2, Coordinates: q.coordinates, Draws: 1, Fp: q.fp}
	if err := g.State(st.Before); err != nil {
		return nil, err
	}
	return g, g.Calibrate(t.Budget(), st)
}

func (g *GaussianSum) Lattice() noise.Grid { return g.Grid }

func (g *GaussianSum) Sensitivity() (total, free float64) { return g.S, g.Free }

func (g *GaussianSum) sd() float64 { return g.Sigma }

func (g *GaussianSum) add(rng *noise.Source, sums []int64) { noise.AddGaussian(rng, sums, g.GridSD) }

func (g *GaussianSum) Summand() pair.Query { return g.Query }

func (g *GaussianSum) reference() string {
	return "Gaussian mechanism on the pair state: S = 2Cf + min(Lτ, 2Cm)"
}
