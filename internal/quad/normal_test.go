package quad

import (
	"encoding/json"
	"math"
	"os"
	"strconv"
	"testing"
)

// golden is testdata/normal.json: values of mpmath, with their provenance in its meta.
type golden struct {
	Normal []struct {
		X                 float64
		CDF, Erfcx, Mills string
		LogCDF            string `json:"log_cdf"`
	}
	Quantile []struct {
		P float64
		X string
	}
}

func readGolden(t *testing.T) golden {
	t.Helper()
	raw, err := os.ReadFile("testdata/normal.json")
	if err != nil {
		t.Fatal(err)
	}
	var g golden
	if err := json.Unmarshal(raw, &g); err != nil {
		t.Fatal(err)
	}
	if len(g.Normal) < 30 || len(g.Quantile) < 15 {
		t.Fatalf("testdata/normal.json has %d and %d entries, want at least 30 and 15", len(g.Normal), len(g.Quantile))
	}
	return g
}

// checkRel compares got with the decimal want, to a relative error of tol; an empty want is no entry.
func checkRel(t *testing.T, what string, at, got float64, want string, tol float64) {
	t.Helper()
	if want == "" {
		return
	}
	w, err := strconv.ParseFloat(want, 64)
	if err != nil {
		t.Fatal(err)
	}
	if math.Abs(w) < 1e-300 {
		tol = math.Max(tol, 1e-307/math.Abs(w)*1e-9) // subnormal numbers have fewer digits
	}
	if rel := math.Abs(got-w) / math.Abs(w); !(rel <= tol) && got != w {
		t.Errorf("%s(%g) = %.17g, want %s: relative error %.2g > %.2g", what, at, got, want, rel, tol)
	}
}

func TestNormalGolden(t *testing.T) {
	g := readGolden(t)
	for _, e := range g.Normal {
		checkRel(t, "NormalCDF", e.X, NormalCDF(e.X), e.CDF, 2e-15)
		checkRel(t, "LogNormalCDF", e.X, LogNormalCDF(e.X), e.LogCDF, 1e-15)
		slack := 1e-15
		if e.X < -1 {
			slack *= 1 + e.X*e.X/100
		}
		checkRel(t, "Erfcx", e.X, Erfcx(e.X), e.Erfcx, slack)
		if e.X >= -1 {
			checkRel(t, "Mills", e.X, Mills(e.X), e.Mills, 1.5e-15)
		}
	}
	for _, e := range g.Quantile {
		// The quantile is only gonum's: this pins its accuracy.
		checkRel(t, "NormalQuantile", e.P, NormalQuantile(e.P), e.X, 2e-15)
	}
}

func TestNormalEdges(t *testing.T) {
	cases := []struct {
		name      string
		got, want float64
	}{
		{"Erfcx far left", Erfcx(-27), math.Inf(1)},
		{"Mills at +Inf", Mills(math.Inf(1)), 0},
		{"CDF at -Inf", NormalCDF(math.Inf(-1)), 0},
		{"CDF at +Inf", NormalCDF(math.Inf(1)), 1},
		{"log CDF at +Inf", LogNormalCDF(math.Inf(1)), 0},
		{"quantile of 0", NormalQuantile(0), math.Inf(-1)},
		{"quantile of 1", NormalQuantile(1), math.Inf(1)},
		{"pdf overflow", NormalPDF(1e200, 0), 0},
		{"pdf correction", NormalPDF(3, 1e-16) / NormalPDF(3, 0), 1 - 3e-16},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if math.Abs(c.got-c.want) > 2e-16 && c.got != c.want {
				t.Errorf("got %.17g, want %.17g", c.got, c.want)
			}
		})
	}
	for _, p := range []float64{-1e-9, 1.5, math.NaN()} {
		if got := NormalQuantile(p); !math.IsNaN(got) {
			t.Errorf("NormalQuantile(%g) = %g, want NaN", p, got)
		}
	}
}

// TestNormalTails: both tails are those of the distribution function, and the two formulas of NormalCDF agree where each holds.
func TestNormalTails(t *testing.T) {
	for x := -30.0; x <= 30; x += 1. / 64 {
		below, above := NormalTails(x)
		if b, a := NormalCDF(x), NormalCDF(-x); math.Abs(below-b) > 2e-15*b || math.Abs(above-a) > 2e-15*a {
			t.Errorf("NormalTails(%g) = %.17g, %.17g, want %.17g, %.17g", x, below, above, b, a)
		}
		if want := NormalPDF(x, 0) * Mills(-x); x < -1 && math.Abs(NormalCDF(x)-want) > 4e-15*want {
			t.Errorf("NormalCDF(%g) = %.17g, want %.17g", x, NormalCDF(x), want)
		}
	}
	for _, x := range []float64{math.Inf(-1), math.Inf(1)} {
		if below, above := NormalTails(x); below != NormalCDF(x) || above != NormalCDF(-x) {
			t.Errorf("NormalTails(%g) = %g, %g", x, below, above)
		}
	}
}
