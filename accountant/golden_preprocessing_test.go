package accountant

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/internal/golden"
)

// A goldenMechanism is one entry of the mechanisms of preprocessing.json.
type goldenMechanism struct {
	Alpha, Q, L, Mu, Sigma, V, Gamma, Shift, W float64
	N, Rows, M, R1, R2                         int
	B                                          float64  // a batch size, or the shift b
	Value, MP                                  float64  // MP has more digits; it is Value where the file has none
	rtol                                       float64  // of MP
	ImprovedBinomial                           *float64 `json:"improved_binomial"`
	WBK                                        *float64
	LowerAddpair2L                             *float64 `json:"lower_addpair_2L"`

	A, Direct, C2 float64
	CStar         float64 `json:"c_star"`
	SigmaAvg      float64 `json:"sigma_avg"`
	MuGDP         float64 `json:"mu_gdp"`
	Tau, T        float64
	Eps, Delta    float64

	ShiftOverB float64 `json:"shift_over_b"`
	Simple     float64
}

// requireAbove accepts a value that is the reference, rounded up: nothing below it by more than its own error.
func requireAbove(t *testing.T, what string, got, want, rtol float64) {
	t.Helper()
	if !(got >= want*(1-1e-12) && got <= want*(1+rtol)) {
		t.Errorf("%s: got %.17g, want %.17g (ratio - 1 = %.3g)", what, got, want, got/want-1)
	}
}

func TestGoldenPreprocessing(t *testing.T) { runGolden(t, "preprocessing") }

// goldenPreprocessing checks the mechanisms of the file; the other groups are dpkit's.
func goldenPreprocessing(t *testing.T, raw []byte) {
	var file struct{ Mechanisms map[string]json.RawMessage }
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	goldenOthers(t, raw, "mechanisms")
	if file.Mechanisms == nil {
		t.Fatal("no entry is the accountant's: run go test ./dpkit -run TestGolden with this file")
	}
	step := func(m goldenMechanism, s Sampling, rel Neighbours, shift DisplacedRows) float64 {
		curve, err := SubsampledGaussian{C: m.L, Sigma: m.Sigma, Sampling: s, Neighbours: rel, Shift: shift}.RDP(rel)
		if err != nil {
			t.Fatal(err)
		}
		return curve(m.Alpha)
	}
	handlers := map[string]func(*testing.T, goldenMechanism){
		"poisson_replace": func(t *testing.T, m goldenMechanism) {
			got := lineMoment(replacePair{newCoin(m.Q), m.L / m.Sigma, m.V / m.Sigma}, m.Alpha) / (m.Alpha - 1)
			requireAbove(t, "pair", got, m.MP, m.rtol)
			if m.V == 0 {
				requireAbove(t, "event", step(m, PoissonSampling(m.Q), ReplaceOne, DisplacedRows{}), m.MP, m.rtol)
			}
		},
		"poisson_add": func(t *testing.T, m goldenMechanism) {
			add := addPair{newCoin(m.Q), m.L / m.Sigma, m.V / m.Sigma}
			got := max(lineMoment(add, m.Alpha), lineMoment(removePair{add}, m.Alpha)) / (m.Alpha - 1)
			requireAbove(t, "pair", got, m.MP, m.rtol)
			if m.V == 0 {
				requireAbove(t, "event", step(m, PoissonSampling(m.Q), AddRemove, DisplacedRows{}), m.MP, m.rtol)
			}
		},
		"wor_hybrid": func(t *testing.T, m goldenMechanism) {
			w := wor{m.Gamma, 2 * m.L / m.Sigma}
			requireAbove(t, "hybrid", w.hybrid(m.Alpha)/(m.Alpha-1), m.Value, 1e-11)
			want := m.Value
			if m.ImprovedBinomial != nil {
				requireAbove(t, "ternary", w.corrected(m.Alpha)/(m.Alpha-1), *m.ImprovedBinomial, 1e-11)
				want = min(want, *m.ImprovedBinomial)
			}
			const rows = 10000
			got := step(m, BatchSampling(int(math.Round(m.Gamma*rows)), rows), ReplaceOne, DisplacedRows{})
			if got > want*(1+1e-11) || (m.LowerAddpair2L != nil && got < *m.LowerAddpair2L) || (m.WBK != nil && got > *m.WBK) {
				t.Errorf("event: got %g, want %g", got, want)
			}
		},
		"srdp_wor": func(t *testing.T, m goldenMechanism) {
			each := m.Shift / m.Sigma
			law := hypergeometricCount(m.N, m.Rows, int(m.B))
			requireAbove(t, "shift", displacedDraw(law, each, math.Inf(1))(m.Alpha)/(m.Alpha-1), m.Value, 1e-9)
		},
		"srdp_poisson": func(t *testing.T, m goldenMechanism) {
			each := m.Shift / m.Sigma
			got := binomialCount(m.Rows, m.Q).logExpectSquare(m.Alpha*(m.Alpha-1)*each*each/2) / (m.Alpha - 1)
			requireAbove(t, "shift", got, m.Value, 1e-9)
		},
		"onehop_poisson": func(t *testing.T, m goldenMechanism) {
			shift := DisplacedRows{Rows: m.Rows, Each: m.Shift}
			requireAbove(t, "event", step(m, PoissonSampling(m.Q), ReplaceOne, shift), m.Value, 1e-9)
		},
		"sgd_iter": func(t *testing.T, m goldenMechanism) {
			for _, s := range []SGDIteration{
				{C: m.W / 2, Sigma: m.Sigma, Steps: m.M, Neighbours: ReplaceOne},
				{C: m.W / 4, Shift: m.W / 2, Sigma: m.Sigma, Steps: m.M, Neighbours: ReplaceOne},
				{C: m.W / 2, Shift: m.W / 2, Sigma: m.Sigma, Steps: m.M, Neighbours: AddRemove},
			} {
				curve, err := s.RDP(s.Neighbours)
				if err != nil {
					t.Fatal(err)
				}
				requireAbove(t, s.String(), curve(m.Alpha), m.Value, 1e-11)
			}
		},
		"poisson_group": func(t *testing.T, m goldenMechanism) {
			p := newGroupPair(m.Q, m.L/m.Sigma, m.V/m.Sigma, m.R1, m.R2)
			requireAbove(t, "pair", lineMoment(p, m.Alpha)/(m.Alpha-1), m.Value, 1e-10)
		},
		"gaussian_direct": func(t *testing.T, m goldenMechanism) {
			// The weak triangle with the best c is the direct bound for Gaussians.
			got := weakTriangle(func(alpha float64) float64 { return gaussMoment(alpha, m.A) },
				func(alpha float64) float64 { return gaussMoment(alpha, m.B) })(m.Alpha) / (m.Alpha - 1)
			requireAbove(t, "triangle", got, m.Direct, 1e-4)
		},
		"dpgd": func(t *testing.T, m goldenMechanism) {
			e := Repeat(Gaussian{Sensitivity: (2*m.L + m.Mu*m.Tau) / float64(m.N), Sigma: m.SigmaAvg, Neighbours: ReplaceOne}, int(m.T))
			curve, err := e.RDP(ReplaceOne)
			if err != nil {
				t.Fatal(err)
			}
			requireAbove(t, "curve", curve(m.Alpha), m.Value, 1e-11)
		},
		"gdp_delta": func(t *testing.T, m goldenMechanism) {
			requireAbove(t, "delta", gaussianDelta(m.Eps, m.Mu), m.Delta, 1e-11)
		},
	}
	handlers["laplace"] = func(t *testing.T, m goldenMechanism) {
		curve := curveOf(t, Laplace{Sensitivity: m.ShiftOverB, Scale: 1, Neighbours: ReplaceOne}, ReplaceOne)
		requireAbove(t, "curve", curve(m.Alpha), m.Value, 1e-13)
	}
	handlers["bounded_range"] = func(t *testing.T, m goldenMechanism) {
		curve := curveOf(t, Exponential{Epsilon: m.Eps, Neighbours: ReplaceOne}, ReplaceOne)
		// The file's supremum is of a grid.
		requireAbove(t, "curve", curve(m.Alpha)*(1+1e-6), m.Value, 1e-5)
		if simple := m.Alpha * m.Eps * m.Eps / 8; math.Abs(simple-m.Simple) > 1e-12 || curve(m.Alpha) > m.Simple {
			t.Errorf("curve %g, want at most α ε²/8 = %g, in the file %g", curve(m.Alpha), simple, m.Simple)
		}
	}
	checked := 0
	for name, raw := range file.Mechanisms {
		switch name {
		case "thm13_counterexample":
			t.Run(name, func(t *testing.T) { goldenTheorem13(t, raw) })
			checked++
			continue
		case "data_dependent_noise":
			t.Run(name, func(t *testing.T) { goldenScaledNoise(t, raw) })
			checked++
			continue
		case "thm14_counterexample":
			t.Run(name, func(t *testing.T) { goldenTheorem14(t, raw) })
			checked++
			continue
		}
		handler, ok := handlers[name]
		if !ok {
			t.Errorf("no handler for %q", name)
			continue
		}
		var entries []map[string]json.RawMessage
		if err := json.Unmarshal(raw, &entries); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		for i, entry := range entries {
			t.Run(fmt.Sprintf("%s/%d", name, i), func(t *testing.T) {
				handler(t, decodeMechanism(t, entry))
			})
			checked++
		}
	}
	if checked == 0 {
		t.Fatal("no entry was checked")
	}
}

// goldenTheorem13: gradient descent on a linear loss costs what a Gaussian of sensitivity 2L costs, four times the
// paper's claim.
func goldenTheorem13(t *testing.T, raw json.RawMessage) {
	var in struct {
		Exact string `json:"exact_over_eps2"`
		Paper string `json:"paper_over_eps2"`
	}
	if err := strictly(t, raw, &in); err != nil {
		t.Fatal(err)
	}
	var slope float64
	if _, err := fmt.Sscanf(in.Exact, "%g*alpha", &slope); err != nil {
		t.Fatal(err)
	}
	var part float64
	if _, err := fmt.Sscanf(in.Paper, "alpha/%g", &part); err != nil || slope*part != 4 {
		t.Errorf("exact %s, paper %s: want four times as much; %v", in.Exact, in.Paper, err)
	}
	e := SubsampledGaussian{C: 1, Sigma: 1, Sampling: PoissonSampling(1), Neighbours: ReplaceOne}
	curve, err := e.RDP(ReplaceOne)
	if err != nil {
		t.Fatal(err)
	}
	for _, alpha := range []float64{1.5, 2, 30} {
		requireAbove(t, "full batch", curve(alpha), slope*alpha, 1e-12)
	}
}

// goldenScaledNoise: noise that is calibrated to the gap that the data show (0.03 and 0.02 on neighbours) has laws of
// different variance, one of which the other cannot dominate.
func goldenScaledNoise(t *testing.T, raw json.RawMessage) {
	var in struct {
		S1, S2 float64
		D2     golden.Number
	}
	if err := strictly(t, raw, &in); err != nil {
		t.Fatal(err)
	}
	p := SphericalPair{From: in.S2 * in.S2, To: in.S1 * in.S1, Coordinates: 1}
	if got := must[float64](t)(p.Divergence(2)); !(in.S1 > 0) || got != float64(in.D2) {
		t.Errorf("D_2 = %g, want %g", got, float64(in.D2))
	}
	p.From, p.To = p.To, p.From
	if got := must[float64](t)(p.Divergence(2)); !(got > 0) || math.IsInf(got, 1) {
		t.Errorf("back: D_2 = %g, want a finite number", got)
	}
}

// goldenTheorem14: one row of a hundred, rows at zero beside the replaced one; the exact loss is that of the
// Poisson pair and bounds the step without replacement from below.
func goldenTheorem14(t *testing.T, raw json.RawMessage) {
	var in struct {
		N, T  int
		L     float64
		C     float64
		Eps   float64
		Sigma float64
		Rows  []struct{ Alpha, Exact, Paper float64 }
	}
	if err := strictly(t, raw, &in); err != nil {
		t.Fatal(err)
	}
	if len(in.Rows) == 0 {
		t.Fatal("no rows")
	}
	// The paper's noise and its claim.
	if want := in.C * in.L * math.Sqrt(float64(in.T)) / (float64(in.N) * in.Eps); math.Abs(in.Sigma/want-1) > 1e-12 {
		t.Errorf("σ = %g, want %g", in.Sigma, want)
	}
	for _, r := range in.Rows {
		if want := r.Alpha * r.Alpha * in.Eps * in.Eps / (2 * in.C * in.C); math.Abs(r.Paper/want-1) > 1e-12 {
			t.Errorf("order %g: the paper's %g, want %g", r.Alpha, r.Paper, want)
		}
	}
	price := func(s Sampling, alpha float64) float64 {
		e := Repeat(SubsampledGaussian{C: in.L, Sigma: in.Sigma, Sampling: s, Neighbours: ReplaceOne}, in.T)
		curve, err := e.RDP(ReplaceOne)
		if err != nil {
			t.Fatal(err)
		}
		return curve(alpha)
	}
	for _, r := range in.Rows {
		// The references are differences of numbers near 1, good to 1e-7.
		requireAbove(t, "Poisson", price(PoissonSampling(1/float64(in.N)), r.Alpha)*(1+1e-7), r.Exact, 2e-7)
		if got := price(BatchSampling(1, in.N), r.Alpha); !(got >= r.Exact) {
			t.Errorf("order %g: without replacement %g, below the exact %g", r.Alpha, got, r.Exact)
		}
	}
}

// decodeMechanism refuses fields that no handler could heed.
func decodeMechanism(t *testing.T, entry map[string]json.RawMessage) (m goldenMechanism) {
	t.Helper()
	rtol := 1e-11
	if _, ok := entry["mp"]; !ok && entry["value"] != nil {
		entry["mp"], rtol = entry["value"], 1e-9 // of a quadrature in float64
	}
	raw, err := json.Marshal(entry)
	if err != nil {
		t.Fatal(err)
	}
	d := json.NewDecoder(strings.NewReader(string(raw)))
	d.DisallowUnknownFields()
	if err := d.Decode(&m); err != nil {
		t.Fatalf("%s: %v", raw, err)
	}
	m.rtol = rtol
	return m
}
