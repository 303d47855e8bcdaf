package ledger

import (
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
)

// The golden σ come from mpmath at 60 digits (testdata/golden/accounting.json); μ = 1/σ.
func TestCalibrateGaussianGolden(t *testing.T) {
	b, err := os.ReadFile("../../testdata/golden/accounting.json")
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		Refs []struct {
			ID     string          `json:"id"`
			Inputs json.RawMessage `json:"inputs"`
			Value  json.RawMessage `json:"value"`
		} `json:"refs"`
	}
	if err := json.Unmarshal(b, &golden); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, ref := range golden.Refs {
		if !strings.HasPrefix(ref.ID, "cal.gauss.") {
			continue
		}
		n++
		t.Run(ref.ID, func(t *testing.T) {
			var in struct{ Epsilon, Delta float64 }
			var sigma float64
			if err := json.Unmarshal(ref.Inputs, &in); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(ref.Value, &sigma); err != nil {
				t.Fatal(err)
			}
			mu, err := calibrateGaussian(accountant.Budget{Epsilon: in.Epsilon, Delta: in.Delta})
			if err != nil {
				t.Fatal(err)
			}
			if rel := mu*sigma - 1; rel > 1e-15 || rel < -1e-10 {
				t.Errorf("μ = %v: %.3g above 1/σ, want at most 0 and at least −1e-10", mu, rel)
			}
		})
	}
	if n < 8 {
		t.Fatalf("%d golden calibrations, want 8 at least", n)
	}
}

func TestGaussianInversesBracket(t *testing.T) {
	for _, eps := range []float64{1e-3, 0.1, 1, 8, 100, 9e3} {
		for _, delta := range []float64{1e-150, 1e-12, 1e-6, 1e-3, 0.4} {
			mu, err := calibrateGaussian(accountant.Budget{Epsilon: eps, Delta: delta})
			if err != nil || !(mu > 0) {
				t.Fatalf("calibrate(%v, %v) = %v, %v", eps, delta, mu, err)
			}
			up, down := gaussianEpsilonUp(mu, delta), gaussianEpsilonDown(mu, delta)
			if !(down <= up) || !(up <= eps*(1+1e-9)) || !(down >= eps*(1-1e-9)-1e-12) {
				t.Errorf("ε = %v, δ = %v: μ = %v gives back [%v, %v]", eps, delta, mu, down, up)
			}
			again, err := calibrateGaussian(accountant.Budget{Epsilon: down, Delta: delta})
			if err != nil || again > mu {
				t.Errorf("ε = %v, δ = %v: the ε rounded down asks for μ = %v > %v", eps, delta, again, mu)
			}
		}
	}
}

func TestGaussianDeltaEdges(t *testing.T) {
	for name, in := range map[string]struct{ eps, mu float64 }{
		"tiny μ": {1, 1e-200}, "huge μ": {1, 1e6}, "ε = 0": {0, 1}, "switch of the ratio's method": {5, 1},
	} {
		t.Run(name, func(t *testing.T) {
			lo, hi := logGaussianDelta(in.eps, in.mu)
			if !(lo <= hi) || !(hi <= 0) || math.IsNaN(lo) {
				t.Errorf("log δ in [%v, %v]", lo, hi)
			}
		})
	}
	// δ_G(0; μ) = 2Φ(μ/2) − 1.
	lo, hi := logGaussianDelta(0, 1)
	if want := math.Log(math.Erf(0.5 / math.Sqrt2)); lo > want || hi < want || hi-lo > 1e-12 {
		t.Errorf("log δ(0; 1) in [%v, %v], want %v", lo, hi, want)
	}
	if a, b := mills(math.Nextafter(5, 0)), mills(5); math.Abs(a/b-1) > 1e-14 {
		t.Errorf("Mills' ratio jumps at 5: %v, %v", a, b)
	}
}
