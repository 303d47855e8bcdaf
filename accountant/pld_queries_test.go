package accountant

import (
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"testing"
)

// queriesVar is the number of random queries of [TestPLDQueries].
const queriesVar = "DPNB_PLD_QUERIES"

// TestPLDQueries asks random queries over the whole range of rates, noises, counts and δ in pairs: ε does not rise with δ or
// σ, nor fall with T; it is never above what the Rényi curve gives; and its bounds are in order.
func TestPLDQueries(t *testing.T) {
	t.Parallel()
	n := 80
	if s := os.Getenv(queriesVar); s != "" {
		var err error
		if n, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	type query struct {
		q, sigma, delta float64
		steps           int
		rel             Neighbours
	}
	ask := func(x query) (upper, lower float64) {
		e := Repeat(SubsampledGaussian{C: 1, Sigma: x.sigma, Sampling: PoissonSampling(x.q), Neighbours: x.rel}, x.steps)
		upper, lower, err := EpsilonPLD(e, x.rel, x.delta)
		if err != nil {
			t.Fatalf("%+v: %v", x, err)
		}
		renyi, err := EpsilonOf(e, x.rel, x.delta)
		if err != nil {
			t.Fatalf("%+v: %v", x, err)
		}
		if !(lower >= 0 && lower <= upper && upper <= renyi.Epsilon) {
			t.Errorf("%+v: ε in [%g, %g], by the Rényi curve %g", x, lower, upper, renyi.Epsilon)
		}
		return upper, lower
	}
	r := rand.New(rand.NewPCG(16, 12))
	between := func(lo, hi float64) float64 { return math.Exp(math.Log(lo) + r.Float64()*math.Log(hi/lo)) }
	widest := 0.0
	for i := range n / 2 {
		x := query{q: between(1e-9, 1), sigma: between(0.25, 10), delta: between(1e-15, 1e-3), steps: int(between(1, 1e5)), rel: AddRemove}
		if r.IntN(4) == 0 {
			x.rel = ReplaceOne
		}
		y := x // of no larger ε
		factor := between(1.01, 3)
		switch i % 3 {
		case 0:
			y.delta *= factor
		case 1:
			y.steps = max(1, int(float64(x.steps)/factor))
		case 2:
			y.sigma *= factor
		}
		upper, lower := ask(x)
		less, _ := ask(y)
		if !(less <= upper) {
			t.Errorf("%+v costs %.17g, and %+v %.17g", x, upper, y, less)
		}
		if upper > 1e-3 && x.delta >= 1e-12 {
			widest = max(widest, (upper-lower)/upper)
			if !(upper-lower <= 1e-2*upper) {
				t.Errorf("%+v: ε in [%g, %g], wider than 1 %%", x, lower, upper)
			}
		}
	}
	t.Logf("%d queries, the widest interval %.2g", n, widest)
}
