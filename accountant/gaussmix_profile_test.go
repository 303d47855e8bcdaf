package accountant

import (
	"encoding/json"
	"math"
	"os"
	"strconv"
	"testing"
)

// requireDelta fails unless got is in [want, want·(1+tol)].
func requireDelta(t *testing.T, what string, got float64, want string, tol float64) {
	t.Helper()
	if want == "" {
		return
	}
	v, err := strconv.ParseFloat(want, 64)
	if err != nil {
		t.Fatal(err)
	}
	if !(got >= v) || !(got <= v*(1+tol)+1e-320) {
		t.Errorf("%s = %.17g, want %s or up to %.1g above it (%.2g)", what, got, want, tol, got/v-1)
	}
}

func TestGaussMixProfileGolden(t *testing.T) {
	raw, err := os.ReadFile("testdata/gaussmix_profile.json")
	if err != nil {
		t.Fatal(err)
	}
	var golden struct {
		Points []struct {
			K                 int
			Gamma, Eps        float64
			Forward, Backward string
		}
	}
	if err := json.Unmarshal(raw, &golden); err != nil {
		t.Fatal(err)
	}
	if len(golden.Points) < 400 {
		t.Fatalf("got %d points, want at least 400", len(golden.Points))
	}
	worst := 0.0
	for _, p := range golden.Points {
		s := p.Gamma - 1
		// The part of the answer that is due to the lowered ε, for k large beside ε.
		tol := 1e-12 + 0x1p-48*float64(p.K)*math.Log1p(1/s)*50*math.Max(1, s/math.Sqrt(float64(p.K)))
		name := strconv.Itoa(p.K) + " rows, γ = " + strconv.FormatFloat(p.Gamma, 'g', -1, 64) + ", ε = " + strconv.FormatFloat(p.Eps, 'g', -1, 64)
		f, b := mixForwardDelta(p.Eps, p.K, s), mixBackwardDelta(p.Eps, p.K, s)
		requireDelta(t, "forward, "+name, f, p.Forward, tol)
		backTol := tol
		if b < 1e-6*f {
			backTol = math.Inf(1) // the profile does not see it; it is close to its zero, where ε counts in full
		}
		requireDelta(t, "backward, "+name, b, p.Backward, backTol)
		for want, got := range map[string]float64{p.Forward: f, p.Backward: b} {
			if v, err := strconv.ParseFloat(want, 64); err == nil && got > 1e-6*f {
				worst = math.Max(worst, got/v-1)
			}
		}
	}
	t.Logf("%d points, worst relative excess %.2g", len(golden.Points), worst)
}
