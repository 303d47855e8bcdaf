package accountant

import (
	"math"
	"testing"

	"github.com/dpkit-go/dpnb/internal/golden"
)

func mix(k int, gamma golden.Number, rel Neighbours) GaussMix {
	return GaussMix{K: k, Gamma: float64(gamma), Neighbours: rel}
}

func goldenMixRDP(t *testing.T, raw []byte) {
	for _, e := range goldenList[struct {
		Alpha, K, Gamma, Phi golden.Number
		Large                golden.Number `json:"phi_rev_large"`
		Small                golden.Number `json:"phi_add_small"`
	}](t, raw) {
		k, a := float64(e.K), float64(e.Alpha)
		closeTo(t, "curve", curveOf(t, mix(int(e.K), e.Gamma, AddRemove), AddRemove)(a), e.Phi, 1e-12)
		closeTo(t, "back", k*eigenvalueCost(-1/float64(e.Gamma), a), e.Large, 1e-12)
		closeTo(t, "back, γ of the smaller dataset", k*eigenvalueCost(-1/(1+float64(e.Gamma)), a), e.Small, 1e-12)
	}
}

func goldenMixDelta(t *testing.T, raw []byte) {
	for _, e := range goldenList[struct {
		Eps, Gamma       golden.Number
		K                int
		Forward, Reverse golden.Number
		Fwd              golden.Number `json:"delta_fwd"`
		Rev              golden.Number `json:"delta_rev"`
	}](t, raw) {
		closeTo(t, "forward", mixForwardDelta(float64(e.Eps), e.K, float64(e.Gamma)-1), e.Fwd, 1e-10)
		closeTo(t, "backward", mixBackwardDelta(float64(e.Eps), e.K, float64(e.Gamma)-1), e.Rev, 1e-10)
	}
}

func goldenMixGamma(t *testing.T, raw []byte) {
	for _, e := range goldenList[struct {
		Eps, Delta, Gamma golden.Number
		K                 int
		Noise             golden.Number `json:"noise_sigma2_over_C2"`
		Check             golden.Number `json:"check_delta"`
	}](t, raw) {
		gamma := must[float64](t)(CalibrateGaussMix(Budget{float64(e.Eps), float64(e.Delta)}, e.K, AddRemove))
		closeTo(t, "gamma", gamma, e.Gamma, 1e-11)
		closeTo(t, "noise", gamma-1, e.Noise, 1e-10)
		closeTo(t, "delta", profileAt(t, mix(e.K, e.Gamma, AddRemove), AddRemove, float64(e.Eps)), e.Check, 1e-9)
	}
}

func goldenMixEpsilon(t *testing.T, raw []byte) {
	for _, e := range goldenList[struct {
		Delta, Gamma, Eps, Alpha golden.Number
		K                        int
	}](t, raw) {
		eps, order, err := curveOf(t, mix(e.K, e.Gamma, AddRemove), AddRemove).Epsilon(float64(e.Delta))
		if err != nil {
			t.Fatal(err)
		}
		closeTo(t, "epsilon", eps, e.Eps, 1e-10)
		if math.Abs(order/float64(e.Alpha)-1) > 1e-3 {
			t.Errorf("order %g, want %g", order, e.Alpha)
		}
	}
}

// goldenMixPaper reproduces the paper's ε. It holds where the classical bound on the Gaussian mechanism does, up to 1;
// see TestMixPaperFails.
func goldenMixPaper(t *testing.T, raw []byte) {
	for _, e := range goldenList[struct {
		Eta, Gamma, Delta golden.Number
		K                 int
		Eps               golden.Number `json:"eps_tilde"`
	}](t, raw) {
		delta := float64(e.Delta)
		eps, _, err := curveOf(t, mix(e.K, e.Gamma, AddRemove), AddRemove).Epsilon(delta / 3)
		if err != nil {
			t.Fatal(err)
		}
		classic := math.Sqrt(2*math.Log(3.75/delta)) / float64(e.Eta)
		claimed := eps + classic
		closeTo(t, "claim", claimed, e.Eps, 1e-10)
		exact := mixGaussianDelta(claimed, 1/float64(e.Eta), mixPair{e.K, float64(e.Gamma) - 1, AddRemove}, 1e-9)
		if classic <= 1 && exact > delta {
			t.Errorf("η = %g: δ = %g at the claimed ε = %g", float64(e.Eta), exact, claimed)
		}
	}
}

// TestMixPaperFails: far from there the paper's ε is false.
func TestMixPaperFails(t *testing.T) {
	const delta, claimed = 1e-5, 50.8536959221319996
	if exact := mixGaussianDelta(claimed, 1/0.1, mixPair{1, 50 - 1, AddRemove}, 1e-9); !(exact > 0.42) {
		t.Errorf("δ = %g at ε = %g, want .427, not %g", exact, claimed, delta)
	}
}

func goldenModifiedDelta(t *testing.T, raw []byte) {
	for _, e := range goldenList[struct {
		Eps, Eta, Gamma, Delta golden.Number
		K                      int
	}](t, raw) {
		pair := mixPair{e.K, float64(e.Gamma) - 1, AddRemove}
		closeTo(t, "delta", mixGaussianDelta(float64(e.Eps), 1/float64(e.Eta), pair, 1e-11), e.Delta, 1e-9)
	}
}

func goldenModifiedOptimum(t *testing.T, raw []byte) {
	for _, e := range goldenList[struct {
		K          int
		Eps, Delta float64
		RDP, PLD   struct{ Eta, Delta1, Tau, Gamma, G0 float64 }
		Exact      golden.Number `json:"norelease_gamma_exact"`
		ByRDP      golden.Number `json:"norelease_gamma_rdp"`
		PaperEta   golden.Number `json:"paper_eta"`
		PaperGamma golden.Number `json:"paper_gamma"`
		PaperG0    float64       `json:"paper_g0"`
	}](t, raw) {
		b := Budget{e.Eps, e.Delta}
		// The paper's choice, a third of δ for each part: γ = √k η, with the η of its ε, and a tail bound for τ.
		eta, gamma := float64(e.PaperEta), float64(e.PaperGamma)
		tau := math.Sqrt(2 * math.Log(3/e.Delta))
		closeTo(t, "paper's γ", math.Sqrt(float64(e.K))*eta, e.PaperGamma, 1e-9)
		closeTo(t, "paper's γ + ητ", gamma+eta*tau, golden.Number(e.PaperG0), 1e-9)
		rdp, _, err := curveOf(t, mix(e.K, e.PaperGamma, AddRemove), AddRemove).Epsilon(e.Delta / 3)
		if err != nil {
			t.Fatal(err)
		}
		closeTo(t, "paper's ε", rdp+math.Sqrt(2*math.Log(3.75/e.Delta))/eta, golden.Number(e.Eps), 1e-9)
		closeTo(t, "gamma without a release", must[float64](t)(CalibrateGaussMix(b, e.K, AddRemove)), e.Exact, 1e-9)
		m := must[ModifiedGaussMix](t)(OptimiseModifiedGaussMix(b, e.K, AddRemove))
		if g0 := m.Gamma + m.Eta*m.Tau; math.Abs(g0/e.PLD.G0-1) > 2e-5 {
			t.Errorf("k = %d, ε = %g: γ + ητ = %.9g, want %.9g", e.K, e.Eps, g0, e.PLD.G0)
		}
		if delta := profileAt(t, m, AddRemove, e.Eps); !(delta <= e.Delta) || delta < e.Delta*(1-1e-9) {
			t.Errorf("k = %d, ε = %g: δ = %.17g, want %g from below", e.K, e.Eps, delta, e.Delta)
		}
		// The file's triple has the price, too.
		m = ModifiedGaussMix{K: e.K, Gamma: e.PLD.Gamma, Eta: e.PLD.Eta, Tau: e.PLD.Tau, Neighbours: AddRemove}
		closeTo(t, "delta of the triple", profileAt(t, m, AddRemove, e.Eps), golden.Number(e.Delta), 1e-6)
		_, failure, err := m.ApproxRDP(AddRemove)
		if err != nil {
			t.Fatal(err)
		}
		closeTo(t, "failure", failure, golden.Number(e.PLD.Delta1), 1e-8)
		closeTo(t, "γ + ητ", m.Gamma+m.Eta*m.Tau, golden.Number(e.PLD.G0), 1e-9)
		closeTo(t, "γ + ητ by RDP", e.RDP.Gamma+e.RDP.Eta*e.RDP.Tau, golden.Number(e.RDP.G0), 1e-9)
		if e.ByRDP > 0 {
			plain, _, err := curveOf(t, mix(e.K, e.ByRDP, AddRemove), AddRemove).Epsilon(e.Delta)
			if err != nil || math.Abs(plain/e.Eps-1) > 1e-6 {
				t.Errorf("k = %d: ε = %.9g by RDP at the file's γ, want %g, %v", e.K, plain, e.Eps, err)
			}
		}
		// The triple of the Rényi route, priced by the Rényi route.
		m = ModifiedGaussMix{K: e.K, Gamma: e.RDP.Gamma, Eta: e.RDP.Eta, Tau: e.RDP.Tau, Neighbours: AddRemove}
		curve, failure, err := m.ApproxRDP(AddRemove)
		if err != nil {
			t.Fatal(err)
		}
		closeTo(t, "failure", failure, golden.Number(e.RDP.Delta1), 1e-9)
		eps, _, err := curve.Epsilon(e.Delta - e.RDP.Delta1)
		// The curve is that of the conditioned law: about δ₀ more.
		if err != nil || !(eps >= e.Eps*(1-1e-6)) || !(eps <= e.Eps+2*e.RDP.Delta1+1e-6*e.Eps) {
			t.Errorf("k = %d: ε = %.9g by RDP, want %g, %v", e.K, eps, e.Eps, err)
		}
	}
}

func goldenMixReplace(t *testing.T, raw []byte) {
	for _, e := range goldenList[struct {
		Alpha, S, RDP golden.Number
		K             int
	}](t, raw) {
		closeTo(t, "curve", curveOf(t, mix(e.K, 1+e.S, ReplaceOne), ReplaceOne)(float64(e.Alpha)), e.RDP, 1e-12)
	}
}

// goldenMixLimit: for many rows the sketch is a Gaussian mechanism.
func goldenMixLimit(t *testing.T, _ []byte) {
	b := Budget{1, 1e-5}
	mu := must[float64](t)(CalibrateGaussian(b))
	last := math.Inf(1)
	for _, k := range []int{100, 10000, 1000000} {
		ratio := must[float64](t)(CalibrateGaussMix(b, k, AddRemove)) / (math.Sqrt(float64(k)/2) / mu)
		if !(ratio > 1 && ratio < last) {
			t.Errorf("k = %d: ratio to the limit %g after %g", k, ratio, last)
		}
		last = ratio
	}
	if last > 1.002 {
		t.Errorf("ratio to the limit %g", last)
	}
}
