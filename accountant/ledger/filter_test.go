package ledger

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
)

func testFilter(t *testing.T, b accountant.Budget) (*filter, float64) {
	t.Helper()
	c := Config{Budget: b}
	mu, err := calibrate(c)
	if err != nil {
		t.Fatal(err)
	}
	return newFilter(c, mu), mu
}

func TestFilterTakesTheWholeBudgetAndNoMore(t *testing.T) {
	for name, split := range map[string]int{"one release": 1, "four": 4, "256": 256} {
		t.Run(name, func(t *testing.T) {
			f, mu := testFilter(t, accountant.Budget{Epsilon: 1, Delta: 1e-6})
			if got := f.left(); got != 1 {
				t.Errorf("left of a fresh budget: %v, want 1", got)
			}
			c := cost{mu: mu / math.Sqrt(float64(split))} // exact for powers of four
			for range split {
				if why := f.refusal(c); why != "" {
					t.Fatal(why)
				}
				f.add(c, "", "")
			}
			if f.refusal(cost{mu: 1e-12}) == "" {
				t.Error("a full budget took more")
			}
			if got := f.spent(); got > 1 || got < 1-1e-9 {
				t.Errorf("spent %v, want 1", got)
			}
			if got := f.left(); got != 0 {
				t.Errorf("left %v, want 0", got)
			}
		})
	}
}

func TestFilterPassesMuStarByNoUlp(t *testing.T) {
	f, mu := testFilter(t, accountant.Budget{Epsilon: 1, Delta: 1e-6})
	if f.refusal(cost{mu: math.Nextafter(mu, 2)}) == "" {
		t.Error("took one ulp more than μ*")
	}
}

// TestCalibratedReleaseFits: noise on a grid, of a σ that is rounded up to whole steps and calibrated to the whole budget, fits it, as one release and as a
// hundred; and what the budget takes at most is within it.
func TestCalibratedReleaseFits(t *testing.T) {
	for _, epsilon := range []float64{0.01, 1, 40, 1000, 10_000} {
		for _, delta := range []float64{1e-200, 1e-30, 1e-6, 0.1, 0.9} {
			b := accountant.Budget{Epsilon: epsilon, Delta: delta}
			mu, err := accountant.CalibrateShared(b)
			must(t, err)
			for _, n := range []float64{1, 100} {
				f, star := testFilter(t, b)
				if d := deltaUp(star, epsilon); !(d <= delta) {
					t.Errorf("%v: μ* has δ = %g", b, d)
				}
				steps := math.Ceil(math.Sqrt(n) / mu * 0x1p40)
				e := accountant.DiscreteGaussian{Sensitivity: 1, Sigma: steps * 0x1p-40, Neighbours: accountant.ReplaceOne, GridSigma: steps, Coordinates: 5}
				for range int(n) {
					m, tv, err := accountant.GDPOf(e, accountant.ReplaceOne)
					must(t, err)
					if why := f.refusal(cost{mu: m, tv: tv}); why != "" {
						t.Errorf("%v, %g releases: %s", b, n, why)
						break
					}
					f.add(cost{mu: m, tv: tv}, "", "")
				}
			}
		}
	}
}

func TestFilterSamplerReserve(t *testing.T) {
	f, mu := testFilter(t, accountant.Budget{Epsilon: 1, Delta: 1e-6})
	limit := accountant.SamplerShare * (1 - gridDelta) * 1e-6 / (1 + math.E)
	if why := f.refusal(cost{mu: mu / 2, tv: limit * (1 - 1e-9)}); why != "" {
		t.Error(why)
	}
	if f.refusal(cost{mu: mu / 2, tv: limit * (1 + 1e-9)}) == "" {
		t.Error("took more total variation than the reserve")
	}
	for range 3 {
		f.add(cost{mu: mu / 4, tv: limit * (1 - 1e-9) / 3}, "", "")
	}
	if f.refusal(cost{mu: mu / 4, tv: limit / 100}) == "" {
		t.Error("total variation does not add up")
	}
	if why := f.refusal(cost{mu: mu / 4}); why != "" {
		t.Errorf("an exact sampler needs no reserve: %s", why)
	}
}

// For random histories: spent is a sound reading, left fits when it is asked for, both are monotone.
func TestFilterReadingsAreSound(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 40 {
		b := accountant.Budget{Epsilon: math.Exp(6*rng.Float64() - 3), Delta: math.Pow(10, -1-11*rng.Float64())}
		f, mu := testFilter(t, b)
		spent, left := f.spent(), f.left()
		for range 6 {
			c := cost{mu: mu * rng.Float64() * 0.7}
			if f.refusal(c) != "" {
				continue
			}
			f.add(c, "", "")
			s, l := f.spent(), f.left()
			if s < spent || s > b.Epsilon || l > left || !(l >= 0) {
				t.Fatalf("%+v: spent %v then %v, left %v then %v", b, spent, s, left, l)
			}
			spent, left = s, l
			if l == 0 {
				continue
			}
			next, err := calibrate(Config{Budget: accountant.Budget{Epsilon: l, Delta: b.Delta}})
			if err != nil {
				t.Fatal(err)
			}
			if why := f.refusal(cost{mu: next}); why != "" {
				t.Fatalf("%+v: a release of all that is left is refused: %s", b, why)
			}
			profile, err := accountant.Gaussian{Sensitivity: sum(f), Sigma: 1, Neighbours: accountant.ReplaceOne}.Profile(accountant.ReplaceOne)
			if err != nil {
				t.Fatal(err)
			}
			if s > 1e-6 && profile(s*(1-1e-6)) < f.deltaMu*(1-1e-3) {
				t.Fatalf("%+v: spent %v is far above the truth", b, s)
			}
		}
	}
}

func sum(f *filter) float64 {
	v, _ := f.sum.Float64()
	return math.Sqrt(v)
}

func TestRoundedPrintsOnTheSafeSide(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for range 10000 {
		x := math.Exp(40*rng.Float64() - 20)
		for _, c := range []struct {
			s  string
			up bool
		}{{roundedUp(x), true}, {roundedDown(x), false}} {
			v := parseFloat(t, c.s)
			if (c.up && v < x) || (!c.up && v > x) || math.Abs(v/x-1) > 1.1e-3 || len(c.s) > 10 {
				t.Fatalf("%v printed as %s (up: %v)", x, c.s, c.up)
			}
		}
	}
}

func parseFloat(t *testing.T, s string) float64 {
	t.Helper()
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}
