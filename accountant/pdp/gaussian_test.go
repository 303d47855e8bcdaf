package pdp

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
)

// TestGaussianLoss: losses are ratios of densities, have mean exp(−loss) 1 and the profile of PDP.
func TestGaussianLoss(t *testing.T) {
	rng := rand.New(rand.NewPCG(77, 78))
	const n, delta = 100_000, 1e-3
	phi, sum := []float64{0.6, -0.3, 0.2}, []float64{1, 2, 3}
	g := GaussianSum{Output: make([]float64, 3), Sigma: 0.8}
	pdp, err := g.PDP(phi, delta)
	if err != nil {
		t.Fatal(err)
	}
	eps := opened(t, pdp)
	want, err := accountant.EpsilonOf(accountant.Gaussian{Sensitivity: 0.7, Sigma: 0.8, Neighbours: accountant.AddRemove}, accountant.AddRemove, delta)
	if err != nil || math.Abs(eps-want.Epsilon) > 1e-12 || eps < want.Epsilon {
		t.Errorf("pDP: got %.15g, want %v, %v", eps, want, err)
	}
	for _, member := range []bool{true, false} {
		sign := -1.0
		if member {
			sign = 1
		}
		excess, mean := 0.0, 0.0
		for range n {
			for j := range sum {
				g.Output[j] = sum[j] + g.Sigma*rng.NormFloat64()
			}
			c, err := g.Loss(sum, phi, member)
			if err != nil {
				t.Fatal(err)
			}
			loss := opened(t, c)
			ratio := 0.0
			for j := range sum {
				here, there := g.Output[j]-sum[j], g.Output[j]-sum[j]+sign*phi[j]
				ratio += (there*there - here*here) / (2 * g.Sigma * g.Sigma)
			}
			if math.Abs(loss-ratio) > 1e-10 {
				t.Fatalf("loss %.15g, log ratio of densities %.15g", loss, ratio)
			}
			excess += max(0, -math.Expm1(eps-loss)) / n
			mean += min(math.Exp(-loss), 20) / 20 / n // cut where it is above 20, with mass below 1e-4 of it
		}
		// Hoeffding: 2e-12 of a false alarm each.
		tol := math.Sqrt(math.Log(1e12) / (2 * n))
		if math.Abs(excess-delta) > tol {
			t.Errorf("member %v: losses have δ = %g ± %g, want %g", member, excess, tol, delta)
		}
		if math.Abs(mean-1./20) > tol {
			t.Errorf("member %v: E exp(−loss) = %g, want 1 ± %g", member, 20*mean, 20*tol)
		}
	}
}

func TestGaussianErrors(t *testing.T) {
	phi := []float64{1, 2}
	for name, g := range map[string]GaussianSum{
		"no sigma":  {Output: []float64{1, 2}},
		"NaN sigma": {Output: []float64{1, 2}, Sigma: math.NaN()},
		"no output": {Sigma: 1},
		"shape":     {Output: []float64{1}, Sigma: 1},
	} {
		if _, err := g.Loss(phi, phi, true); !errors.Is(err, ErrParameter) {
			t.Errorf("%s: loss: got %v, want ErrParameter", name, err)
		}
		if _, err := g.PDP(phi, 0.1); !errors.Is(err, ErrParameter) {
			t.Errorf("%s: pDP: got %v, want ErrParameter", name, err)
		}
	}
	g := GaussianSum{Output: []float64{1, 2}, Sigma: 1}
	if _, err := g.PDP([]float64{math.NaN(), 1}, 0.1); !errors.Is(err, ErrParameter) {
		t.Errorf("NaN contribution: got %v", err)
	}
	if _, err := g.Loss([]float64{math.Inf(1), 1}, phi, true); !errors.Is(err, ErrParameter) {
		t.Errorf("infinite sum: got %v", err)
	}
	if _, err := g.PDP(phi, 2); !errors.Is(err, accountant.ErrDelta) {
		t.Errorf("δ = 2: got %v", err)
	}
}
