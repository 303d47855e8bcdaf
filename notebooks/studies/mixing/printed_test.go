package mixing

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"github.com/dpkit-go/dpnb/accountant"
)

// TestPrintedCalibration reproduces γ of the paper's LinearMixing at δ = 1e-5.
func TestPrintedCalibration(t *testing.T) {
	for _, c := range []struct {
		k              int
		epsilon, gamma float64
	}{{10, 1, 32.07}, {50, 0.1, 574.2}, {50, 1, 62.4}, {50, 10, 7.26}, {250, 1, 131.0}, {500, 10, 20.14}} {
		p, err := CalibrateLinearMixing(c.epsilon, 1e-5, c.k)
		if err != nil {
			t.Fatal(err)
		}
		if math.Abs(p.Gamma/c.gamma-1) > 2e-3 {
			t.Errorf("k = %d, ε = %g: γ = %g, want %g", c.k, c.epsilon, p.Gamma, c.gamma)
		}
	}
	// AdaSSP: three releases with σ = √ln(6/δ)/(ε/3) are together private as √3/σ-GDP, with room.
	a := CalibrateAdaSSP(1, 1e-5, 0.05)
	g, err := accountant.DeltaOf(accountant.Gaussian{Sensitivity: math.Sqrt(3), Sigma: a.Sigma, Neighbours: accountant.AddRemove}, accountant.AddRemove, 1)
	if err != nil || !(g.Delta < 1e-10) {
		t.Errorf("AdaSSP as printed: δ = %g at ε = 1, %v; want 5e-12", g.Delta, err)
	}
}

// TestPrintedLaw compares the law that the printed mixing draws from with the sketch itself: k rows of N(0, ZᵀZ + σ²I) and
// least squares on them. Seeds are fixed: there are no false alarms.
func TestPrintedLaw(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	z := mat.NewDense(40, 4, nil)
	for i := range 40 {
		z.SetRow(i, []float64{r.Float64() - 0.5, r.Float64() - 0.5, 0.5, 2*r.Float64() - 1})
	}
	m := MomentsOf(z)
	p := LinearMixing{K: 9, Gamma: 4, Tau: 5, Eta: 1} // γ below τ: noise γ alone
	release := p.On(m)
	const draws = 20000
	var direct, law [3][]float64
	for range draws {
		w, err := release(r)
		if err != nil {
			t.Fatal(err)
		}
		v, err := sketched(m, p.K, p.Gamma*2, r)
		if err != nil {
			t.Fatal(err)
		}
		for j := range 3 {
			law[j], direct[j] = append(law[j], w[j]), append(direct[j], v[j])
		}
	}
	for j := range 3 {
		// Two-sample Kolmogorov–Smirnov: P(D > c√(2/n)) ≤ 2e^{−2c²}; c = 3.5 fails with probability 5e-11.
		if d := distance(law[j], direct[j]); d > 3.5*math.Sqrt(2./draws) {
			t.Errorf("coefficient %d: the laws are %.4f apart", j, d)
		}
	}
}
