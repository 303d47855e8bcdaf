package accountant

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// TestThresholds: the least statistic beside a violation passes with probability at most δ₀, and hardly less; a pair passes
// with probabilities that the noise's own price covers.
func TestThresholds(t *testing.T) {
	for _, beta := range []float64{0, -3, 1e6} {
		for _, sens := range []float64{1e-3, 1, 7} {
			for _, delta := range []float64{0.5, 0.1, 1e-8, 1e-300} {
				for _, eps := range []float64{0.05, 1, 8} {
					threshold := must[float64](t)(TestThresholdLaplace(beta, sens, eps, delta))
					// Beside T ≥ β at one end, T < β + Δ: all in exact differences up to the rounding of β + …
					slack := 1e-15 * (math.Abs(beta) + threshold - beta)
					tail := math.Exp(-(threshold-beta-sens)/(sens/eps)) / 2
					if !(tail <= delta*(1+slack*eps/sens+1e-12)) || tail < delta*(1-slack*eps/sens-1e-9) {
						t.Errorf("β %g, Δ %g, ε₀ %g, δ₀ %g: passes with %g", beta, sens, eps, delta, tail)
					}
				}
				sigma := 3 * sens
				threshold := must[float64](t)(TestThresholdGaussian(beta, sens, sigma, delta))
				if math.IsInf(threshold, 1) {
					t.Fatalf("δ₀ %g: no threshold", delta)
				}
				z := (threshold - beta - sens) / sigma
				slack := 1e-15 * (math.Abs(beta) + threshold) / sigma
				tail := quad.LogNormalCDF(-z + slack)
				if logDelta := quad.Log(delta); beta == 0 && (quad.LogNormalCDF(-z) > logDelta || tail < logDelta-1e-9*(1-logDelta)) {
					t.Errorf("β %g, Δ %g, σ %g, δ₀ %g: passes with ln p = %.15g, want %.15g", beta, sens, sigma, delta, quad.LogNormalCDF(-z), logDelta)
				}
			}
		}
	}
}

// TestThresholdsAsRelease: the worst pair, of statistics Δ apart around the threshold's guard, where what follows
// tells the datasets apart whenever it runs beside a violation, is within the price.
func TestThresholdsAsRelease(t *testing.T) {
	const sens, eps0, delta0 = 1.0, 0.4, 1e-4
	for name, c := range map[string]struct {
		threshold float64
		pass      func(z float64) float64 // P(noise ≥ z)
		event     Event
	}{
		"Laplace": {
			must[float64](t)(TestThresholdLaplace(0, sens, eps0, delta0)),
			func(z float64) float64 {
				if b := sens / eps0; z > 0 {
					return math.Exp(-z/b) / 2
				} else {
					return 1 - math.Exp(z/b)/2
				}
			},
			Laplace{Sensitivity: sens, Scale: sens / eps0, Neighbours: ReplaceOne},
		},
		"Gaussian": {
			must[float64](t)(TestThresholdGaussian(0, sens, 2, delta0)),
			func(z float64) float64 { return quad.NormalCDF(-z / 2) },
			Gaussian{Sensitivity: sens, Sigma: 2, Neighbours: ReplaceOne},
		},
	} {
		whole := Compose(c.event, ApproxDP{0, delta0, ReplaceOne})
		for _, eps := range []float64{0.1, 0.5, 1} {
			price, err := DeltaOf(whole, ReplaceOne, eps)
			if err != nil {
				t.Fatal(err)
			}
			worst := 0.0
			for i := range 4000 {
				a := -3 + 40*float64(i)/4000
				for _, b := range []float64{a - sens, a + sens} {
					p, q := c.pass(c.threshold-a), c.pass(c.threshold-b)
					passed := max(0, p-math.Exp(eps)*q)
					if a < 0 || b < 0 { // beside a violation: all may be told
						passed = p
					}
					worst = max(worst, passed+max(0, (1-p)-math.Exp(eps)*(1-q)))
				}
			}
			if !(worst <= price.Delta) {
				t.Errorf("%s at ε = %g: a pair has δ = %g, the price is %g", name, eps, worst, price.Delta)
			}
		}
	}
}

func TestThresholdErrors(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		name string
		args [4]float64 // β, Δ, ε₀ or σ, δ₀
		want [2]error   // of Laplace and Gaussian
	}{
		{"beta", [4]float64{nan, 1, 1, 0.1}, [2]error{ErrParameter, ErrParameter}},
		{"beta", [4]float64{math.Inf(1), 1, 1, 0.1}, [2]error{ErrParameter, ErrParameter}},
		{"sensitivity", [4]float64{0, 0, 1, 0.1}, [2]error{ErrParameter, ErrParameter}},
		{"sensitivity", [4]float64{0, nan, 1, 0.1}, [2]error{ErrParameter, ErrParameter}},
		{"", [4]float64{0, 1, 0, 0.1}, [2]error{ErrEpsilon, ErrParameter}},
		{"", [4]float64{0, 1, nan, 0.1}, [2]error{ErrEpsilon, ErrParameter}},
		{"delta", [4]float64{0, 1, 1, 0}, [2]error{ErrDelta, ErrDelta}},
		{"delta", [4]float64{0, 1, 1, 0.6}, [2]error{ErrDelta, ErrDelta}},
		{"delta", [4]float64{0, 1, 1, nan}, [2]error{ErrDelta, ErrDelta}},
	} {
		a := c.args
		_, err1 := TestThresholdLaplace(a[0], a[1], a[2], a[3])
		_, err2 := TestThresholdGaussian(a[0], a[1], a[2], a[3])
		for i, err := range []error{err1, err2} {
			name := c.name
			if name == "" {
				name = []string{"epsilon", "sigma"}[i]
			}
			if !errors.Is(err, c.want[i]) || !strings.Contains(err.Error(), name) {
				t.Errorf("%v: got %v, want %v that names %s", a, err, c.want[i], name)
			}
		}
	}
}
