package unbounded

import (
	"context"
	"math"
	"os"
	"testing"
)

// near allows what another processor may do to eigenvectors and to the rounding of rows; the draws are the same.
func near(a, b float64) bool { return math.Abs(a-b) <= 0.02*math.Abs(b)+1e-6 }

// TestStoredIsReproduced runs the first draw of some settings again: sessions are demonstrations, so that the numbers are those
// that are stored.
func TestStoredIsReproduced(t *testing.T) {
	ctx := context.Background()
	r, err := Stored()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range r.Sweeps["rows"][:1] {
		got, err := Once(ctx, p.Setting, r.Seed)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range Methods {
			v, ran := got[m]
			if stored := p.Errors[m]; ran != (len(stored) > 0) || (ran && !near(v, stored[0])) {
				t.Errorf("%+v, %s: got %g (%v), stored %v", p.Setting, m, v, ran, stored)
			}
		}
	}
	l, b, y, err := ThreeOnce(ctx, r.Three[0].Rows, r.Seed)
	if err != nil {
		t.Fatal(err)
	}
	if s := r.Three[0]; !near(l, s.Linear[0]) || !near(b, s.Bounded[0]) || !near(y, s.Binary[0]) {
		t.Errorf("three settings: got %g, %g, %g, stored %g, %g, %g", l, b, y, s.Linear[0], s.Bounded[0], s.Binary[0])
	}
}

// TestCreditIsReproduced runs one target on the real rows.
func TestCreditIsReproduced(t *testing.T) {
	data := os.Getenv("DPNB_DATA")
	if data == "" {
		t.Skip("DPNB_DATA names no folder of real data")
	}
	r, err := Stored()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range r.Credit[len(r.Credit)-1:] {
		got, err := CreditOnce(context.Background(), CreditFile(data), c.Epsilon, r.Seed)
		if err != nil || !near(got.Adaptive, c.Adaptive) || !near(got.Guessed, c.Guessed) || got.Refused != c.Refused {
			t.Errorf("got %+v, %v, stored %+v", got, err, c)
		}
	}
}

// TestFindings: what the notebook says of the stored numbers.
func TestFindings(t *testing.T) {
	r, err := Stored()
	if err != nil {
		t.Fatal(err)
	}
	if r.Runs < 5 || len(r.Sweeps) != len(Sweeps()) || len(r.Credit) != 5 || r.CreditSHA == "" {
		t.Fatalf("stored are %d runs, %d sweeps, %d targets on credit rows %q", r.Runs, len(r.Sweeps), len(r.Credit), r.CreditSHA)
	}
	median := func(p Point, m string) float64 { _, v, _ := p.Quartiles(m); return v }
	for _, p := range r.Sweeps["kappa"] {
		if a, n := median(p, Adaptive), median(p, NonPrivate); !(a <= 3*n) {
			t.Errorf("κ = %g: adaptive %g, not private %g", p.Kappa, a, n)
		}
		if a, g := median(p, Adaptive), median(p, Guessed); !(g >= 5*a) {
			t.Errorf("κ = %g: adaptive %g, guessed %g", p.Kappa, a, g)
		}
	}
	if last := r.Credit[len(r.Credit)-1]; last.Refused != "" || !(last.Adaptive > last.Guessed && last.Adaptive > r.NonPrivate-0.01) {
		t.Errorf("credit: %+v, not private %g", last, r.NonPrivate)
	}
}

// TestCharts draws every figure.
func TestCharts(t *testing.T) {
	r, err := Stored()
	if err != nil {
		t.Fatal(err)
	}
	for name := range Sweeps() {
		if c := r.Sweep(name); len(c.Series) != len(Methods) {
			t.Errorf("%s: %d series, want %d", name, len(c.Series), len(Methods))
		}
	}
	if len(r.Settings3().Series) != 3 || len(r.CreditChart().Series) != 2 {
		t.Error("a figure misses a series")
	}
}
