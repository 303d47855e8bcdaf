package dpkit

import (
	"math"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
)

// TestPaperTheorem13: the loss L⟨θ, x⟩ moves the sum of gradients by 2L, above what the theorem prints for gradient
// descent. The datasets that break the other bounds are those of TestGolden.
func TestPaperTheorem13(t *testing.T) {
	s := paperSetting()
	c := paperCell(t, s, PaperGD, PaperNoStep)
	exact := 2 * s.Order * s.Epsilon * s.Epsilon
	if !c.False || !(c.Printed.Value() < exact) || !(exact <= c.Direct.Value()) || !(c.Direct.Value() <= exact*(1+1e-9)) {
		t.Errorf("Theorem 13: printed %v, exact %v, direct %v", c.Printed, exact, c.Direct)
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
