package accountant

import (
	"encoding/json"
	"math"
	"os"
	"strconv"
	"testing"
)

// TestGaussianDeltaGolden compares the profile with high-precision values over nine orders of
// magnitude of μ and three hundred of δ: never below, at most 1e-13 above.
func TestGaussianDeltaGolden(t *testing.T) {
	raw, err := os.ReadFile("testdata/gaussian_profile.json")
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		Points []struct {
			Eps, Mu float64
			Delta   string
		}
	}
	if err := json.Unmarshal(raw, &golden); err != nil {
		t.Fatal(err)
	}
	if len(golden.Points) < 150 {
		t.Fatalf("got %d points, want at least 150", len(golden.Points))
	}
	worst := 0.0
	for _, p := range golden.Points {
		want, err := strconv.ParseFloat(p.Delta, 64)
		if err != nil {
			t.Fatal(err)
		}
		got := gaussianDelta(p.Eps, p.Mu)
		if !(got >= want) || !(got <= want*(1+1e-13)) {
			t.Errorf("δ(ε=%g, μ=%g) = %.17g, want %s or up to 1e-13 above", p.Eps, p.Mu, got, p.Delta)
		}
		if p.Eps >= 0 {
			worst = max(worst, math.Abs(gaussianDrop(p.Eps, p.Mu)/want-1))
		}
	}
	t.Logf("%d points, worst relative error before rounding up %.2g", len(golden.Points), worst)
	if worst > profileMargin/2 {
		t.Errorf("worst relative error %.2g uses more than half of the margin %.2g", worst, profileMargin)
	}
}

func TestGaussianDeltaEdges(t *testing.T) {
	inf, nan := math.Inf(1), math.NaN()
	cases := []struct {
		name          string
		eps, mu, want float64
	}{
		{"no shift", 1, 0, 0},
		{"no shift, negative ε", -1, 0, -math.Expm1(-1)},
		{"infinite ε", inf, 3, 0},
		{"infinite shift", 3, inf, 1},
		{"negative infinite ε", -inf, 3, 1},
		{"NaN ε", nan, 1, 1},
		{"NaN shift", 1, nan, 1},
		{"negative shift", 1, -1, 1},
		{"underflow is not zero", 1e6, 1, 8 * math.SmallestNonzeroFloat64},
		{"ε/μ overflows", 1e300, 1e-300, 8 * math.SmallestNonzeroFloat64},
		{"μ² overflows", 1, 1e200, 1},
		{"tiny shift", 0, 1e-300, 1e-300 / math.Sqrt(2*math.Pi)},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := gaussianDelta(c.eps, c.mu)
			if got != c.want && !(got >= c.want && got <= c.want*(1+1e-13)) {
				t.Errorf("δ(ε=%g, μ=%g) = %g, want %g", c.eps, c.mu, got, c.want)
			}
		})
	}
}

// TestGaussianDeltaMonotone: δ falls with ε and rises with μ, across the seams of its branches.
func TestGaussianDeltaMonotone(t *testing.T) {
	for mu := 1e-4; mu < 60; mu *= 1.09 {
		last := 1.0
		for eps := -1.0; eps < 3; eps += 0.013 {
			d := gaussianDelta(eps*mu, mu)
			if !(d <= last*(1+2e-14)) {
				t.Fatalf("δ(ε=%g, μ=%g) = %g rises from %g", eps*mu, mu, d, last)
			}
			last = d
			if up := gaussianDelta(eps*mu, mu*1.01); !(up >= d*(1-2e-14)) {
				t.Fatalf("δ(ε=%g, μ=%g) = %g, with a larger μ %g", eps*mu, mu, d, up)
			}
		}
	}
}

func BenchmarkGaussianDelta(b *testing.B) {
	for b.Loop() {
		gaussianDelta(1, 0.25)
	}
}

// TestGaussianDeltaFarOut: no NaN for shifts that are tiny beside ε.
func TestGaussianDeltaFarOut(t *testing.T) {
	for _, mu := range []float64{1e-5, 1e-10, 1e-50, 1e-150, 1e-300, math.SmallestNonzeroFloat64} {
		for _, eps := range []float64{1e-3, 1, 700, 1e300} {
			if delta := gaussianDelta(eps, mu); !(delta >= 0 && delta < 1e-300) {
				t.Errorf("ε = %g, μ = %g: δ = %g, want next to nothing", eps, mu, delta)
			}
		}
	}
}
