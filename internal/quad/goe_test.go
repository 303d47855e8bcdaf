package quad

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestGOEMass(t *testing.T) {
	for _, d := range []int{1, 2, 3, 4, 5, 10, 51, 200, 1000} {
		if got := GOETail(d, math.Inf(-1)); !(math.Abs(got/float64(d)-1) < 1e-10) {
			t.Errorf("d = %d: expected number of eigenvalues %.15g", d, got)
		}
	}
}

// TestGOEOneByOne: the one eigenvalue is a normal variable of variance 2.
func TestGOEOneByOne(t *testing.T) {
	for _, lam := range []float64{-3, 0, 1, 5, 20, 40} {
		want := NormalCDF(-lam / math.Sqrt2)
		if got := GOETail(1, lam); !(got >= want) || got > want*(1+1e-9) {
			t.Errorf("lam = %g: got %g, want %g", lam, got, want)
		}
	}
	for _, q := range []float64{0.3, 1e-3, 1e-10, 1e-200} {
		if got, want := GOEQuantile(1, q), -math.Sqrt2*NormalQuantile(q); !(got >= want*(1-1e-15)) || got > want*(1+1e-9) {
			t.Errorf("q = %g: got %g, want %g", q, got, want)
		}
	}
}

// TestGOETwoByTwo simulates d = 2: the count above the quantile is within 7.5 standard deviations of its mean, 400 or
// more: false alarm below 1e-10 by Bernstein's inequality.
func TestGOETwoByTwo(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	const n = 400000
	for _, q := range []float64{0.025, 1e-3} {
		lam := GOEQuantile(2, q)
		above := 0
		for range n {
			a, b, c := math.Sqrt2*rng.NormFloat64(), rng.NormFloat64(), math.Sqrt2*rng.NormFloat64()
			if (a+c)/2+math.Hypot((a-c)/2, b) > lam {
				above++
			}
		}
		sd := math.Sqrt(n * q)
		if z := (float64(above) - n*q) / sd; math.Abs(z) > 7.5 {
			t.Errorf("q = %g: %d of %d above %g, %.1f standard deviations off", q, above, n, lam, z)
		}
	}
}

func TestGOEMonotoneAndEdges(t *testing.T) {
	for _, d := range []int{1, 3, 20} {
		last := math.Inf(1)
		for _, q := range []float64{1e-300, 1e-20, 1e-6, 0.01, 0.5, 0.9} {
			lam := GOEQuantile(d, q)
			if !(lam < last) {
				t.Errorf("d = %d, q = %g: %g is not below %g", d, q, lam, last)
			}
			last = lam
		}
	}
	if lam := GOEQuantile(100000, 1e-6); !(lam > 632) || lam > 650 {
		t.Errorf("large d: got %g", lam)
	}
	for _, bad := range []float64{GOEQuantile(0, 0.1), GOEQuantile(3, 0), GOEQuantile(3, 1), GOEQuantile(3, math.NaN()), GOETail(0, 1), GOETail(2, math.NaN())} {
		if !math.IsNaN(bad) {
			t.Errorf("got %g, want NaN", bad)
		}
	}
}

func BenchmarkGOEQuantile(b *testing.B) {
	for b.Loop() {
		GOEQuantile(50, 1e-6)
	}
}
