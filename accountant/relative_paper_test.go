package accountant

import (
	"math"
	"slices"
	"testing"
)

// TestPropositionOneFails rebuilds the data that refutes Proposition 1 of Hendrikx, Mangold, Bellet 2025: 10⁶ rows, of which one is
// replaced, all of them clipped as it says, with the ridge 0 and A ⪰ ρC before and after. It claims that the gradient moves by no
// more than η‖g‖ + R with η² = 6R_c⁴/(ρn)²; a row with no residual moves it by 13 times that η.
func TestPropositionOneFails(t *testing.T) {
	const n = 1e6
	c := [2]float64{1, 1e-4}
	v := [2]float64{1, 0.01}
	square := func(x [2]float64) float64 { return x[0]*x[0] + x[1]*x[1] }
	clipped := func(x [2]float64) float64 { return square(x) * (x[0]*x[0]/(c[0]*c[0]) + x[1]*x[1]/(c[1]*c[1])) } // ‖x‖²‖C⁻¹x‖²
	// A = C + vvᵀ from rows along the axes and along v. The row to be removed is along the worst direction for A.
	a := [3]float64{c[0] + v[0]*v[0], v[0] * v[1], c[1] + v[1]*v[1]}
	solve := func(x [2]float64) [2]float64 {
		det := a[0]*a[2] - a[1]*a[1]
		return [2]float64{(a[2]*x[0] - a[1]*x[1]) / det, (a[0]*x[1] - a[1]*x[0]) / det}
	}
	var worst [2]float64
	best := 0.0
	for i := range 200_000 {
		s, co := math.Sincos(float64(i) * math.Pi / 200_000)
		x := [2]float64{co, s}
		if r := square(solve(x)) / (x[0]*x[0]/(c[0]*c[0]) + x[1]*x[1]/(c[1]*c[1])); r > best {
			best, worst = r, x
		}
	}
	const rc4 = 40023.00107503373
	s := math.Pow(rc4/clipped(worst), 0.25)
	x := [2]float64{s * worst[0], s * worst[1]}
	// The other rows hold A − xxᵀ/n ⪰ 0: its eigenvectors, in as many rows as clipping asks for.
	left := [3]float64{a[0] - x[0]*x[0]/n, a[1] - x[0]*x[1]/n, a[2] - x[1]*x[1]/n}
	mean, gap := (left[0]+left[2])/2, math.Hypot((left[0]-left[2])/2, left[1])
	rows := 1.0
	for _, value := range []float64{mean + gap, (left[0]*left[2] - left[1]*left[1]) / (mean + gap)} {
		if !(value > 0) {
			t.Fatalf("A − xxᵀ/n has the eigenvalue %g", value)
		}
		e := [2]float64{left[1], value - left[0]}
		size := math.Hypot(e[0], e[1])
		e = [2]float64{e[0] / size, e[1] / size}
		longest := math.Pow(rc4/clipped(e), 0.25)
		rows += math.Ceil(n * value / (longest * longest))
	}
	if rows > n {
		t.Fatalf("A needs %.0f rows, want at most 10⁶", rows)
	}
	// ρ for the data, and for it without the row.
	strength := func(a [3]float64) float64 {
		p, q, r := a[0]/c[0], a[1]/math.Sqrt(c[0]*c[1]), a[2]/c[1]
		return (p+r)/2 - math.Hypot((p-r)/2, q)
	}
	rho := min(strength(a), strength(left))
	// The row's label agrees at the minimiser: removing it moves g by x⟨x, θ − θ*⟩/n, and g = A(θ − θ*).
	g := solve(x) // the direction of g that maximises |⟨x, A⁻¹g⟩|/‖g‖
	moved := math.Sqrt(square(x)) * math.Abs(solve(g)[0]*x[0]+solve(g)[1]*x[1]) / n
	true2 := moved * moved / square(g)
	paper := 6 * rc4 / (rho * rho * n * n)
	t.Logf("ρ = %.6f, η² is %.4g, the paper's %.4g: %.1f times", rho, true2, paper, true2/paper)
	if true2 < 100*paper {
		t.Errorf("η² = %g, the paper's %g: no counterexample", true2, paper)
	}
	l := LeastSquaresGradient{
		Rows: n, Strength: rho, MinEigen: c[1], MaxEigen: c[0], Leverage: x[0]*x[0]/c[0] + x[1]*x[1]/c[1],
		Norm: math.Sqrt(square(x)), Moment: 1, Split: 1e-9,
	}
	eta, _, err := l.Sensitivity(AddRemove)
	if err != nil {
		t.Fatal(err)
	}
	if eta*eta < true2 {
		t.Errorf("corrected η² = %g, below the true %g", eta*eta, true2)
	}
}

// TestPropositionTwoFails rebuilds the neighbours between which the statistic of Proposition 2, Δ₊ = the least number of rows with
// Σ xᵀ(A − ρC)⁻¹x ≥ n, falls from 1001 to 2; the eigenvalue that takes its place moves by R_c²/n.
func TestPropositionTwoFails(t *testing.T) {
	const n, mu, rho = 1000, 0.1, 0.1 - 1e-7
	statistic := func(first [2]float64) (count int, eigenvalue float64) {
		rows := [][2]float64{first}
		for range n - 1 {
			rows = append(rows, [2]float64{1, 0})
		}
		a := [2]float64{mu, mu} // the rows lie on the axes
		for _, x := range rows {
			a[0] += x[0] * x[0] / n
			a[1] += x[1] * x[1] / n
		}
		var weights []float64
		for _, x := range rows {
			weights = append(weights, x[0]*x[0]/(a[0]-rho)+x[1]*x[1]/(a[1]-rho))
		}
		slices.Sort(weights)
		slices.Reverse(weights)
		sum := 0.0
		for i, w := range weights {
			if sum += w; sum >= n {
				return i + 1, min(a[0], a[1])
			}
		}
		return n + 1, min(a[0], a[1])
	}
	before, low := statistic([2]float64{0, 0})
	after, high := statistic([2]float64{0, 1})
	if before != 1001 || after != 2 {
		t.Errorf("Δ₊ = %d and %d, want 1001 and 2", before, after)
	}
	s := must[float64](t)(LeastSquaresGradient{Rows: n, MinEigen: 1, MaxEigen: 1, Leverage: 1, Moment: 1}.StrengthSensitivity())
	if moved := high - low; moved > s*(1+1e-12) || moved < 0.999*s {
		t.Errorf("the eigenvalue moves by %g, its sensitivity is %g", moved, s)
	}
}
