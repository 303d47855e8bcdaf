package accountant

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// OptimiseModifiedGaussMix returns the ModifiedGaussMix of k rows within the budget that minimises γ + η τ, the
// eigenvalue λ/C² from which on it adds no noise. Its price was computed as for any other. Release λ̂ only where
// λ/C² is expected to exceed γ + η τ − (γ' − 1), with γ' of [CalibrateGaussMix]: below that the plain GaussMix adds
// less noise. Under ReplaceOne η and τ are chosen by a Gaussian approximation, γ exactly.
// Errors wrap [ErrEpsilon], [ErrDelta], [ErrNeighbours] or [ErrParameter].
func OptimiseModifiedGaussMix(b Budget, k int, rel Neighbours) (ModifiedGaussMix, error) {
	none := ModifiedGaussMix{}
	plain, err := CalibrateGaussMix(b, k, rel)
	if err != nil {
		return none, err
	}
	mu, err := CalibrateGaussian(b)
	if err != nil {
		return none, err
	}
	// What the composition costs at (η, s = γ − 1): the forward direction dominates where it matters.
	cost := func(eta, s float64) float64 {
		if rel == ReplaceOne {
			return gaussianDelta(b.Epsilon, math.Hypot(1/eta, mu*(plain-1)/s))
		}
		return mixGaussianForward(b.Epsilon, 1/eta, mixPair{k, s, rel}, 1e-7)
	}
	// The objective at (η, s), τ being what is left of δ, and the best s at η.
	objective := func(eta, s float64) float64 {
		delta := cost(eta, s)
		if left := b.Delta - delta; left > 0 {
			return 1 + s - eta*quad.NormalQuantile(left)
		}
		return 1e12 * plain * (1 + math.Log(delta/b.Delta)) // falls towards the region where something is left
	}
	signal := func(eta float64) (u, value float64) {
		u0 := math.Log(plain - 1)
		return quad.MinimizeTo(func(u float64) float64 { return objective(eta, math.Exp(u)) }, u0, u0+3, 1e-4)
	}
	u, _ := quad.MinimizeTo(func(u float64) float64 { _, v := signal(math.Exp(u)); return v }, -math.Log(mu), 3-math.Log(mu), 1e-3)
	eta := math.Nextafter(math.Exp(u), math.Inf(1))
	us, _ := signal(eta)

	// γ for the share of δ that the composition has at the optimum, then τ for what γ leaves.
	share := min(cost(eta, math.Exp(us)), 0.99*b.Delta)
	pair := func(gamma float64) mixPair { return mixPair{k, gamma - 1, rel} }
	var last struct{ gamma, delta float64 } // the γ that is settled on was priced last
	composed := func(gamma float64) float64 {
		if gamma != last.gamma {
			last.gamma, last.delta = gamma, mixGaussianDelta(b.Epsilon, quad.DivUp(1, eta), pair(gamma), 1e-11)
		}
		return last.delta
	}
	gamma := 1 + math.Exp(us)
	if rel == ReplaceOne || !(composed(gamma) < b.Delta) {
		if gamma, err = leastNoise("ModifiedGaussMix", share, 1, math.Exp(us), composed); err != nil {
			return none, err
		}
	}
	price := composed(gamma)
	m := ModifiedGaussMix{K: k, Gamma: gamma, Eta: eta, Neighbours: rel}
	m.Tau = certify(math.Max(-quad.NormalQuantile(b.Delta-price), 0x1p-20), 1, math.Inf(1), func(tau float64) bool {
		m.Tau = tau
		return quad.AddUp(m.failure(), price) <= b.Delta
	})
	profile, err := m.Profile(rel)
	if err != nil {
		return none, err
	}
	if !(profile(b.Epsilon) <= b.Delta) {
		return none, fmt.Errorf("accountant: ModifiedGaussMix: budget %+v: no certified parameters near %v: %w", b, m, ErrDelta)
	}
	return m, nil
}
