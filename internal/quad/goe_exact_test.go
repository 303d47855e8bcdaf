package quad

import (
	"math"
	"testing"
)

// TestGOEExceeds: references by the Pfaffian in 25 digits (mpmath), and closed forms.
func TestGOEExceeds(t *testing.T) {
	for _, c := range []struct {
		d        int
		lam, out float64
	}{
		{3, 4, 0.043704509201},
		{5, 5.5, 0.016311203294},
		{10, 8, 0.0025054040312},
		{50, 12, 0.99102277484},
	} {
		got := GOEExceeds(c.d, c.lam)
		if !(got >= c.out-1e-11 && got <= c.out+1.2e-9) {
			t.Errorf("d = %d, λ = %g: got %.12g, want %.12g, rounded up", c.d, c.lam, got, c.out)
		}
	}
	for _, lam := range []float64{-3, -1, 0, 1, 4} { // one number of variance 2
		if got, want := GOEExceeds(1, lam), NormalCDF(-lam/math.Sqrt2); !(math.Abs(got-want) <= 1.1e-9) {
			t.Errorf("d = 1, λ = %g: got %.12g, want %.12g", lam, got, want)
		}
	}
	// d = 2: λ = (a+c)/2 + r with (a+c)/2 standard normal and r² = ((a−c)/2)² + b², of the law of Rayleigh.
	for _, lam := range []float64{-1, 0, 1, 2, 3} {
		want := 0.0
		for r := 0.0; r < 12; r++ {
			want += Legendre(func(r float64) float64 { return r * math.Exp(-r*r/2) * NormalCDF(r-lam) }, r, r+1)
		}
		if got := GOEExceeds(2, lam); !(math.Abs(got-want) <= 1.1e-9) {
			t.Errorf("d = 2, λ = %g: got %.12g, want %.12g", lam, got, want)
		}
	}
	if got := GOEExceeds(7, -100); got != 1 {
		t.Errorf("far below: got %g", got)
	}
	for _, bad := range []float64{GOEExceeds(0, 1), GOEExceeds(2, math.NaN())} {
		if !math.IsNaN(bad) {
			t.Errorf("got %g, want NaN", bad)
		}
	}
}

// TestGOEExactQuantiles: above q = 0.1 the exact law gives less than the expected number of eigenvalues does, and it joins
// the bound at 0.1.
func TestGOEExactQuantiles(t *testing.T) {
	for _, d := range []int{2, 10, 60} {
		for _, q := range []float64{0.11, 0.3, 0.5, 0.9} {
			lam := GOEQuantile(d, q)
			if got := GOEExceeds(d, lam); !(got <= q) || got < q-1e-6 {
				t.Errorf("d = %d, q = %g: λ = %g is exceeded with probability %.9g", d, q, lam, got)
			}
		}
		if a, b := GOEQuantile(d, 0.1), GOEQuantile(d, 0.1+1e-9); !(b <= a) || b < a-0.02 {
			t.Errorf("d = %d: %g at 0.1 and %g above", d, a, b)
		}
	}
}
