package tables

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestIntervalsOfFoundGroups: given that a group is shown, intervals of its people, sum and mean hold the true ones at least as often as
// their level says, from groups that are hardly ever shown to those that always are; the usual intervals do not.
func TestIntervalsOfFoundGroups(t *testing.T) {
	const level, sigma, threshold, draws = 0.95, 10, 40, 3000
	m := TableMeasure{Column: "x", Lo: 0, Hi: 20}
	rng := rand.New(rand.NewPCG(5, 28))
	usualFails := false
	for _, people := range []float64{1, 15, 30, 40, 50, 75, 100, 200} {
		mean := 0.3 // of u
		held, usual, shown := [3]int{}, 0, 0
		for range draws {
			// Given that it is shown: of a group that hardly ever is, by the tail of the noise.
			x := people + sigma*rng.NormFloat64()
			for least := (threshold - people) / sigma; x <= threshold; {
				if least > 2 { // Rayleigh's tail, accepted by least/v
					if v := math.Sqrt(least*least - 2*math.Log1p(-rng.Float64())); rng.Float64()*v <= least {
						x = people + sigma*v
					}
					continue
				}
				x = people + sigma*rng.NormFloat64()
			}
			a := mean*people + sigma*rng.NormFloat64()
			tab := Table{
				By: []string{"g"}, Groups: [][]string{{"a"}}, Rows: 1000, Counts: []float64{x}, CountSigma: sigma, Threshold: threshold,
				Of:       []TableStatistic{{Of: Count}, {Of: Sum, Column: "x"}, {Of: Mean, Column: "x"}},
				Measures: []TableMeasure{m}, Sums: [][]float64{{a}}, SumSigma: []float64{sigma},
			}
			shown++
			for i, want := range []float64{people, people*m.mid() + mean*people*m.half(), m.mid() + mean*m.half()} {
				cells, err := tab.Column(tab.Of[i].String(), level)
				if err != nil {
					t.Fatal(err)
				}
				c := cells[0]
				if !(c.Low <= c.Value && c.Value <= c.High) && i == 0 {
					t.Fatalf("%g people: %v is not in its interval", people, c)
				}
				if c.Low <= want*(1+1e-12) && want <= c.High*(1+1e-12) {
					held[i]++
				}
			}
			if math.Abs(x-people) <= 1.959964*sigma {
				usual++
			}
		}
		least := level*draws - 6.2*math.Sqrt(draws*level*(1-level))
		for i, n := range held {
			if float64(n) < least {
				t.Errorf("%g people, number %d: held in %d of %d", people, i, n, shown)
			}
		}
		usualFails = usualFails || float64(usual) < least
	}
	if !usualFails {
		t.Error("the usual intervals hold as well: nothing was tried")
	}
}
