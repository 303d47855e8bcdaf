package accountant

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/internal/golden"
)

// TestLeavesGolden compares the leaves' curves, rates and lattice profiles with high-precision values over
// sixteen orders of magnitude of α − 1 and of ε: never below, and how far above is listed.
func TestLeavesGolden(t *testing.T) {
	raw, err := os.ReadFile("testdata/leaves.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		RDP []struct {
			Leaf       string
			K          int
			Eps, Alpha float64
			RDP        string
		}
		ZCDP []struct {
			K   int
			Eps float64
			Rho string
		}
		Lattice []struct {
			Sigma, Eps float64
			Shift      int
			Delta      string
		}
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.RDP) < 600 || len(file.ZCDP) < 8 || len(file.Lattice) < 12 {
		t.Fatalf("got %d, %d and %d values, want at least 600, 8 and 12", len(file.RDP), len(file.ZCDP), len(file.Lattice))
	}
	check := func(what string, got float64, text string, tol float64) {
		t.Helper()
		want, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal(err)
		}
		if !(got >= want) || !(got <= want*(1+tol)) {
			t.Errorf("%s: got %.17g, want %s or up to %g above", what, got, text, tol)
		}
	}
	for _, p := range file.RDP {
		var e Event
		switch p.Leaf {
		case "laplace":
			e = Laplace{Sensitivity: p.Eps, Scale: 1, Neighbours: AddRemove}
		case "exponential":
			e = Exponential{Epsilon: p.Eps, Neighbours: AddRemove}
		case "randomized_response":
			e = RandomizedResponse{K: p.K, Epsilon: p.Eps, Neighbours: AddRemove}
		default:
			t.Fatalf("unknown leaf %q", p.Leaf)
		}
		c, err := e.RDP(AddRemove)
		if err != nil {
			t.Fatal(err)
		}
		check(e.String()+" at "+strconv.FormatFloat(p.Alpha, 'g', -1, 64), c(p.Alpha), p.RDP, 1e-13)
	}
	for _, p := range file.ZCDP {
		e := RandomizedResponse{K: p.K, Epsilon: p.Eps, Neighbours: AddRemove}
		rho, err := RhoOf(e, AddRemove)
		if err != nil {
			t.Fatal(err)
		}
		check("rate of "+e.String(), rho, p.Rho, 1e-5)
	}
	for _, p := range file.Lattice {
		e := DiscreteGaussian{Sensitivity: float64(p.Shift), Sigma: p.Sigma, GridSigma: p.Sigma, Coordinates: 1, Neighbours: AddRemove}
		g, err := e.repeated(AddRemove, 1)
		if err != nil {
			t.Fatal(err)
		}
		check("profile of "+e.String(), g(p.Eps), p.Delta, 1e-10)
	}
}

// TestMechanismsResponse checks the randomized responses of mechanisms.json.
func TestMechanismsResponse(t *testing.T) {
	raw := golden.Committed(t, "mechanisms")
	var file struct {
		RR []struct {
			Eps json.RawMessage
			M   int
			P   string
			RDP map[string]string
		}
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.RR) < 5 {
		t.Fatalf("got %d responses, want at least 5", len(file.RR))
	}
	number := func(s string) float64 {
		x, err := strconv.ParseFloat(strings.Trim(s, `"`), 64)
		if err != nil {
			t.Fatal(err)
		}
		return x
	}
	for _, r := range file.RR {
		eps := number(string(r.Eps))
		e := RandomizedResponse{K: r.M, Epsilon: eps, Neighbours: AddRemove}
		c, err := e.RDP(AddRemove)
		if err != nil || len(r.RDP) < 3 {
			t.Fatalf("%v: %v, %d orders", e, err, len(r.RDP))
		}
		for order, want := range r.RDP {
			requireAtLeast(t, e.String()+" at order "+order, c(number(order)), number(want))
		}
		truthful, err := TruthfulResponse(r.M, number(r.P), AddRemove)
		if err != nil || math.Abs(truthful.Epsilon-eps) > 1e-13*eps {
			t.Errorf("truth with probability %s: got ε = %.17g, %v, want %g", r.P, truthful.Epsilon, err, eps)
		}
	}
}

func TestLeafErrors(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	const rel = AddRemove
	cases := []struct {
		name string
		e    Event
		want error
		says string
	}{
		{"Laplace, other relation", Laplace{1, 1, ReplaceOne}, ErrNeighbours, "asked for add/remove"},
		{"Laplace, no noise", Laplace{1, 0, rel}, ErrParameter, "scale b: got 0"},
		{"Laplace, infinite noise", Laplace{1, inf, rel}, ErrParameter, "scale b: got +Inf"},
		{"Laplace, NaN", Laplace{nan, 1, rel}, ErrParameter, "sensitivity: got NaN"},
		{"Exponential, negative", Exponential{-1, rel}, ErrParameter, "epsilon: got -1"},
		{"Exponential, NaN", Exponential{nan, rel}, ErrParameter, "epsilon: got NaN"},
		{"Exponential, no relation", Exponential{1, 0}, ErrNeighbours, "Neighbours(0)"},
		{"response, one answer", RandomizedResponse{1, 1, rel}, ErrParameter, "K: got 1"},
		{"response, NaN", RandomizedResponse{2, nan, rel}, ErrParameter, "epsilon: got NaN"},
		{"pure, infinite", PureDP{inf, rel}, ErrParameter, "epsilon: got +Inf"},
		{"pure, other relation", PureDP{1, ReplaceOne}, ErrNeighbours, "PureDP"},
		{"approximate, δ", ApproxDP{1, 1.5, rel}, ErrDelta, "delta: got 1.5"},
		{"approximate, NaN", ApproxDP{nan, 0, rel}, ErrParameter, "epsilon: got NaN"},
		{"zCDP, negative", ZCDP{-1, rel}, ErrParameter, "rho: got -1"},
		{"tCDP, order", TCDP{1, 1, rel}, ErrParameter, "omega: got 1"},
		{"tCDP, NaN", TCDP{1, nan, rel}, ErrParameter, "omega: got NaN"},
		{"table, empty", RDPTable{Neighbours: rel}, ErrOrder, "got none"},
		{"table, mismatch", RDPTable{[]float64{2, 3}, []float64{1}, rel}, ErrParameter, "got 1 for 2 orders"},
		{"table, order 1", RDPTable{[]float64{1, 3}, []float64{1, 2}, rel}, ErrOrder, "order 1: got 1"},
		{"table, falling", RDPTable{[]float64{3, 2}, []float64{1, 2}, rel}, ErrOrder, "order 2: got 2 after 3"},
		{"table, NaN order", RDPTable{[]float64{3, nan}, []float64{1, 2}, rel}, ErrOrder, "order 2"},
		{"table, negative value", RDPTable{[]float64{3, 4}, []float64{1, -2}, rel}, ErrParameter, "value 2: got -2"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			_, err1 := EpsilonOf(c.e, rel, 1e-6)
			_, err2 := DeltaOf(Repeat(Compose(c.e), 3), rel, 1)
			_, err3 := c.e.RDP(rel)
			for i, err := range []error{err1, err2, err3} {
				if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) {
					t.Errorf("way %d: got %v, want %v saying %q", i+1, err, c.want, c.says)
				}
			}
		})
	}
	for _, p := range []float64{-0.1, 0.49, 1.2, nan} {
		if r, err := TruthfulResponse(2, p, rel); !errors.Is(err, ErrParameter) {
			t.Errorf("truth with probability %g: got %v, %v, want ErrParameter", p, r, err)
		}
	}
	for _, k := range []int{2, 3, 49, 1_000_003} {
		if r, err := TruthfulResponse(k, 1/float64(k), rel); err != nil || r.Epsilon > 1e-15 {
			t.Errorf("chance among %d: got %v, %v, want ε = 0", k, r, err)
		}
	}
	if _, err := TruthfulResponse(1, 1, rel); !errors.Is(err, ErrParameter) {
		t.Errorf("one answer: got %v, want ErrParameter", err)
	}
}

// storable is one event of each leaf that this file knows, under add/remove.
func storable() map[string]Event {
	const rel = AddRemove
	return map[string]Event{
		"Gaussian":              Gaussian{Sensitivity: 1, Sigma: 2, Neighbours: rel},
		"DiscreteGaussian":      DiscreteGaussian{Sensitivity: 1, Sigma: 2, GridSigma: 8, Coordinates: 1, Neighbours: rel},
		"Laplace":               Laplace{Sensitivity: 1, Scale: 2.5, Neighbours: rel},
		"Exponential":           Exponential{Epsilon: 0.7, Neighbours: rel},
		"RandomizedResponse":    RandomizedResponse{K: 2, Epsilon: 1.3, Neighbours: rel},
		"RandomizedResponse7":   RandomizedResponse{K: 7, Epsilon: 1.3, Neighbours: rel},
		"PureDP":                PureDP{Epsilon: 0.4, Neighbours: rel},
		"ApproxDP":              ApproxDP{Epsilon: 0.4, Delta: 1e-7, Neighbours: rel},
		"ZCDP":                  ZCDP{Rho: 0.05, Neighbours: rel},
		"TCDP":                  TCDP{Rho: 0.05, Omega: 12, Neighbours: rel},
		"RDPTable":              RDPTable{Orders: []float64{1.5, 2, 8, 64}, Values: []float64{0.05, 0.06, 0.3, 4}, Neighbours: rel},
		"NonPrivate":            NonPrivate{Reason: "printed \"raw\""},
		"SubsampledGaussian":    SubsampledGaussian{C: 1, Sigma: 2, Sampling: PoissonSampling(0.01), Neighbours: rel},
		"SGDIteration":          SGDIteration{C: 1, Sigma: 8, Steps: 100, Neighbours: rel},
		"SubsampledGroup":       SubsampledGroup{C: 1, Sigma: 2, Rate: 0.01, OneSided: 2, Neighbours: rel},
		"GaussMix":              GaussMix{K: 20, Gamma: 40, Displacement: 0.01, Noise: 39, Neighbours: rel},
		"ModifiedGaussMix":      ModifiedGaussMix{K: 20, Gamma: 40, Eta: 6, Tau: 5, Neighbours: rel},
		"RelativeGaussian":      RelativeGaussian{Eta: 0.01, Gamma: 0.05, Dim: 3, Matched: 1, Neighbours: rel},
		"ObjectivePerturbation": ObjectivePerturbation{C: 1, Sigma: 4, Lambda: 0.5, Neighbours: rel},
		"LogisticPerturbation":  LogisticPerturbation{C: 1, Sigma: 4, Lambda: 3, Neighbours: rel},
		"GLMPerturbation":       GLMPerturbation{C: 1, Sigma: 4, Lambda: 3, Slope: 1, Curvature: 0.5, Neighbours: rel},
		"GaussianThreshold":     GaussianThreshold{Sigma: 8, Threshold: 52, Groups: 3, Values: 0.5, Rows: 8, RowsPerGroup: 4, Cells: 3, GridSigma: 0x1p40, Neighbours: rel},
	}
}

func BenchmarkLeafCurves(b *testing.B) {
	for name, e := range storable() {
		c, _, err := approxRDP(e, AddRemove)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				c(7.3)
			}
		})
	}
}

func BenchmarkRhoOf(b *testing.B) {
	for name, e := range map[string]Event{
		"Laplace":  Laplace{1, 10, AddRemove},
		"response": RandomizedResponse{100, 3, AddRemove},
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := RhoOf(e, AddRemove); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkLattice(b *testing.B) {
	e := Repeat(DiscreteGaussian{1, 10, AddRemove, 10, 1}, 100)
	for b.Loop() {
		if _, err := EpsilonOf(e, AddRemove, 1e-6); err != nil {
			b.Fatal(err)
		}
	}
}
