package accountant

import (
	"errors"
	"math"
	"testing"
)

// TestCoverOutsideFailure: the profile of the cover is above that of the event on a grid finer than the proof's and
// beyond it, also where the order of the datasets is swapped, and it is not far above it.
func TestCoverOutsideFailure(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		e      Event
		rel    Neighbours
		delta0 float64
		near   float64 // the least μ that could do, that of the total variation, times this is enough
	}{
		"few rows":    {GaussMix{K: 3, Gamma: 6, Neighbours: AddRemove}, AddRemove, 5e-6, 2.4},
		"many rows":   {GaussMix{K: 400, Gamma: 60, Neighbours: AddRemove}, AddRemove, 5e-9, 1.25},
		"replace-one": {GaussMix{K: 20, Gamma: 30, Neighbours: ReplaceOne}, ReplaceOne, 1e-6, 1.2},
		"displaced":   {GaussMix{K: 20, Gamma: 40, Displacement: 0.1, Noise: 39, Neighbours: ReplaceOne}, ReplaceOne, 1e-6, 2},
		"modified":    {ModifiedGaussMix{K: 20, Gamma: 40, Eta: 10, Tau: 6, Neighbours: AddRemove}, AddRemove, 1e-6, 1.5},
		"Gaussian":    {addGauss(0.5), AddRemove, 1e-12, 1.001},
	} {
		mu, err := GaussianCover(c.e, c.rel, c.delta0)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for i := range 20 {
			eps := mu * float64(i*i) / 37 // from 0 to 10μ
			g, err := DeltaOf(c.e, c.rel, eps)
			if err != nil {
				t.Fatal(err)
			}
			if above := c.delta0 + (1-c.delta0)*gaussianDelta(eps, mu); g.Delta > above {
				t.Errorf("%s, ε = %g: δ = %g is above the cover's %g", name, eps, g.Delta, above)
			}
		}
		g, err := DeltaOf(c.e, c.rel, 0)
		if least := coverOf(g.Delta, 1-g.Delta); err != nil || mu > c.near*least {
			t.Errorf("%s: μ = %g, the total variation needs %g, %v", name, mu, least, err)
		}
	}
}

func TestCoverErrors(t *testing.T) {
	mix := GaussMix{K: 3, Gamma: 6, Neighbours: AddRemove}
	for name, c := range map[string]struct {
		e      Event
		rel    Neighbours
		delta0 float64
		want   error
	}{
		"no failure":     {mix, AddRemove, 0, ErrDelta},
		"certain":        {mix, AddRemove, 1, ErrDelta},
		"NaN":            {mix, AddRemove, math.NaN(), ErrDelta},
		"relation":       {mix, ReplaceOne, 1e-6, ErrNeighbours},
		"no noise":       {GaussMix{K: 3, Gamma: 1, Neighbours: AddRemove}, AddRemove, 1e-6, ErrNoRoute},
		"own failure":    {ApproxDP{0.1, 1e-3, AddRemove}, AddRemove, 1e-6, ErrNoRoute},
		"bad parameters": {GaussMix{Gamma: 6, Neighbours: AddRemove}, AddRemove, 1e-6, ErrParameter},
	} {
		if mu, err := GaussianCover(c.e, c.rel, c.delta0); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, %v, want %v", name, mu, err, c.want)
		}
	}
}
