package linalg

import (
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// randomSPD returns a Gram matrix of random rows.
func randomSPD(rng *rand.Rand, n int) []float64 {
	a := make([]float64, n*n)
	for range n + 2 {
		x := make([]float64, n)
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		for i := range n {
			for j := range n {
				a[i*n+j] += x[i] * x[j]
			}
		}
	}
	return a
}

// TestCholeskySolves: L Lᵀ is the matrix, and both triangular systems are solved.
func TestCholeskySolves(t *testing.T) {
	rng := rand.New(rand.NewPCG(81, 82))
	for n := 1; n < 12; n++ {
		a := randomSPD(rng, n)
		l, err := Cholesky(a, n)
		if err != nil {
			t.Fatal(err)
		}
		identity := make([]float64, n*n)
		for i := range n {
			identity[i*n+i] = 1
		}
		w, err := Wishart(l, identity, n)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "L Lᵀ", w, a)
		b := make([]float64, n)
		for i := range b {
			b[i] = rng.NormFloat64()
		}
		y, err := SolveLower(l, b, n)
		if err != nil {
			t.Fatal(err)
		}
		x, err := SolveLowerTransposed(l, y, n)
		if err != nil {
			t.Fatal(err)
		}
		back := make([]float64, n)
		for i := range n {
			for j := range n {
				back[i] += a[i*n+j] * x[j]
			}
		}
		for i := range b {
			if math.Abs(back[i]-b[i]) > 1e-9 {
				t.Errorf("n = %d: A x has %g, want %g", n, back[i], b[i])
			}
		}
	}
}

// TestStudentTIsLeastSquares: θ for g = 0 solves the normal equations of Σ, and √v shrinks it to that as χ grows.
func TestStudentTIsLeastSquares(t *testing.T) {
	rng := rand.New(rand.NewPCG(83, 84))
	for n := 2; n < 8; n++ {
		a := randomSPD(rng, n)
		l, err := Cholesky(a, n)
		if err != nil {
			t.Fatal(err)
		}
		g := make([]float64, n-1)
		for i := range g {
			g[i] = rng.NormFloat64()
		}
		theta, err := StudentT(l, g, 1e30, n)
		if err != nil {
			t.Fatal(err)
		}
		for i := range n - 1 {
			sum := -a[i*n+n-1]
			for j := range n - 1 {
				sum += a[i*n+j] * theta[j]
			}
			if math.Abs(sum) > 1e-9 {
				t.Errorf("n = %d: normal equation %d is off by %g", n, i, sum)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	one, nan := []float64{1, 0, 0, 1}, []float64{math.NaN(), 0, 0, 1}
	for _, c := range []struct {
		name string
		call func() error
		want error
		says string
	}{
		{"shape", func() error { _, err := Cholesky(one[:3], 2); return err }, ErrShape, "3 numbers"},
		{"n 0", func() error { _, err := Cholesky(nil, 0); return err }, ErrShape, "n = 0"},
		{"n -1", func() error { _, err := Cholesky(one[:1], -1); return err }, ErrShape, "n = -1"},
		{"indefinite", func() error { _, err := Cholesky([]float64{1, 2, 2, 1.2345}, 2); return err }, ErrNotPositive, "2×2"},
		{"NaN", func() error { _, err := Cholesky(nan, 2); return err }, ErrNotPositive, "2×2"},
		{"infinite", func() error { _, err := Cholesky([]float64{math.Inf(1)}, 1); return err }, ErrNotPositive, "1×1"},
		{"right side", func() error { _, err := SolveLower(one, one[:1], 2); return err }, ErrShape, "right side"},
		{"right side", func() error { _, err := SolveLowerTransposed(one, one, 2); return err }, ErrShape, "right side"},
		{"singular", func() error { _, err := SolveLower(make([]float64, 4), one[:2], 2); return err }, ErrShape, "diagonal"},
		{"factor", func() error { _, err := Wishart(one[:1], one, 2); return err }, ErrShape, "factor"},
		{"draw", func() error { _, err := Wishart(one, one[:1], 2); return err }, ErrShape, "draw"},
		{"no feature", func() error { _, err := StudentT(one[:1], nil, 1, 1); return err }, ErrShape, "draw"},
		{"g", func() error { _, err := StudentT(one, one, 1, 2); return err }, ErrShape, "draw"},
		{"factor of t", func() error { _, err := StudentT(one[:1], one[:1], 1, 2); return err }, ErrShape, "factor"},
		{"chi 0", func() error { _, err := StudentT(one, one[:1], 0, 2); return err }, ErrShape, "χ²"},
		{"NaN chi", func() error { _, err := StudentT(one, one[:1], math.NaN(), 2); return err }, ErrShape, "χ²"},
	} {
		if err := c.call(); !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), "1.23") {
			t.Errorf("%s: got %v, want %v saying %q", c.name, err, c.want, c.says)
		}
	}
}
