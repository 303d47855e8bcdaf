package dpkit

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
)

// paperSetting is one in which every cell can be evaluated.
func paperSetting() PaperSetting {
	return PaperSetting{
		Order: 11, Epsilon: 0.5, Rows: 1000, Columns: 2, Steps: 100,
		Cluster: 5, Eta: 0.05, Missing: 40, Gap: 0.1, Std: 0.3,
	}
}

func paperCell(t *testing.T, s PaperSetting, m PaperMechanism, step PaperStep) PaperCell {
	t.Helper()
	table, err := Table2(s)
	if err != nil {
		t.Fatal(err)
	}
	c, ok := table.Cell(m, step)
	if !ok {
		t.Fatalf("no cell %s × %s", m, step)
	}
	return c
}

// TestPrintedTable evaluates the printed formulas by hand.
func TestPrintedTable(t *testing.T) {
	const a, e, n, p, miss, eta, gap, std = 11.0, 0.5, 1000.0, 10.0, 40.0, 0.05, 0.1, 0.3
	sq := func(x float64) float64 { return x * x }
	lap := func(tau float64) float64 { return e * (1 + tau) }
	gauss := func(tau2 float64) float64 { return 1.05 * a * e * e * (1 + tau2) }
	gd := func(tau2 float64) float64 { return 1.05 * a * e * e * (4 + tau2) }
	iter := func(tau2, p float64) float64 {
		return 1.1 * a * e * e * (1 + tau2*n/math.Log(n)/((n-p)/math.Log(n-p)))
	}
	none := math.NaN()
	want := map[PaperStep][6]float64{
		PaperNoStep:       {a * e * e / 2, e, e, a * e * e / 2, a * a * e * e / 2, a * e * e / 2},
		PaperDedup:        {gauss(p * p), lap(p), lap(p), gd(p * p), none, iter(p*p, p)},
		PaperQuantization: {gauss(sq(eta * p)), lap(eta * p), lap(eta * p), gd(sq(eta * p)), none, iter(sq(eta*p), p)},
		PaperImputation: {
			gauss(4 * sq(miss/(n-miss))), lap(2 * miss / (n - miss)), lap(2 * miss / (n - miss)),
			4.2 * a * e * e * (1 + sq(miss/(n-miss))), none, iter(4*sq(miss/(n-miss)), miss),
		},
		PaperPCA: {gauss(sq(12.2 / gap)), lap(12.2 / gap), lap(12.2 / gap), gd(sq(12.2 / gap)), 1.05 * a * e * e * (2*a + sq(12.2/gap)), none},
		PaperScaling: {
			gauss(4 / math.Pow(std, 3)), lap(4 / math.Pow(std, 3)), lap(4 / math.Pow(std, 3)), 4.2 * a * e * e * (1 + 1/math.Pow(std, 3)),
			2.1 * a * e * e * (a + 8/math.Pow(std, 6)), none,
		},
	}
	table := must(Table2(paperSetting()))
	if len(table.Cells) != 36 {
		t.Fatalf("%d cells, want 36", len(table.Cells))
	}
	for step, row := range want {
		for i, m := range paperMechanisms {
			c, _ := table.Cell(m, step)
			got := c.Printed.Value()
			if math.IsNaN(row[i]) != math.IsNaN(got) || math.Abs(got-row[i]) > 1e-12*row[i] {
				t.Errorf("%s × %s: got %v, want %v", m, step, got, row[i])
			}
		}
	}
}

// TestTableColumns: the direct bound is never above Theorem 2 with c = 2, but where the latter composes other
// bounds of a subsampled step; without preprocessing both count one neighbour.
func TestTableColumns(t *testing.T) {
	for _, order := range []float64{1.5, 11, 60} {
		s := paperSetting()
		s.Order = order
		for _, c := range must(Table2(s)).Cells {
			direct, two := c.Direct.Value(), c.Theorem2.Value()
			if !(direct > 0) || !(two > 0) || math.IsInf(direct, 1) {
				t.Errorf("%s × %s at %g: direct %v, Theorem 2 %v", c.Mechanism, c.Step, order, direct, two)
			}
			if !(direct <= two*(1+1e-9)) {
				t.Errorf("%s × %s at %g: direct %v above Theorem 2's %v", c.Mechanism, c.Step, order, direct, two)
			}
			if c.False && c.Fault == "" {
				t.Errorf("%s × %s is called false without a reason", c.Mechanism, c.Step)
			}
		}
	}
}

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

// TestPaperConstants compares the corrected sensitivities with preprocessing.json.
func TestPaperConstants(t *testing.T) {
	if got := imputationShift(100, 99, 2) * 99; math.Abs(got-math.Sqrt(4+2*100./99)) > 1e-12 {
		t.Errorf("imputation: %v", got)
	}
	row, total := scalingShift(1000, 1, 0.3) // one column of width 2
	if math.Abs(row-0.144736237141996) > 1e-9 || math.Abs(total-23.200681130912333) > 1e-8 {
		t.Errorf("scaling: %v, %v", row, total)
	}
	s := paperSetting()
	s.Columns, s.Cluster = 3, 3
	if p := must(s.pair(PaperDedup)); p.M != 2*(12*2+1) {
		t.Errorf("dedup: %v", p)
	}
	if p := must(s.pair(PaperQuantization)); p.M != 2*12*3 || math.Abs(p.T1-2*0.05*36) > 1e-9 {
		t.Errorf("quantization: %v", p)
	}
}

func TestPaperIsNoGuarantee(t *testing.T) {
	table := must(Table2(paperSetting()))
	text := table.String()
	for _, want := range []string{"NOT A GUARANTEE", "None is a guarantee", "FALSE, see 1\n", "1. Theorem 13", "SGD-iter", "PCA"} {
		if !strings.Contains(text, want) {
			t.Errorf("the table does not say %q:\n%s", want, text)
		}
	}
	if s := table.Cells[0].Direct.String(); !strings.Contains(s, "not a guarantee") {
		t.Errorf("a number reads %q", s)
	}
	if s := (PaperBound{math.NaN()}).String(); s != "not printed" {
		t.Errorf("no number reads %q", s)
	}
	low := paperSetting()
	low.Order = 2
	if !strings.Contains(must(Table2(low)).String(), "from 11 on") {
		t.Error("a low order is not remarked on")
	}
}

func TestPaperMistakes(t *testing.T) {
	for name, edit := range map[string]func(*PaperSetting){
		"Order":       func(s *PaperSetting) { s.Order = 1 },
		"Epsilon":     func(s *PaperSetting) { s.Epsilon = math.NaN() },
		"Rows":        func(s *PaperSetting) { s.Rows = 1 },
		"Columns":     func(s *PaperSetting) { s.Columns = 0 },
		"Sensitivity": func(s *PaperSetting) { s.Sensitivity = -1 },
		"Lipschitz":   func(s *PaperSetting) { s.Lipschitz = math.Inf(1) },
		"Smoothness":  func(s *PaperSetting) { s.Smoothness = math.NaN() },
		"Cluster":     func(s *PaperSetting) { s.Cluster = 0 },
		"Eta":         func(s *PaperSetting) { s.Eta = 0 },
		"Missing":     func(s *PaperSetting) { s.Missing = 1000 },
		"Gap":         func(s *PaperSetting) { s.Gap = math.NaN() },
		"Std":         func(s *PaperSetting) { s.Std = 1.5 },
	} {
		s := paperSetting()
		edit(&s)
		if _, err := Table2(s); !errors.Is(err, ErrParameter) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, ok := (PaperTable{}).Cell(PaperGD, PaperPCA); ok {
		t.Error("an empty table has a cell")
	}
}
