package accountant

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// TestPrintedAdvancedComposition: "N adaptive releases of (ε, 0)-DP are (ε √(6N ln(1/δ)), δ)-DP" (Milionis, Theorem 3.2.4)
// holds for small ε alone: of binary responses the exact δ at the claimed ε is computed, and that of what the library says
// instead.
func TestPrintedAdvancedComposition(t *testing.T) {
	const delta = 1e-5
	for _, c := range []struct {
		name     string
		epsilon  float64
		n        int
		at, most float64 // the exact δ at the claimed ε is in between
	}{
		{"small losses", 0.1, 100, 0, delta},
		{"hundred large ones", 2, 100, 0.13, 0.14},
		{"two hundred", 2, 200, 0.999, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			releases := Repeat(RandomizedResponse{K: 2, Epsilon: c.epsilon, Neighbours: AddRemove}, c.n)
			claimed := c.epsilon * math.Sqrt(6*float64(c.n)*math.Log(1/delta))
			g, err := DeltaOf(releases, AddRemove, claimed)
			if err != nil {
				t.Fatal(err)
			}
			if g.Delta < c.at || g.Delta > c.most {
				t.Errorf("δ at the claimed ε = %g: got %g, want it in [%g, %g]", claimed, g.Delta, c.at, c.most)
			}
			ours, err := EpsilonOf(releases, AddRemove, delta)
			if err != nil {
				t.Fatal(err)
			}
			if g, err = DeltaOf(releases, AddRemove, ours.Epsilon); err != nil || !(g.Delta <= delta*(1+1e-9)) {
				t.Errorf("δ at our ε = %g: got %g, %v, want at most %g", ours.Epsilon, g.Delta, err, delta)
			}
		})
	}
}

// TestPrintedRadius: "n rows of a sub-Gaussian law have ‖Σ^−½x‖² ≤ d ln(n/γ), but for a probability of O(γ)"
// (Milionis, Lemma 6.2.3) fails for normal numbers in one dimension, the more the larger n; GaussianRadius does not.
func TestPrintedRadius(t *testing.T) {
	const gamma = 0.05
	fails := func(d, n int, square float64) float64 { // exactly: 1 − (1 − tail)^n
		return -math.Expm1(float64(n) * math.Log1p(-math.Exp(quad.LogChiSquareSF(square, d))))
	}
	for _, c := range []struct {
		d, n     int
		at, most float64
	}{
		{1, 1000, 0.8, 0.82},
		{1, 1e6, 1 - 1e-9, 1},
		{2, 1000, 0, gamma}, // ln SF = −r²/2
		{10, 1e6, 0, gamma},
	} {
		if got := fails(c.d, c.n, float64(c.d)*math.Log(float64(c.n)/gamma)); got < c.at || got > c.most {
			t.Errorf("d = %d, n = %d: as printed one row is outside with probability %g, want in [%g, %g]", c.d, c.n, got, c.at, c.most)
		}
		r := must[float64](t)(GaussianRadius(c.d, c.n, gamma))
		if got := fails(c.d, c.n, r*r); got > gamma*(1+1e-9) {
			t.Errorf("d = %d, n = %d: outside GaussianRadius with probability %g, want at most %g", c.d, c.n, got, gamma)
		}
	}
}

// TestPrintedNoiseNorm: "noise of scale σ on a symmetric d × d matrix has a norm of O(σ ln(1/γ)/√d) but for a probability γ"
// (Milionis, after Lemma 8.3.8) would fall with d; the norm is about 2σ√d. Hence Fact 8.3.7 needs d times as many rows.
// The draws are fixed.
func TestPrintedNoiseNorm(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 8))
	for _, d := range []int{16, 64} {
		root := math.Sqrt(float64(d))
		for range 20 {
			m := mat.NewSymDense(d, nil)
			for i := range d {
				for j := range i + 1 {
					m.SetSym(i, j, rng.NormFloat64())
				}
			}
			var e mat.EigenSym
			if !e.Factorize(m, false) {
				t.Fatal("no eigenvalues")
			}
			v := e.Values(nil)
			if norm := max(-v[0], v[d-1]); !(norm > 1.5*root && norm < 2.5*root) {
				t.Errorf("d = %d: got a norm of %g, want about 2√d = %g", d, norm, 2*root)
			}
		}
	}
}
