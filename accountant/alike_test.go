package accountant

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestSharedNodesAreThePairs: nodes that displacements share give what quadrature of each pair alone gives.
func TestSharedNodesAreThePairs(t *testing.T) {
	rng := rand.New(rand.NewPCG(61, 62))
	worst, most, priced, missed := map[string]float64{}, map[string]float64{}, 0, 0
	for range 3000 {
		q, shift, alpha := stepParameters(rng)
		if rng.IntN(4) == 0 {
			alpha = 1 + math.Exp(-8*rng.Float64())
		}
		v := math.Exp(6*rng.Float64()-5) * shift
		if alpha*(2*shift+v) > tableReach {
			continue
		}
		for name, p := range map[string]alike{
			"add": addAlike{newCoin(q), shift, false}, "remove": addAlike{newCoin(q), shift, true}, "replace": replaceAlike{newCoin(q), shift},
		} {
			nodes := p.nodes(alpha, v)
			for _, x := range []float64{0, 0.1 * v, v} {
				got, want := nodes(x), lineMoment(p.at(x), alpha)
				if priced++; math.IsInf(got, 1) {
					missed++
					continue
				}
				diff := got/want - 1
				worst[name], most[name] = min(worst[name], diff), max(most[name], diff)
				if !(math.Abs(diff) <= 2e-11) {
					t.Errorf("%s: q = %g, shift %g, v = %g, order %g: %.15g, want %.15g, %g", name, q, shift, x, alpha, got, want, diff)
				}
			}
		}
	}
	if missed > priced/20 {
		t.Errorf("%d of %d pairs had too few nodes, want few", missed, priced)
	}
	t.Logf("relative differences %v to %v, %d of %d left to quadrature alone", worst, most, missed, priced)
}
