package accountant

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/internal/golden"
)

// goldenSphericalPair: exact hockey-stick divergences by noncentral χ² probabilities.
func goldenSphericalPair(t *testing.T, raw []byte) {
	for _, e := range goldenList[struct {
		Eps, D2, Var1, Var2 float64
		D                   int
		Delta               golden.Number
	}](t, raw) {
		p := SphericalPair{Distance: math.Sqrt(e.D2), From: e.Var1, To: e.Var2, Coordinates: e.D}
		closeTo(t, "delta", must[float64](t)(p.Delta(e.Eps)), e.Delta, 1e-11)
	}
}

// goldenClipping: the data set of a million and one clipped records that refutes the paper's Proposition 1. With A = C + vvᵀ,
// the record x has the largest ratio xᵀA⁻²x/xᵀC⁻²x and the largest norm that the paper's clipping allows.
func goldenClipping(t *testing.T, raw []byte) {
	var in struct {
		C      [2][2]float64
		A      string
		Rho    float64
		Rc4    float64
		Actual float64 `json:"actual_norm_sq_A0Ainv"`
		Term   float64 `json:"paper_bound_per_term"`
		Paper  float64 `json:"paper_eta2_n2"`
		Ratio  float64 `json:"ratio_to_paper_eta2n2"`
	}
	if err := strictly(t, raw, &in); err != nil {
		t.Fatal(err)
	}
	c := in.C[1][1]
	// A⁻¹ = C⁻¹ − C⁻¹vvᵀC⁻¹/(1 + vᵀC⁻¹v).
	var v [2]float64
	if _, err := fmt.Sscanf(in.A, "C+vv^T, v=(%g,%g)", &v[0], &v[1]); err != nil || in.C != [2][2]float64{{1, 0}, {0, c}} {
		t.Fatalf("A is %q, C %v: %v", in.A, in.C, err)
	}
	inverse := func(x [2]float64) [2]float64 {
		w := [2]float64{v[0], v[1] / c}
		f := (w[0]*x[0] + w[1]*x[1]) / (1 + w[0]*v[0] + w[1]*v[1])
		return [2]float64{x[0] - f*w[0], x[1]/c - f*w[1]}
	}
	square := func(x [2]float64) float64 { return x[0]*x[0] + x[1]*x[1] }
	scaled := func(x [2]float64) [2]float64 { return [2]float64{x[0], x[1] / c} } // C⁻¹x
	best, worst := 0.0, [2]float64{}
	for i := range 400_000 {
		x := [2]float64{math.Cos(float64(i) * math.Pi / 400_000), math.Sin(float64(i) * math.Pi / 400_000)}
		if r := square(inverse(x)) / square(scaled(x)); r > best {
			best, worst = r, x
		}
	}
	// The paper clips to ‖x‖²‖C⁻¹x‖² ≤ R_c⁴.
	s := math.Pow(in.Rc4/square(scaled(worst)), 0.25)
	x := [2]float64{s * worst[0], s * worst[1]}
	actual := square(x) * square(inverse(x)) // ‖xxᵀA⁻¹‖²
	if math.Abs(actual/in.Actual-1) > 1e-3 {
		t.Errorf("‖A₀A⁻¹‖² = %.9g, want %.9g", actual, in.Actual)
	}
	if term := in.Rc4 / (in.Rho * in.Rho); math.Abs(term/in.Term-1) > 1e-9 || math.Abs(6*term/in.Paper-1) > 1e-9 {
		t.Errorf("the paper's bound is %.9g, want %.9g", term, in.Term)
	}
	if ratio := actual / in.Paper; math.Abs(ratio/in.Ratio-1) > 1e-3 || ratio < 100 {
		t.Errorf("the true η² is %.6g times the paper's, want %.6g", ratio, in.Ratio)
	}
	// The corrected constant of the same clipping: xᵀC⁻¹x of this record, and its norm.
	leverage := x[0]*x[0] + x[1]*x[1]/c
	l := LeastSquaresGradient{
		Rows: 1, Strength: in.Rho, MinEigen: c, MaxEigen: 1, Leverage: leverage, Norm: math.Sqrt(square(x)),
		Moment: 1, Split: 1e-9,
	}
	eta, _, err := l.Sensitivity(AddRemove)
	if err != nil {
		t.Fatal(err)
	}
	if eta*eta < actual {
		t.Errorf("η² n² = %g, below the actual %g", eta*eta, actual)
	}
}

// goldenStrengthTest: the data sets on which the paper's propose-test-release passes with certainty and almost never.
func goldenStrengthTest(t *testing.T, raw []byte) {
	var in struct {
		N          int
		MuReg      float64 `json:"mu_reg"`
		Rho        string
		DeltaX     float64 `json:"DeltaPlus_X"`
		DeltaXp    float64 `json:"DeltaPlus_Xprime"`
		Eps, Delta float64
		PassX      float64 `json:"P_pass_X"`
		PassXp     float64 `json:"P_pass_Xprime"`
		C          string
		X, Xprime  string
	}
	if err := strictly(t, raw, &in); err != nil {
		t.Fatal(err)
	}
	// P(T + Lap(scale) ≥ threshold).
	pass := func(statistic, threshold, scale float64) float64 {
		if z := (threshold - statistic) / scale; z > 0 {
			return math.Exp(-z) / 2
		} else {
			return 1 - math.Exp(z)/2
		}
	}
	paper := math.Log(1/in.Delta) / in.Eps
	x, xp := pass(in.DeltaX, paper, 1/in.Eps), pass(in.DeltaXp, paper, 1/in.Eps)
	if math.Abs(x-in.PassX) > 1e-12 || math.Abs(xp/in.PassXp-1) > 1e-9 {
		t.Errorf("the paper's test passes with probability %g and %g, want %g and %g", x, xp, in.PassX, in.PassXp)
	}
	if x <= math.Exp(in.Eps)*xp+in.Delta {
		t.Errorf("probabilities %g and %g do not refute it", x, xp)
	}
	// A = diag(·, μ) and diag(·, μ + 1/n), C = I: the smallest eigenvalues.
	minuend, subtrahend, _ := strings.Cut(in.Rho, "-")
	rho := must[float64](t)(strconv.ParseFloat(minuend, 64))
	if subtrahend != "" {
		rho -= must[float64](t)(strconv.ParseFloat(subtrahend, 64))
	}
	l := LeastSquaresGradient{Rows: in.N, MinEigen: 1, MaxEigen: 1, Leverage: 1, Moment: 1}
	s := must[float64](t)(l.StrengthSensitivity())
	n := float64(in.N)
	if want := 1 / n; math.Abs(s-want) > 1e-15 {
		t.Errorf("sensitivity %g, want %g", s, want)
	}
	threshold := must[float64](t)(TestThresholdLaplace(rho, s, in.Eps, in.Delta))
	x, xp = pass(in.MuReg, threshold, s/in.Eps), pass(in.MuReg+1/n, threshold, s/in.Eps)
	if x > math.Exp(in.Eps)*xp || xp > math.Exp(in.Eps)*x*(1+1e-12) {
		t.Errorf("the corrected test passes with probability %g and %g", x, xp)
	}
	// A dataset below ρ has neighbours above it only within the sensitivity, and passes with probability at most δ.
	if p := pass(math.Nextafter(rho+s, 0), threshold, s/in.Eps); p > in.Delta {
		t.Errorf("beside a violation it passes with probability %g, want at most %g", p, in.Delta)
	}
}
