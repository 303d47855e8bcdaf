package relativegaussian

import (
	"math"
	"testing"

	"github.com/dpkit-go/dpnb/internal/single"
)

// TestPrintedClaims: the numbers that notebooks/papers/001_relative_gaussian.ipynb states.
func TestPrintedClaims(t *testing.T) {
	single.Goroutine(t)
	near := func(name string, got, want, tol float64) {
		if !(math.Abs(got-want) <= tol) {
			t.Errorf("%s: got %.6g, want %g", name, got, want)
		}
	}
	v, err := CorollaryOne()
	if err != nil {
		t.Fatal(err)
	}
	near("Corollary 1", v.Corollary, 0.870147, 1e-6)
	near("its root", v.Root, 0.8601, 1e-4)
	near("Theorem 1 by the library", v.Library, 0.554147, 1e-6)
	near("exact", v.Exact, 0.553576, 1e-6)
	for _, eta := range []float64{1e-4, 1e-3} {
		got, err := floor(eta, 2)
		if err != nil {
			t.Fatal(err)
		}
		near("floor", got, 1, 0.02)
	}
	least, most := math.Inf(1), 0.0
	for _, r := range theoremOneCases {
		lo, hi, err := overTight(r)
		if err != nil {
			t.Fatal(err)
		}
		least, most = min(least, lo), max(most, hi)
		if lo < 1 {
			t.Errorf("%v: Theorem 1 is %g of the exact curve", r, lo)
		}
	}
	t.Logf("Theorem 1 over exact: %.3g to %.3g", least, most)
	printed, ours := 0.0, 0.0
	for i := range 1_000_001 {
		p, o := propositionOne(math.Pi * float64(i) / 1e6)
		printed, ours = max(printed, p), max(ours, o)
	}
	near("Proposition 1", printed, 185.3, 0.1)
	if ours > 1 || ours < 0.1 {
		t.Errorf("Proposition 1, corrected: %g of the claim, want at most 1 and not far from it", ours)
	}
	near("orthogonal rows", orthogonal(10), 400, 1e-9)
	for _, c := range []struct {
		t     float64
		count int
	}{{0, 1001}, {1, 2}} {
		if got, _ := propositionTwo(c.t); got != c.count {
			t.Errorf("Proposition 2 at %g: Δ₊ = %d, want %d", c.t, got, c.count)
		}
	}
	threshold := math.Log(1/twoDelta) / twoEpsilon
	near("P(pass) before", passes(1001, twoEpsilon, threshold), 1, 1e-12)
	near("P(pass) after", passes(2, twoEpsilon, threshold), 3.6945e-6, 1e-9)
	near("ρ of (12)", strength(5, 10), 0.48094851238978714, 1e-12)
	near("ρ of (12)", strength(22, 44), 0.49973163197178140, 1e-12)
	near("Theorem 2", factor(0.5, twoDims), 2.75, 1e-12)
	near("corrected step", factor(1.0/11, twoDims), 10.0/11, 1e-12)
	n, enough := rowsWanted(1e-3)
	low, high := acceptance(int(n), 1e-3, 1), acceptance(int(enough), 1e-3, 1)
	t.Logf("Proposition 3 at ε = 0.001: %.0f rows accept with %.3g, %.0f with %.9g", n, low, enough, high)
	if low > 0.05 || high < 1-threeDelta {
		t.Errorf("Proposition 3 at ε = 0.001: %.0f rows accept with %g, %.0f with %g", n, low, enough, high)
	}
	if p := acceptance(int(math.Ceil(threeClip*math.Log(1/threeDelta)/0.2)), 0.1, 1); p < 0.99 {
		t.Errorf("Proposition 3 at ε = 0.1: accepts with %g", p)
	}
}
