package pld

import (
	"math"
	"testing"

	"github.com/dpkit-go/dpnb/internal/single"
)

// profile is δ at the nodes by the masses of a discretised law, from the right.
func (d lattice) profile() []float64 {
	f := make([]float64, len(d.node))
	sum, drop := 0.0, 0.0
	for i := len(f) - 1; i >= 0; i-- {
		f[i] = drop
		sum += d.p[i]
		if i > 0 {
			width := d.width * float64(d.node[i]-d.node[i-1])
			drop = sum*-math.Expm1(-width) + math.Exp(-width)*drop
		}
	}
	return f
}

// TestDiscretise compares the profiles of both discretisations with the law's: never below or above it, but
// for rounding that lawError covers, and close to it on a fine mesh.
func TestDiscretise(t *testing.T) {
	worst := 0.0
	for _, c := range laws(t) {
		t.Run(c.name, func(t *testing.T) {
			single.Goroutine(t)
			lo, hi := c.law.Range(1e-3)
			for _, cells := range []float64{3, 40, 1000} {
				tail := 1e-20
				if cells == 1000 {
					tail = 1e-6
				}
				for twin, growth := range []float64{0, 0, 1. / 16, 1. / 16} {
					twin %= 2
					m := mesh{width: (hi - lo) / cells, offset: 1e-3 * (hi - lo), center: (lo + hi) / 2, growth: growth}
					up, low := pessimistic(c.law, m, tail), optimistic(c.law, m, tail)
					if twin == 1 {
						low = tangents(c.law, m, tail)
					}
					for i, f := range up.profile() {
						u := c.law.Tails(up.at(up.node[i]))
						err := (u.PAbove - u.QAbove + c.law.Infinite() - f - up.infinite) / (u.PAbove + c.law.Infinite() + 1e-20)
						worst = max(worst, err)
						if err > lawError/2 {
							t.Fatalf("%g cells: pessimistic profile at %g is %g·P(L > l) low", cells, up.at(up.node[i]), err)
						}
					}
					total := 0.0
					f := low.profile()
					for i := range f {
						if !(low.p[i] >= 0) {
							t.Fatalf("%g cells: mass %g at node %d", cells, low.p[i], i)
						}
						total += low.p[i]
						// Linear in e^ε between the nodes: check the middle, too.
						at, value := low.at(low.node[i]), f[i]
						for half := range 2 {
							if half == 1 {
								if i == len(f)-1 {
									break
								}
								gap := low.gap(i)
								w := math.Expm1(gap/2) / math.Expm1(gap)
								at, value = at+gap/2, f[i]*(1-w)+f[i+1]*w
							}
							u := c.law.Tails(at)
							err := (value - low.slack - (u.PAbove - u.QAbove)) / (u.PAbove + 1e-300)
							if u.PAbove > 1e-300 && err > lawError {
								t.Fatalf("%g cells, growth %g: optimistic profile at %g is %g·P(L > l) high", cells, growth, at, err)
							}
						}
					}
					if total > 1-c.law.Infinite()+low.slack+1e-12 {
						t.Errorf("%g cells: optimistic mass %g", cells, total)
					}
					if cells == 1000 && growth == 0 {
						mid := m.center
						u := c.law.Tails(mid)
						want := u.PAbove - u.QAbove
						l := line{mesh: up.mesh, first: up.node[0], drop: up.profile(), outside: outside{reach: -1}}
						if got := l.deltaAt(mid); !(math.Abs(got-want) < 2e-3*want+up.infinite+1e-12) {
							t.Errorf("pessimistic δ(%g) = %g, want about %g", mid, got, want)
						}
					}
				}
			}
		})
	}
	t.Logf("worst pessimistic rounding error %.2g of P(L > l), allowed %.2g", worst, lawError/2)
}
