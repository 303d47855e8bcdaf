package dpkit

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
)

// TestPaperViolations: preprocessing.json's datasets and their exact divergences: above the printed bound,
// below the direct one.
func TestPaperViolations(t *testing.T) {
	var golden struct {
		EndToEnd []struct {
			Kind      string
			N, D, M   int
			SigmaMin  float64 `json:"sigma_min"`
			Exact     float64 `json:"exact_over_alpha_eps2"`
			Table2    float64
			PaperC2   float64 `json:"paper_c2"`
			Corrected float64 `json:"corrected_direct"`
		} `json:"end_to_end_violations"`
		Mechanisms struct {
			Thm14 struct {
				N, T  int
				Eps   float64
				Rows  []struct{ Alpha, Exact, Paper float64 }
				Sigma float64
			} `json:"thm14_counterexample"`
		}
	}
	raw := must(os.ReadFile(filepath.Join("..", "testdata", "golden", "preprocessing.json")))
	if err := json.Unmarshal(raw, &golden); err != nil {
		t.Fatal(err)
	}
	near := func(what string, got, want float64) {
		t.Helper()
		if !(math.Abs(got-want) <= 1e-8*want) {
			t.Errorf("%s: got %.12g, want %.12g", what, got, want)
		}
	}
	for _, g := range golden.EndToEnd {
		s := paperSetting()
		s.Columns = 1
		printed := g.Table2
		var step PaperStep
		switch g.Kind {
		case "M_G x standard scaling":
			step, s.Rows, s.Std = PaperScaling, g.N, g.SigmaMin
		case "M_G x dedup": // the exact shift has Δ = 2; each row deleted on one side moves it by 1
			step, s.Columns, s.Cluster, s.Sensitivity, printed = PaperDedup, g.D, g.M, 2, g.PaperC2
		default:
			t.Fatalf("unknown kind %q", g.Kind)
		}
		c := paperCell(t, s, PaperGaussian, step)
		unit := s.Order * s.Epsilon * s.Epsilon
		near(g.Kind+", printed", c.Printed.Value()/unit, printed)
		near(g.Kind+", direct", c.Direct.Value()/unit, g.Corrected)
		if !c.False || !(c.Printed.Value()/unit < g.Exact) || !(g.Exact <= c.Direct.Value()/unit) {
			t.Errorf("%s: exact %v, printed %v, direct %v", g.Kind, g.Exact, c.Printed.Value()/unit, c.Direct.Value()/unit)
		}
		if step == PaperScaling { // the same rows as gradients break the bound of gradient descent
			c := paperCell(t, s, PaperGD, step)
			if !c.False || !(c.Printed.Value()/unit < g.Exact) && g.N == 100000 || !(g.Exact <= c.Direct.Value()/unit) {
				t.Errorf("gradient descent: exact %v, printed %v, direct %v", g.Exact, c.Printed.Value()/unit, c.Direct.Value()/unit)
			}
		}
	}

	// Theorem 13: the loss L⟨θ, x⟩ moves the sum of gradients by 2L.
	s := paperSetting()
	c := paperCell(t, s, PaperGD, PaperNoStep)
	exact := 2 * s.Order * s.Epsilon * s.Epsilon
	if !c.False || !(c.Printed.Value() < exact) || !(exact <= c.Direct.Value()) || !(c.Direct.Value() <= exact*(1+1e-9)) {
		t.Errorf("Theorem 13: printed %v, exact %v, direct %v", c.Printed, exact, c.Direct)
	}
	// Theorem 14.
	thm := golden.Mechanisms.Thm14
	if len(thm.Rows) == 0 {
		t.Fatal("no rows")
	}
	for _, r := range thm.Rows {
		s.Order, s.Epsilon, s.Rows, s.Steps = r.Alpha, thm.Eps, thm.N, thm.T
		s.Cluster, s.Missing = 1, 1
		c := paperCell(t, s, PaperSGDSampled, PaperNoStep)
		near("Theorem 14, printed", c.Printed.Value(), r.Paper)
		if !c.False || !(c.Printed.Value() < r.Exact) || !(r.Exact <= c.Direct.Value()) {
			t.Errorf("Theorem 14 at %g: printed %v, exact %v, direct %v", r.Alpha, c.Printed, r.Exact, c.Direct)
		}
	}
}

// paperDedup is the paper's η-approximate deduplication in one dimension: of a ball of radius η that
// equals the one of 3η only the first row stays.
func paperDedup(rows []float64, eta float64) (kept []float64) {
	const slack = 1e-9
	gone := make([]bool, len(rows))
	for _, c := range rows {
		var inner, outer []int
		for j, x := range rows {
			if math.Abs(x-c) <= eta+slack {
				inner = append(inner, j)
			}
			if math.Abs(x-c) <= 3*eta+slack {
				outer = append(outer, j)
			}
		}
		if slices.Equal(inner, outer) {
			for _, j := range inner[1:] {
				gone[j] = true
			}
		}
	}
	for j, x := range rows {
		if !gone[j] {
			kept = append(kept, x)
		}
	}
	return kept
}

// TestPaperDedupIsBroken: neighbouring datasets in one dimension, deduplicated and summed, break the printed
// bound of every mechanism that the table calls false, and stay within the direct one.
func TestPaperDedupIsBroken(t *testing.T) {
	s := paperSetting()
	s.Columns, s.Rows, s.Cluster, s.Epsilon, s.Order, s.Sensitivity = 1, 41, 10, 1, 11, 2 // Σx: L = 1, Δ = 2
	var common []float64
	for _, c := range []float64{-0.95, -0.75, 0.75, 0.95} {
		common = append(common, slices.Repeat([]float64{c}, 10)...)
	}
	total := func(z float64) (sum float64) {
		for _, x := range paperDedup(append(slices.Clone(common), z), s.Eta) {
			sum += x
		}
		return sum
	}
	shift := math.Abs(total(-0.85) - total(0.85))
	if math.Abs(shift-32.3) > 1e-9 {
		t.Fatalf("the sums differ by %v, want 32.3", shift)
	}
	a := s.Order
	laplace := must(accountant.Laplace{Sensitivity: shift, Scale: s.Sensitivity / s.Epsilon, Neighbours: ReplaceOne}.RDP(ReplaceOne))
	// Two outputs of scores ±(Σx + public constant) and weights e^(ε·score/2Δ): log odds differ by εs/Δ.
	odds := s.Epsilon * shift / s.Sensitivity
	exponential := renyi2(a, 1/(1+math.Exp(-1)), 1/(1+math.Exp(odds-1))) // the constant makes them 1 and 1 − εs/Δ
	for m, exact := range map[PaperMechanism]float64{
		PaperGaussian:    a * math.Pow(shift*s.Epsilon/s.Sensitivity, 2) / 2,
		PaperLaplace:     laplace(a),
		PaperExponential: exponential,
		PaperGD:          a * math.Pow(shift*s.Epsilon, 2) / 2, // the loss θx: L = 1, μ = 1
	} {
		c := paperCell(t, s, m, PaperDedup)
		t.Logf("%s: printed %.5g, exact %.5g, direct %.5g", m, c.Printed.Value(), exact, c.Direct.Value())
		if !c.False || !(c.Printed.Value() < exact) || !(exact <= c.Direct.Value()) {
			t.Errorf("%s: printed %v, exact %v, direct %v", m, c.Printed, exact, c.Direct)
		}
	}
}

// renyi2 is the Rényi divergence of coins p and q.
func renyi2(alpha, p, q float64) float64 {
	return math.Log(math.Pow(p, alpha)*math.Pow(q, 1-alpha)+math.Pow(1-p, alpha)*math.Pow(1-q, 1-alpha)) / (alpha - 1)
}
