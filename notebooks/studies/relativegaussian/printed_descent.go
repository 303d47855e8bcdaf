package relativegaussian

import (
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/dpkit-go/dpnb/viz"
)

// Theorem 2 is tried on f = ‖θ‖²/2, for which μ = L = 1, at γ = 1 and σ = 0.
const twoDims, twoGamma = 10, 1.0

// factor is by what a step of τ multiplies E‖θ‖² there: (1−τ)² + τ²γd.
func factor(tau float64, d int) float64 { return (1-tau)*(1-tau) + tau*tau*twoGamma*float64(d) }

// StepFigure is E‖θ‖² of simulated descent with the step of Theorem 2, 1/(L+γ), what that theorem claims, and the same with
// the corrected step 1/((1+dγ)L).
func StepFigure() viz.View {
	const steps, runs = 8, 10_000
	x := make([]float64, steps+1)
	for t := range x {
		x[t] = float64(t)
	}
	var series []viz.Series
	for i, c := range []struct {
		name       string
		tau, bound float64
	}{{"printed step", 1 / (1 + twoGamma), 1 - 1/(1+twoGamma)}, {"corrected step", 1 / (1 + twoDims*twoGamma), 1 - 1/(1+twoDims*twoGamma)}} {
		run := viz.Series{Name: fmt.Sprintf("%s τ = %.2g, simulated", c.name, c.tau), X: x, Style: viz.PointStyle, Y: make([]float64, steps+1)}
		claim := viz.Series{Name: fmt.Sprintf("%s, bound %.3g^t", c.name, c.bound), X: x, Style: viz.StepStyle}
		exact := viz.Series{Name: fmt.Sprintf("exact %.3g^t", factor(c.tau, twoDims)), X: x, Style: viz.ReferenceStyle}
		for t := range x {
			claim.Y, exact.Y = append(claim.Y, math.Pow(c.bound, float64(t))), append(exact.Y, math.Pow(factor(c.tau, twoDims), float64(t)))
		}
		rng := rand.New(rand.NewPCG(2, uint64(i)))
		for range runs {
			var theta [twoDims]float64
			theta[0] = 1
			for t := range x {
				var square float64
				for _, v := range theta {
					square += v * v
				}
				run.Y[t] += square / runs
				for j, v := range theta {
					theta[j] = v - c.tau*(v+math.Sqrt(twoGamma*square)*rng.NormFloat64())
				}
			}
		}
		series = append(series, run, claim)
		if i == 0 { // for the corrected step it is the bound
			series = append(series, exact)
		}
	}
	return viz.Lines(viz.LineChart{
		Title: fmt.Sprintf("Theorem 2 at d = %d, γ = %g, L = μ = 1, σ = 0", twoDims, twoGamma),
		X:     viz.Axis{Name: "step"}, Y: viz.Axis{Name: "mean of ‖θ‖²", Log: true}, Series: series,
	})
}
