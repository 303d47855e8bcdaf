package printed

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit"
)

// setting is one in which every cell can be evaluated.
func setting() Setting {
	return Setting{
		Order: 11, Epsilon: 0.5, Rows: 1000, Columns: 2, Steps: 100,
		Cluster: 5, Eta: 0.05, Missing: 40, Gap: 0.1, Std: 0.3,
	}
}

func cell(t *testing.T, s Setting, m Mechanism, step Step) Cell {
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
	want := map[Step][6]float64{
		NoStep:       {a * e * e / 2, e, e, a * e * e / 2, a * a * e * e / 2, a * e * e / 2},
		Dedup:        {gauss(p * p), lap(p), lap(p), gd(p * p), none, iter(p*p, p)},
		Quantization: {gauss(sq(eta * p)), lap(eta * p), lap(eta * p), gd(sq(eta * p)), none, iter(sq(eta*p), p)},
		Imputation: {
			gauss(4 * sq(miss/(n-miss))), lap(2 * miss / (n - miss)), lap(2 * miss / (n - miss)),
			4.2 * a * e * e * (1 + sq(miss/(n-miss))), none, iter(4*sq(miss/(n-miss)), miss),
		},
		PCA: {gauss(sq(12.2 / gap)), lap(12.2 / gap), lap(12.2 / gap), gd(sq(12.2 / gap)), 1.05 * a * e * e * (2*a + sq(12.2/gap)), none},
		Scaling: {
			gauss(4 / math.Pow(std, 3)), lap(4 / math.Pow(std, 3)), lap(4 / math.Pow(std, 3)), 4.2 * a * e * e * (1 + 1/math.Pow(std, 3)),
			2.1 * a * e * e * (a + 8/math.Pow(std, 6)), none,
		},
	}
	table := must(Table2(setting()))
	if len(table.Cells) != 36 {
		t.Fatalf("%d cells, want 36", len(table.Cells))
	}
	for step, row := range want {
		for i, m := range mechanisms {
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
		s := setting()
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

// TestConstants compares the corrected sensitivities with preprocessing.json.
func TestConstants(t *testing.T) {
	if got := imputationShift(100, 99, 2) * 99; math.Abs(got-math.Sqrt(4+2*100./99)) > 1e-12 {
		t.Errorf("imputation: %v", got)
	}
	row, total := scalingShift(1000, 1, 0.3) // one column of width 2
	if math.Abs(row-0.144736237141996) > 1e-9 || math.Abs(total-23.200681130912333) > 1e-8 {
		t.Errorf("scaling: %v, %v", row, total)
	}
	s := setting()
	s.Columns, s.Cluster = 3, 3
	if p := must(s.pair(Dedup)); p.M != 2*(12*2+1) {
		t.Errorf("dedup: %v", p)
	}
	if p := must(s.pair(Quantization)); p.M != 2*12*3 || math.Abs(p.T1-2*0.05*36) > 1e-9 {
		t.Errorf("quantization: %v", p)
	}
}

func TestTableIsNoGuarantee(t *testing.T) {
	table := must(Table2(setting()))
	text := table.String()
	for _, want := range []string{"NOT A GUARANTEE", "None is a guarantee", "FALSE, see 1\n", "1. Theorem 13", "SGD-iter", "PCA"} {
		if !strings.Contains(text, want) {
			t.Errorf("the table does not say %q:\n%s", want, text)
		}
	}
	if s := table.Cells[0].Direct.String(); !strings.Contains(s, "not a guarantee") {
		t.Errorf("a number reads %q", s)
	}
	if s := (Bound{math.NaN()}).String(); s != "not printed" {
		t.Errorf("no number reads %q", s)
	}
	low := setting()
	low.Order = 2
	if !strings.Contains(must(Table2(low)).String(), "from 11 on") {
		t.Error("a low order is not remarked on")
	}
}

func TestMistakes(t *testing.T) {
	for name, edit := range map[string]func(*Setting){
		"Order":       func(s *Setting) { s.Order = 1 },
		"Epsilon":     func(s *Setting) { s.Epsilon = math.NaN() },
		"Rows":        func(s *Setting) { s.Rows = 1 },
		"Columns":     func(s *Setting) { s.Columns = 0 },
		"Sensitivity": func(s *Setting) { s.Sensitivity = -1 },
		"Lipschitz":   func(s *Setting) { s.Lipschitz = math.Inf(1) },
		"Smoothness":  func(s *Setting) { s.Smoothness = math.NaN() },
		"Cluster":     func(s *Setting) { s.Cluster = 0 },
		"Eta":         func(s *Setting) { s.Eta = 0 },
		"Missing":     func(s *Setting) { s.Missing = 1000 },
		"Gap":         func(s *Setting) { s.Gap = math.NaN() },
		"Std":         func(s *Setting) { s.Std = 1.5 },
	} {
		s := setting()
		edit(&s)
		if _, err := Table2(s); !errors.Is(err, dpkit.ErrParameter) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, ok := (Table{}).Cell(GD, PCA); ok {
		t.Error("an empty table has a cell")
	}
}
