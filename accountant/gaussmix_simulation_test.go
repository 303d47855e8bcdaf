package accountant

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpkit-go/dpnb/internal/single"
)

// TestGaussMixSimulation: likelihood ratios of sketches of the worst pair with C = 3. The tolerances are 7 standard
// deviations of the mean of variables in [0, 1], plus 10/n for the tail: false alarm below 1e-10.
func TestGaussMixSimulation(t *testing.T) {
	single.Goroutine(t)
	const n, k, C, noise = 200000, 5, 3.0, 27.0
	rng := rand.New(rand.NewPCG(45, 46))
	for _, rel := range []Neighbours{AddRemove, ReplaceOne} {
		// X has one row, C e1; X' none, or C e2.
		va, vb := [2]float64{C*C + noise, noise}, [2]float64{noise, noise}
		if rel == ReplaceOne {
			vb[1] += C * C
		}
		g := GaussMix{K: k, Gamma: 1 + noise/(C*C), Neighbours: rel}
		profile, curve := must[Profile](t)(g.Profile(rel)), curveOf(t, g, rel)
		for name, v := range map[string][2][2]float64{"forward": {va, vb}, "backward": {vb, va}} {
			epsilons := []float64{0, 0.2, 0.6, 1.5}
			sums, squares := make([]float64, len(epsilons)), make([]float64, len(epsilons))
			moment, moment2 := 0.0, 0.0
			const alpha = 1.5
			for range n {
				loss := 0.0
				for range k {
					for j := range 2 {
						z := rng.NormFloat64() * math.Sqrt(v[0][j])
						loss += math.Log(v[1][j]/v[0][j])/2 + z*z/2*(1/v[1][j]-1/v[0][j])
					}
				}
				for i, eps := range epsilons {
					w := max(0, -math.Expm1(eps-loss))
					sums[i] += w
					squares[i] += w * w
				}
				m := math.Exp((alpha - 1) * loss)
				moment += m
				moment2 += m * m
			}
			for i, eps := range epsilons {
				mean := sums[i] / n
				tol := 7*math.Sqrt(max(0, squares[i]/n-mean*mean)/n) + 10.0/n
				exact := profile(eps)
				if mean > exact+tol {
					t.Errorf("%v, %s, ε = %g: simulated δ = %g ± %g, profile %g", g, name, eps, mean, tol, exact)
				}
				if (rel == ReplaceOne || name == "forward") && mean < exact-tol {
					t.Errorf("%v, %s, ε = %g: simulated δ = %g ± %g, profile %g is not exact", g, name, eps, mean, tol, exact)
				}
			}
			mean := moment / n
			tol := 7 * math.Sqrt((moment2/n-mean*mean)/n)
			if got := math.Log(mean-tol) / (alpha - 1); got > curve(alpha) {
				t.Errorf("%v, %s: simulated divergence above %g, curve %g", g, name, got, curve(alpha))
			}
		}
	}
}
