package accountant

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// besideGaussians is the profile of one [ObjectivePerturbation], whose Rényi curve is far dearer than its profile,
// composed with Gaussian events that are small beside it: δ(ε − t) + δ_G(t) for the best t among 1, …, 40 times their μ
// (basic composition of (ε − t, δ)-DP and (t, δ_G)-DP, each chosen after the output of the other). The error wraps
// [ErrNoRoute] where the composition is not of that kind.
func besideGaussians(parts []Event, rel Neighbours) (Profile, error) {
	var main *ObjectivePerturbation
	square, tv := 0.0, 0.0
	for _, e := range parts {
		if o, ok := e.(ObjectivePerturbation); ok && main == nil {
			main = &o
			continue
		}
		m, v, err := gdpOf(e, rel)
		if err != nil {
			return nil, err
		}
		square, tv = quad.AddUp(square, quad.MulUp(m, m)), quad.AddUp(tv, v)
	}
	if main == nil {
		return nil, fmt.Errorf("accountant: Compose: no objective perturbation beside Gaussians: %w", ErrNoRoute)
	}
	p, err := main.Profile(rel)
	if err != nil {
		return nil, err
	}
	mu := quad.SqrtUp(square)
	rest := gaussianProfile(mu, min(1, tv))
	return func(epsilon float64) float64 {
		best := 1.0
		for k := 1.0; k <= 40 && k*mu <= epsilon; k++ { // below 0 a profile need not be known
			t := k * mu
			if second := rest(t); second < best {
				best = min(best, quad.AddUp(p(math.Nextafter(epsilon-t, math.Inf(-1))), second))
			}
		}
		return best
	}, nil
}
