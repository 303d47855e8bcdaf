package accountant

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

func TestGaussMixErrors(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	good := GaussMix{K: 10, Gamma: 4, Neighbours: AddRemove}
	for _, c := range []struct {
		name  string
		spoil func(*GaussMix)
		want  error
	}{
		{"no rows", func(g *GaussMix) { g.K = 0 }, ErrParameter},
		{"gamma below 1", func(g *GaussMix) { g.Gamma = 0.5 }, ErrParameter},
		{"NaN gamma", func(g *GaussMix) { g.Gamma = nan }, ErrParameter},
		{"infinite gamma", func(g *GaussMix) { g.Gamma = inf }, ErrParameter},
		{"negative displacement", func(g *GaussMix) { g.Displacement = -1 }, ErrParameter},
		{"NaN displacement", func(g *GaussMix) { g.Displacement = nan }, ErrParameter},
		{"noise above gamma - 1", func(g *GaussMix) { g.Noise = 3.1 }, ErrParameter},
		{"NaN noise", func(g *GaussMix) { g.Noise = nan }, ErrParameter},
		{"no relation", func(g *GaussMix) { g.Neighbours = 0 }, ErrNeighbours},
		{"other relation", func(g *GaussMix) { g.Neighbours = ReplaceOne }, ErrNeighbours},
	} {
		g := good
		c.spoil(&g)
		if _, err := g.RDP(AddRemove); !errors.Is(err, c.want) {
			t.Errorf("%s: RDP: got %v, want %v", c.name, err, c.want)
		}
		if _, err := g.Profile(AddRemove); !errors.Is(err, c.want) {
			t.Errorf("%s: Profile: got %v, want %v", c.name, err, c.want)
		}
	}
	shifted := good
	shifted.Displacement = 0.1
	if _, err := shifted.Profile(AddRemove); !errors.Is(err, ErrNoRoute) {
		t.Errorf("displaced: got %v, want ErrNoRoute", err)
	}
	if g, err := EpsilonOf(shifted, AddRemove, 1e-6); err != nil || math.IsInf(g.Epsilon, 1) {
		t.Errorf("displaced: got %v, %v, want a finite ε by RDP", g, err)
	}
	free := GaussMix{K: 10, Gamma: 1, Neighbours: AddRemove}
	if g, err := EpsilonOf(free, AddRemove, 1e-6); err != nil || !math.IsInf(g.Epsilon, 1) {
		t.Errorf("no noise: got %v, %v, want ε = +Inf", g, err)
	}
	for _, b := range []Budget{{0, 1e-5}, {1, 0}, {nan, 1e-5}, {1, 1}} {
		if _, err := CalibrateGaussMix(b, 10, AddRemove); err == nil {
			t.Errorf("budget %v: got no error", b)
		}
	}
	if _, err := CalibrateGaussMix(Budget{1, 1e-5}, 0, AddRemove); !errors.Is(err, ErrParameter) {
		t.Errorf("no rows: got %v", err)
	}
	if _, err := CalibrateGaussMix(Budget{1, 1e-5}, 10, 0); !errors.Is(err, ErrNeighbours) {
		t.Errorf("no relation: got %v", err)
	}
}

// TestGaussMixLaws: prices rise with k, fall with γ and ε; replace-one costs more; curves rise, (α−1) D_α is convex, and
// no curve is below the profile.
func TestGaussMixLaws(t *testing.T) {
	for _, rel := range []Neighbours{AddRemove, ReplaceOne} {
		for _, k := range []int{1, 7, 120} {
			for _, gamma := range []float64{1.3, 6, 80} {
				g := GaussMix{K: k, Gamma: gamma, Neighbours: rel}
				more, quiet := g, g
				more.K++
				quiet.Gamma *= 1.01
				profile, curve := must[Profile](t)(g.Profile(rel)), curveOf(t, g, rel)
				last := 1.0
				for _, eps := range []float64{0, 0.05, 0.5, 2, 9} {
					delta := profile(eps)
					if delta < 1e-290 {
						break // digits are lost in what is mixed
					}
					if delta > last || profileAt(t, more, rel, eps) < delta*(1-1e-11) || profileAt(t, quiet, rel, eps) > delta*(1+1e-11) {
						t.Errorf("%v, ε = %g: δ = %g is not monotone", g, eps, delta)
					}
					last = delta
					if byRDP, _, err := curve.Delta(eps); err != nil || byRDP < delta*(1-1e-11) {
						t.Errorf("%v, ε = %g: δ = %g by RDP, exactly %g, %v", g, eps, byRDP, delta, err)
					}
					if rel == ReplaceOne {
						one := g
						one.Neighbours = AddRemove
						if profileAt(t, one, AddRemove, eps) > delta*(1+1e-11) {
							t.Errorf("%v, ε = %g: add/remove costs more", g, eps)
						}
					}
				}
				requireConvex(t, g.String(), curve, min(gamma, 1/(1/(gamma-1))+1)*0.999)
			}
		}
	}
}

// requireConvex checks that a curve rises and that (α−1) D_α is convex, up to an order.
func requireConvex(t *testing.T, name string, c Curve, last float64) {
	t.Helper()
	const n = 40
	at := func(i int) (x, y float64) {
		x = (last - 1) * float64(i) / n
		return x, x * c(1+x)
	}
	for i := 2; i < n; i++ {
		x0, y0 := at(i - 1)
		x1, y1 := at(i)
		x2, y2 := at(i + 1)
		if math.IsInf(y2, 1) {
			break
		}
		if y0/x0 > y1/x1*(1+1e-9) || y1 > (y0+y2)/2*(1+1e-9)+1e-15 || !(x0 < x1 && x1 < x2) {
			t.Errorf("%s: order %g: not monotone or not convex: %g, %g, %g", name, 1+x1, y0, y1, y2)
			return
		}
	}
}

// TestGaussMixForwardDominates: for ε ≥ 0 the direction from the larger dataset costs more.
func TestGaussMixForwardDominates(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	for range 300 {
		k, s, eps := 1+rng.IntN(300), math.Exp(8*rng.Float64()-2), math.Exp(8*rng.Float64()-6)
		if f, b := mixForwardDelta(eps, k, s), mixBackwardDelta(eps, k, s); b > f*(1+1e-9) {
			t.Errorf("k = %d, s = %g, ε = %g: forward %g, backward %g", k, s, eps, f, b)
		}
	}
}

func TestCalibrateGaussMix(t *testing.T) {
	for _, rel := range []Neighbours{AddRemove, ReplaceOne} {
		for _, b := range []Budget{{1e-3, 1e-9}, {0.3, 1e-15}, {1, 1e-5}, {4, 1e-100}, {30, 1e-6}, {0.1, 0.3}} {
			for _, k := range []int{1, 40, 5000} {
				gamma, err := CalibrateGaussMix(b, k, rel)
				if err != nil {
					t.Errorf("%+v, k = %d, %v: %v", b, k, rel, err)
					continue
				}
				g := GaussMix{K: k, Gamma: gamma, Neighbours: rel}
				less := g
				less.Gamma = 1 + (gamma-1)*(1-1e-7)
				if delta := profileAt(t, g, rel, b.Epsilon); !(delta <= b.Delta) {
					t.Errorf("%+v, %v: δ = %g", b, g, delta)
				}
				if delta := profileAt(t, less, rel, b.Epsilon); less.Gamma > 1+1e-9 && !(delta > b.Delta) {
					t.Errorf("%+v, %v: 1e-7 less noise would do", b, g)
				}
			}
		}
	}
}

// TestGaussMixRepeated: n releases of k rows are one of n·k, by the profile and by the curve.
func TestGaussMixRepeated(t *testing.T) {
	for _, rel := range []Neighbours{AddRemove, ReplaceOne} {
		few, many := GaussMix{K: 4, Gamma: 20, Neighbours: rel}, GaussMix{K: 12, Gamma: 20, Neighbours: rel}
		three := must[Profile](t)(few.repeated(rel, 3))
		for _, eps := range []float64{0, 0.5, 2} {
			if got, want := three(eps), profileAt(t, many, rel, eps); got != want {
				t.Errorf("%v, ε = %g: got %g, want %g", rel, eps, got, want)
			}
		}
		if a, b := curveOf(t, Repeat(few, 3), rel)(3), curveOf(t, many, rel)(3); !relClose(a, b) {
			t.Errorf("%v: curves %g and %g", rel, a, b)
		}
		for _, n := range []int{0, math.MaxInt32} {
			if _, err := few.repeated(rel, n); !errors.Is(err, ErrNoRoute) {
				t.Errorf("%d releases: got %v, want ErrNoRoute", n, err)
			}
		}
	}
}

// TestGaussMixShiftRoutes: no displacement is the plain price, the price rises with it, and a floor that is not told to
// be noise costs more.
func TestGaussMixShiftRoutes(t *testing.T) {
	for _, rel := range []Neighbours{AddRemove, ReplaceOne} {
		g := GaussMix{K: 20, Gamma: 30, Neighbours: rel}
		last := 0.0
		for _, d := range []float64{0, 1e-12, 1e-4, 0.01, 0.3, 2} {
			g.Displacement, g.Noise = d, 29
			v := curveOf(t, g, rel)(3)
			if !(v >= last) {
				t.Errorf("%v: %g after %g", g, v, last)
			}
			if d == 1e-12 && v > last*(1+1e-9) {
				t.Errorf("%v: %g for no displacement, %g for a tiny one", rel, last, v)
			}
			last = v
			g.Noise = 0
			if curveOf(t, g, rel)(3) < v {
				t.Errorf("%v: unknown noise costs less", g)
			}
		}
	}
}

func BenchmarkCalibrateGaussMix(b *testing.B) {
	for _, rel := range []Neighbours{AddRemove, ReplaceOne} {
		b.Run(rel.String(), func(b *testing.B) {
			for b.Loop() {
				if _, err := CalibrateGaussMix(Budget{1, 1e-5}, 100, rel); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
