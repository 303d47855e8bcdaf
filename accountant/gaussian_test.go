package accountant

import (
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/internal/golden"
	"github.com/dpkit-go/dpnb/internal/quad"
)

func gaussian(mu float64) Gaussian {
	return Gaussian{Sensitivity: mu, Sigma: 1, Neighbours: ReplaceOne}
}

func grid(mu, gridSigma float64, coordinates int) DiscreteGaussian {
	return DiscreteGaussian{Sensitivity: mu, Sigma: 1, Neighbours: ReplaceOne, GridSigma: gridSigma, Coordinates: coordinates}
}

func TestGaussianErrors(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	good := Gaussian{Sensitivity: 1, Sigma: 2, Neighbours: ReplaceOne}
	cases := []struct {
		name  string
		spoil func(*Gaussian)
		want  error
		says  string
	}{
		{"negative sensitivity", func(g *Gaussian) { g.Sensitivity = -1 }, ErrParameter, "sensitivity: got -1"},
		{"NaN sensitivity", func(g *Gaussian) { g.Sensitivity = nan }, ErrParameter, "sensitivity: got NaN"},
		{"infinite sensitivity", func(g *Gaussian) { g.Sensitivity = inf }, ErrParameter, "sensitivity: got +Inf"},
		{"negative sigma", func(g *Gaussian) { g.Sigma = -1 }, ErrParameter, "sigma: got -1"},
		{"NaN sigma", func(g *Gaussian) { g.Sigma = nan }, ErrParameter, "sigma: got NaN"},
		{"infinite sigma", func(g *Gaussian) { g.Sigma = inf }, ErrParameter, "sigma: got +Inf"},
		{"other relation", func(g *Gaussian) { g.Neighbours = AddRemove }, ErrNeighbours, "priced under add/remove, asked for replace-one"},
		{"no relation", func(g *Gaussian) { g.Neighbours = 0 }, ErrNeighbours, "Neighbours(0)"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			g := good
			c.spoil(&g)
			_, err1 := g.RDP(ReplaceOne)
			_, err2 := g.Profile(ReplaceOne)
			_, _, err3 := g.GDP(ReplaceOne)
			_, err4 := EpsilonOf(Repeat(Compose(g, good), 3), ReplaceOne, 1e-6)
			_, err5 := EpsilonOf(DiscreteGaussian{g.Sensitivity, g.Sigma, g.Neighbours, 10, 1}, ReplaceOne, 1e-6)
			for i, err := range []error{err1, err2, err3, err4, err5} {
				if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
					t.Errorf("way %d: got %v, want %v saying %q", i+1, err, c.want, c.says)
				}
			}
		})
	}
	for name, g := range map[string]DiscreteGaussian{
		"NaN grid":       grid(1, nan, 1),
		"negative grid":  grid(1, -1, 1),
		"no coordinates": grid(1, 10, 0),
	} {
		if _, err := g.RDP(ReplaceOne); !errors.Is(err, ErrParameter) {
			t.Errorf("%s: got %v, want ErrParameter", name, err)
		}
	}
}

func TestGaussianLimits(t *testing.T) {
	cases := []struct {
		name       string
		e          Event
		delta, eps float64
	}{
		{"no noise", Gaussian{Sensitivity: 1, Neighbours: ReplaceOne}, 1e-6, math.Inf(1)},
		{"nothing to protect", Gaussian{Sigma: 1, Neighbours: ReplaceOne}, 1e-6, 0},
		{"neither", Gaussian{Neighbours: ReplaceOne}, 0, 0},
		{"not pure", gaussian(1), 0, math.Inf(1)},
		{"grid too coarse", grid(1, 0.5, 2), 1e-6, 0}, // priced by its curve alone
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			g, err := EpsilonOf(c.e, ReplaceOne, c.delta)
			if err != nil {
				t.Fatal(err)
			}
			if c.name == "grid too coarse" {
				if !strings.HasPrefix(g.Route, "RDP") || math.IsInf(g.Epsilon, 1) {
					t.Errorf("got %v by %s, want a finite ε by RDP", g, g.Route)
				}
				return
			}
			if g.Epsilon != c.eps {
				t.Errorf("got %v by %s, want ε = %g", g, g.Route, c.eps)
			}
		})
	}
}

// TestRoundingDistance compares the bound with the distance itself, summed over the lattice.
func TestRoundingDistance(t *testing.T) {
	for s := 1.0; s <= 50; s += 0.25 {
		z := 1.0
		for k := 1; float64(k) < 40*s; k++ {
			z += 2 * math.Exp(-float64(k*k)/(2*s*s))
		}
		tail := func(x float64) float64 { return math.Erfc(x/(s*math.Sqrt2)) / 2 }
		tv := math.Abs(1/z-(1-2*tail(0.5))) / 2
		for k := 1; float64(k) < 40*s; k++ {
			x := float64(k)
			tv += math.Abs(math.Exp(-x*x/(2*s*s))/z - (tail(x-0.5) - tail(x+0.5)))
		}
		if bound := roundingDistance(s); !(tv <= bound) || tv < 0.6*bound {
			t.Errorf("s = %g: distance %.6g, bound %.6g, want 0.6 to 1 of it", s, tv, bound)
		}
	}
	for _, s := range []float64{0, 0.99, math.NaN()} {
		if roundingDistance(s) != 1 {
			t.Errorf("s = %g: got %g, want 1", s, roundingDistance(s))
		}
	}
}

// latticeReference is the exact profile of one coordinate shifted by k grid steps.
func latticeReference(epsilon, s float64, k int) float64 {
	z, sum := 0.0, 0.0
	for i := -int(40 * s); i <= int(40*s); i++ {
		x := float64(i)
		z += math.Exp(-x * x / (2 * s * s))
		y := x - float64(k)
		sum += max(0, math.Exp(-y*y/(2*s*s))-math.Exp(epsilon-x*x/(2*s*s)))
	}
	return sum / z
}

// TestDiscreteGaussianSound: no exact profile of the lattice is above the price, on either route.
func TestDiscreteGaussianSound(t *testing.T) {
	for _, s := range []float64{1, 1.7, 3, 10, 40} {
		for _, k := range []int{1, 2, 5, 17} {
			e := DiscreteGaussian{Sensitivity: float64(k), Sigma: s, GridSigma: s, Coordinates: 1, Neighbours: AddRemove}
			profile, err := e.Profile(AddRemove)
			if err != nil {
				t.Fatal(err)
			}
			last := 1.0
			for eps := 0.0; eps < 6; eps += 0.17 {
				exact := latticeReference(eps, s, k) * (1 - 1e-10) // its differences cancel
				if got := profile(eps); got < exact || got > last {
					t.Errorf("s = %g, shift %d, ε = %g: profile %g, lattice %g, at a smaller ε %g", s, k, eps, got, exact, last)
				} else {
					last = got
				}
				g, err := DeltaOf(e, AddRemove, eps)
				if err != nil || g.Delta < exact {
					t.Errorf("s = %g, shift %d: %v by %s, lattice δ = %g, %v", s, k, g, g.Route, exact, err)
				}
			}
		}
	}
}

// TestDiscreteGaussianIsGaussianDP: the pairs of the lattice have no test that is better than those of the Gaussian pair of GDP, of whatever
// level, for one coordinate and for two; and what is given for that is next to nothing.
func TestDiscreteGaussianIsGaussianDP(t *testing.T) {
	for _, s := range []float64{1, 1.3, 2, 5, 12, 40} {
		for _, k := range []int{1, 2, 3, 7, 30, 200} {
			e := DiscreteGaussian{Sensitivity: float64(k), Sigma: s, GridSigma: s, Coordinates: 1, Neighbours: AddRemove}
			mu, tv, err := e.GDP(AddRemove)
			if err != nil || tv != 0 || !(mu >= float64(k)/s) {
				t.Fatalf("s = %g, shift %d: μ = %g up to %g, %v", s, k, mu, tv, err)
			}
			// tails P(K ≥ m): the sums of terms of one sign
			reach := int(36*s) + k
			tail := make([]float64, 2*reach+2)
			for m := reach; m >= -reach; m-- {
				x := float64(m)
				tail[m+reach] = tail[m+reach+1] + math.Exp(-x*x/(2*s*s))
			}
			all := tail[0]
			at := func(m int) float64 { return tail[min(max(m+reach, 0), 2*reach+1)] / all }
			for m := -reach / 2; m <= reach; m++ {
				// Tests K ≥ m: level P(K ≥ m), power P(K + k ≥ m), the least ε at which both are compared being any.
				level, power := at(m), at(m-k)
				if level < 1e-280 {
					break
				}
				// Of the Gaussian pair, Φ(Φ⁻¹(level) + μ) is the power; where both are near 1 their complements are compared.
				z := quad.NormalQuantile(level)
				if most := quad.NormalCDF(z+mu) * (1 + 1e-9); level < 0.5 && power > most {
					t.Fatalf("s = %g, shift %d, K ≥ %d: level %g, power %g, that of the Gaussian pair is %g", s, k, m, level, power, most)
				}
				missed, least := at(-m+1+k), quad.NormalCDF(-z-mu)*(1-1e-9) // P(K + k < m) = P(K > k − m), by symmetry
				if level < 0.5 && missed < least {
					t.Fatalf("s = %g, shift %d, K ≥ %d: level %g, misses %g, the Gaussian pair %g", s, k, m, level, missed, least)
				}
			}
		}
	}
	two := DiscreteGaussian{Sensitivity: math.Sqrt(5), Sigma: 1.2, GridSigma: 1.2, Coordinates: 2, Neighbours: AddRemove}
	mu, _, err := two.GDP(AddRemove)
	if err != nil {
		t.Fatal(err)
	}
	for eps := 0.0; eps < 8; eps += 0.25 {
		sum, norm := 0.0, 0.0
		for x := -40; x <= 40; x++ {
			for y := -40; y <= 40; y++ {
				p, q := math.Exp(-float64(x*x+y*y)/2.88), math.Exp(-float64((x-1)*(x-1)+(y-2)*(y-2))/2.88)
				norm += p
				sum += max(0, p-math.Exp(eps)*q)
			}
		}
		if exact, bound := sum/norm*(1-1e-10), gaussianDelta(eps, mu); exact > bound {
			t.Errorf("two coordinates, ε = %g: δ = %g, that of the Gaussian pair %g", eps, exact, bound)
		}
	}
	for s, most := range map[float64]float64{1: 1.24, 10: 1.005, 1e3: 1 + 1e-6, 0x1p28: 1 + 0x1p-52, 0x1p56: 1 + 0x1p-52} {
		if r := latticeRatio(s); !(r > 1 && r <= most) {
			t.Errorf("s = %g: the ratio is %v, want at most %v", s, r, most)
		}
	}
}

// TestMechanismsGolden checks the Gaussian entries of mechanisms.json.
func TestMechanismsGolden(t *testing.T) {
	raw := golden.Committed(t, "mechanisms")
	type number = json.Number // the file has numbers and numeric strings, and encoding/json reads both
	var file struct {
		GaussianDelta []struct{ Eps, Mu, Delta number } `json:"gaussian_delta"`
		Calibrated    []struct {
			Eps, Delta, Mu number
			Sigma          number `json:"sigma_over_sens"`
		} `json:"gaussian_calibrated"`
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.GaussianDelta) < 4 || len(file.Calibrated) < 7 {
		t.Fatalf("got %d and %d entries, want at least 4 and 7", len(file.GaussianDelta), len(file.Calibrated))
	}
	value := func(n number) float64 {
		v, err := strconv.ParseFloat(string(n), 64)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	for _, e := range file.GaussianDelta {
		g, err := DeltaOf(gaussian(value(e.Mu)), ReplaceOne, value(e.Eps))
		if err != nil {
			t.Fatal(err)
		}
		requireAtLeast(t, "δ", g.Delta, value(e.Delta))
	}
	for _, e := range file.Calibrated {
		mu, err := CalibrateGaussian(Budget{value(e.Eps), value(e.Delta)})
		if err != nil {
			t.Fatal(err)
		}
		requireAtLeast(t, "1/μ", 1/mu, value(e.Sigma))
	}
}
