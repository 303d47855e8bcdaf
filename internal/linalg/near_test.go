package linalg

import (
	"math"
	"testing"

	"github.com/dpkit-go/dpnb/internal/single"
)

// TestNearBoxes: against plain distances, for all numbers of coordinates of a run and behind it, at integers, with distances that attain
// the bound, boxes that hold the point, and places that are empty.
func TestNearBoxes(t *testing.T) {
	everyISA(t, func(t *testing.T, s isa) {
		single.Goroutine(t)
		rng := shapeRNG(7)
		hits := 0
		for round := range 4000 {
			d := 1 + round%37
			scale := []float64{1, 0x1p20, 0x1p24}[rng.IntN(3)]
			number := func() float64 { return scale * float64(rng.IntN(9)-4) }
			p, lo, hi := make([]float64, d), make([]float64, 16*d), make([]float64, 16*d)
			for j := range p {
				p[j] = number()
			}
			for i := range lo {
				a, b := number(), number()
				if rng.IntN(3) > 0 {
					b = a
				}
				lo[i], hi[i] = min(a, b), max(a, b)
			}
			empty := rng.IntN(17)
			for i := empty; i < 16; i++ {
				for j := range d {
					lo[16*j+i], hi[16*j+i] = math.Inf(1), math.Inf(-1)
				}
			}
			var want [16]float64
			for i := range want {
				for j, x := range p {
					if i >= empty {
						want[i] = math.Inf(1)
					} else if gap := max(lo[16*j+i]-x, x-hi[16*j+i], 0); gap > 0 {
						want[i] += gap * gap
					}
				}
			}
			stop := []float64{0, want[0], scale * scale * float64(rng.IntN(40*d)), 0x1p52}[rng.IntN(4)]
			var dist [16]float64
			p, lo, hi = guarded(p), guarded(lo), guarded(hi)
			near := NearBoxes(p, lo, hi, stop, &dist)
			for i, w := range want {
				if got := near>>i&1 == 1; got != (w <= stop) || near != 0 && dist[i] != w {
					t.Fatalf("%d coordinates: box %d at %g of %g: got %v, %g", d, i, w, stop, got, dist[i])
				}
				if w <= stop {
					hits++
				}
			}
		}
		if hits < 1000 {
			t.Errorf("%d hits: the test has lost its teeth", hits)
		}
	})
}
