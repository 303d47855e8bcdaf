package printed

import (
	"math"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
)

// TestTheorem13: the loss L⟨θ, x⟩ moves the sum of gradients by 2L, above what the theorem prints for gradient
// descent. The datasets that break the other bounds are those of TestGolden.
func TestTheorem13(t *testing.T) {
	s := setting()
	c := cell(t, s, GD, NoStep)
	exact := 2 * s.Order * s.Epsilon * s.Epsilon
	if !c.False || !(c.Printed.Value() < exact) || !(exact <= c.Direct.Value()) || !(c.Direct.Value() <= exact*(1+1e-9)) {
		t.Errorf("Theorem 13: printed %v, exact %v, direct %v", c.Printed, exact, c.Direct)
	}
}

// centres are, to each row, the centre of its good cluster, or the row itself: the first row of a ball of radius η
// that equals the one of 3η.
func centres(rows [][2]float64, eta float64) []int {
	const slack = 1e-9
	centre, placed := make([]int, len(rows)), make([]bool, len(rows))
	for i := range centre {
		centre[i] = i
	}
	for i, c := range rows {
		var inner, outer []int
		for j, x := range rows {
			d := math.Hypot(x[0]-c[0], x[1]-c[1])
			if d <= eta+slack {
				inner = append(inner, j)
			}
			if d <= 3*eta+slack {
				outer = append(outer, j)
			}
		}
		if !placed[i] && slices.Equal(inner, outer) {
			for _, j := range inner {
				centre[j], placed[j] = i, true
			}
		}
	}
	return centre
}

// TestDedupIsBroken: neighbouring datasets in one dimension, deduplicated and summed, break the printed
// bound of every mechanism that the table calls false, and stay within the direct one.
func TestDedupIsBroken(t *testing.T) {
	s := setting()
	s.Columns, s.Rows, s.Cluster, s.Epsilon, s.Order, s.Sensitivity = 1, 41, 10, 1, 11, 2 // Σx: L = 1, Δ = 2
	var common [][2]float64
	for _, c := range []float64{-0.95, -0.75, 0.75, 0.95} {
		common = append(common, slices.Repeat([][2]float64{{c}}, 10)...)
	}
	total := func(z float64) (sum float64) {
		rows := append(slices.Clone(common), [2]float64{z})
		for i, c := range centres(rows, s.Eta) {
			if c == i {
				sum += rows[i][0]
			}
		}
		return sum
	}
	shift := math.Abs(total(-0.85) - total(0.85))
	if math.Abs(shift-32.3) > 1e-9 {
		t.Fatalf("the sums differ by %v, want 32.3", shift)
	}
	breaks(t, s, Dedup, shift)
}

// breaks holds against the printed bounds of a step what a shift of the preprocessed sum costs exactly, of terms with L = μ = 1.
func breaks(t *testing.T, s Setting, step Step, shift float64) {
	t.Helper()
	a := s.Order
	laplace := must(accountant.Laplace{Sensitivity: shift, Scale: s.Sensitivity / s.Epsilon, Neighbours: accountant.ReplaceOne}.RDP(accountant.ReplaceOne))
	// Two outputs of scores ±(the sum + public constant) and weights e^(ε·score/2Δ): log odds differ by εs/Δ.
	odds := s.Epsilon * shift / s.Sensitivity
	exponential := renyi2(a, 1/(1+math.Exp(-1)), 1/(1+math.Exp(odds-1))) // the constant makes them 1 and 1 − εs/Δ
	for m, exact := range map[Mechanism]float64{
		Gaussian:    a * math.Pow(shift*s.Epsilon/s.Sensitivity, 2) / 2,
		Laplace:     laplace(a),
		Exponential: exponential,
		GD:          a * math.Pow(shift*s.Epsilon, 2) / 2, // the loss θ·term: L = 1, μ = 1
	} {
		c := cell(t, s, m, step)
		t.Logf("%s: printed %.5g, exact %.5g, direct %.5g", m, c.Printed.Value(), exact, c.Direct.Value())
		if !c.False || !(c.Printed.Value() < exact) || !(exact <= c.Direct.Value()) {
			t.Errorf("%s: printed %v, exact %v, direct %v", m, c.Printed, exact, c.Direct)
		}
	}
}

// TestQuantizationIsBroken: five clusters of nine rows around either of two points in the plane, centres at 2.99η and the
// other rows η nearer. A row at one of the points destroys the five around it. Their distances to the point, capped at ½, minus those
// to the other point, are 1-Lipschitz terms of a sum that one row changes by 1 at most.
func TestQuantizationIsBroken(t *testing.T) {
	s := setting()
	s.Columns, s.Rows, s.Cluster, s.Epsilon, s.Order, s.Sensitivity = 2, 91, 9, 1, 11, 1
	points := [2][2]float64{{-0.8, 0}, {0.8, 0}}
	var common [][2]float64
	for _, p := range points {
		for k := range 5 {
			sin, cos := math.Sincos(2 * math.Pi * float64(k) / 5)
			for i := range 9 {
				r := 2.99 * s.Eta
				if i > 0 {
					r -= s.Eta
				}
				common = append(common, [2]float64{p[0] + r*cos, p[1] + r*sin})
			}
		}
	}
	near := func(x, p [2]float64) float64 { return min(math.Hypot(x[0]-p[0], x[1]-p[1]), 0.5) }
	total := func(z [2]float64) (sum float64) {
		rows := append(slices.Clone(common), z)
		for _, c := range centres(rows, s.Eta) {
			sum += near(rows[c], points[0]) - near(rows[c], points[1])
		}
		return sum
	}
	shift := math.Abs(total(points[0]) - total(points[1]))
	if math.Abs(shift-5) > 1e-9 { // 2·5·8·η of the clusters, 1 of the row itself
		t.Fatalf("the sums differ by %v, want 5", shift)
	}
	breaks(t, s, Quantization, shift)
}

// TestImputationIsBroken: 100 rows (r, r), r = 1/√2, 99 without cells, and (−1, missing) replaced by (missing, −1). The mean moves
// by 2.41/101 along (1, −1), and with it the 99; a sum of (x₁ − x₂)/√2, capped at ±1, adds that up.
func TestImputationIsBroken(t *testing.T) {
	s := setting()
	s.Columns, s.Rows, s.Missing, s.Epsilon, s.Order, s.Sensitivity = 2, 200, 100, 10, 11, 2
	total := func(column int) (sum float64) {
		mean := [2]float64{math.Sqrt2 / 2, math.Sqrt2 / 2}
		mean[column] = (100*mean[column] - 1) / 101
		free := mean
		free[column] = -1
		term := func(x [2]float64) float64 { return max(-1, min(1, (x[0]-x[1])/math.Sqrt2)) }
		return 99*term(mean) + term(free)
	}
	shift := math.Abs(total(0) - total(1))
	if math.Abs(shift-(2+99*math.Sqrt2*(1+math.Sqrt2/2)/101)) > 1e-9 {
		t.Fatalf("the sums differ by %v, want 4.366", shift)
	}
	breaks(t, s, Imputation, shift)
}

// renyi2 is the Rényi divergence of coins p and q.
func renyi2(alpha, p, q float64) float64 {
	return math.Log(math.Pow(p, alpha)*math.Pow(q, 1-alpha)+math.Pow(1-p, alpha)*math.Pow(1-q, 1-alpha)) / (alpha - 1)
}
