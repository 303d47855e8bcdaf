package accountant

import (
	"encoding/json"
	"math"
	"strconv"
	"testing"

	"github.com/dpkit-go/dpnb/internal/golden"
	"github.com/dpkit-go/dpnb/internal/quad"
)

// goldenConcentrated converts zCDP to (ε, δ). The group may be empty.
func goldenConcentrated(t *testing.T, raw []byte) {
	var list []struct {
		Rho, Delta golden.Number
		Eps        *golden.Number
	}
	if err := strictly(t, raw, &list); err != nil {
		t.Fatal(err)
	}
	for i, e := range list {
		if e.Eps == nil || !(e.Rho > 0) || !(e.Delta > 0) {
			t.Fatalf("entry %d: want rho, delta and eps", i)
		}
		g := must[Guarantee](t)(EpsilonOf(ZCDP{Rho: float64(e.Rho), Neighbours: ReplaceOne}, ReplaceOne, float64(e.Delta)))
		closeTo(t, "epsilon", g.Epsilon, *e.Eps, 1e-9)
	}
}

func TestGoldenConcentratedReads(t *testing.T) {
	// One that TestGolden of accounting.json has in another form: rho 0.5, delta 1e-5.
	g := must[Guarantee](t)(EpsilonOf(ZCDP{Rho: 0.5, Neighbours: ReplaceOne}, ReplaceOne, 1e-5))
	goldenConcentrated(t, []byte(`[{"rho":0.5,"delta":1e-5,"eps":`+strconv.FormatFloat(g.Epsilon, 'g', -1, 64)+`}]`))
	goldenConcentrated(t, []byte(`[]`))
}

func goldenUnbounded(t *testing.T, raw []byte) {
	var groups map[string]json.RawMessage
	if err := strictly(t, raw, &groups); err != nil {
		t.Fatal(err)
	}
	relation := func(name string) Neighbours {
		t.Helper()
		switch name {
		case "replace-one":
			return ReplaceOne
		case "zero-out":
			return AddRemove
		}
		t.Fatalf("unknown adjacency %q", name)
		return 0
	}
	for name, raw := range groups {
		switch name {
		case "naive_pce_sigma3":
			for _, e := range goldenList[struct {
				R, Rho    float64
				N         int
				Adjacency string
				Sigma3    golden.Number
			}](t, raw) {
				closeTo(t, name, must[float64](t)(SecondMomentNoise(e.R, e.N, e.Rho, relation(e.Adjacency))), e.Sigma3, 1e-14)
			}
		case "mean_sigma":
			for _, e := range goldenList[struct {
				R, Rho    float64
				N         int
				Adjacency string
				Sigma     golden.Number
			}](t, raw) {
				closeTo(t, name, must[float64](t)(MeanNoise(e.R, e.N, e.Rho, relation(e.Adjacency))), e.Sigma, 1e-14)
			}
		case "hist":
			for _, e := range goldenList[struct {
				D                int
				Rho              float64
				DeltaT           float64 `json:"delta_t"`
				Sigma, Threshold golden.Number
			}](t, raw) {
				sigma, threshold, err := StabilityHistogram(e.D, e.Rho, e.DeltaT, ReplaceOne)
				if err != nil {
					t.Fatal(err)
				}
				closeTo(t, "sigma", sigma, e.Sigma, 1e-14)
				closeTo(t, "threshold", threshold, e.Threshold, 1e-12)
			}
		case "radius2_gaussian":
			for _, e := range goldenList[struct {
				D, N           int
				Beta           float64
				Exact          golden.Number `json:"exact_chi2"`
				LaurentMassart golden.Number `json:"laurent_massart"`
			}](t, raw) {
				r := must[float64](t)(GaussianRadius(e.D, e.N, e.Beta))
				closeTo(t, "radius²", r*r, e.Exact, 1e-11)
				l := math.Log(float64(e.N) / e.Beta)
				simple := float64(e.D) + 2*math.Sqrt(float64(e.D)*l) + 2*l
				if math.Abs(simple/float64(e.LaurentMassart)-1) > 1e-12 || r*r > simple {
					t.Errorf("radius² %g, want at most %g, in the file %g", r*r, simple, float64(e.LaurentMassart))
				}
			}
		default:
			t.Errorf("no handler for %q", name)
		}
	}
}

// goldenChebyshev: the file has the coefficients of −ln(1 + e^−s), of the opposite sign.
func goldenChebyshev(t *testing.T, raw []byte) {
	for _, e := range goldenList[struct {
		Q, B0, B1, B2 golden.Number
		Scale         golden.Number `json:"scale_minus_b1_over_2b2"`
	}](t, raw) {
		b0, b1, b2 := quad.LogisticQuadratic(float64(e.Q))
		for _, c := range []struct {
			name      string
			got, want float64
		}{
			{"b0", -b0, float64(e.B0)},
			{"b1", -b1, float64(e.B1)},
			{"b2", -b2, float64(e.B2)},
			{"scale", -b1 / (2 * b2), float64(e.Scale)},
		} {
			if !(math.Abs(c.got-c.want) <= 1e-14*math.Abs(c.want)) {
				t.Errorf("Q = %g: %s = %.17g, want %.17g", float64(e.Q), c.name, c.got, c.want)
			}
		}
	}
}
