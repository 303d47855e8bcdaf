package dpkit

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// budget is what the steps and the query of the strength may use together.
func (r *relativeDescent) budget() accountant.Budget {
	b := r.target
	b.Delta = (b.Delta*(1-samplerDelta) - r.query.delta) * (1 - 0x1p-50)
	return b
}

// finish calibrates the descent.
func (r *relativeDescent) finish() error {
	if len(r.st.spent.events) > 0 {
		return fmt.Errorf("steps of the chain ask private queries, and the relative Gaussian mechanism cannot share its target with them; fit by AdaSSP: %w", ErrOrder)
	}
	rel := r.st.Before.Neighbours
	budget := r.budget()
	if !(budget.Delta > 0) {
		return fmt.Errorf("strength: its test may pass wrongly with probability %.6g, want less than the release's δ; give it a smaller Delta: %w", r.query.delta, ErrParameter)
	}
	if r.query.share > 0 {
		r.beside = append(r.beside, r.query.query.event(rel, r.query.query.s))
	}
	eta, absolute, err := r.gradient(r.least).Sensitivity(rel)
	if err != nil {
		return err
	}
	// The absolute part falls with ρ, to that of the largest one.
	_, lowest, err := r.gradient(up(r.lipschitz())).Sensitivity(rel)
	if err != nil {
		return err
	}
	r.plan, err = calibrateRelative(r.noise, budget, rel, r.steps, eta, absolute, lowest, r.beside...)
	return err
}

func (r *relativeDescent) bill(l linear) (bill, error) { return r.billAs(describe(l)) }

func (r *relativeDescent) billAs(name string) (bill, error) {
	p := r.plan
	rel := r.st.Before.Neighbours
	tv := p.tvs
	failure := 0.0
	if r.query.share > 0 {
		tv = up(tv + noise.GaussianTV(r.query.query.gridSD))
		failure = r.query.delta
	}
	// (ε, δ') of the mechanisms that are priced is (ε, δ' + (1 + e^ε) tv) of those that are drawn.
	if !((1+math.Exp(r.target.Epsilon))*tv <= r.target.Delta*samplerDelta/2) {
		return bill{}, fmt.Errorf("%d steps: the samplers' distance from the normal law costs more of δ = %g than is kept for it; choose a larger δ or fewer Steps: %w", r.steps, r.target.Delta, ErrParameter)
	}
	event := accountant.Compose(append([]accountant.Event{accountant.Repeat(p.mechanism, r.steps)}, r.beside...)...)
	g, err := accountant.EpsilonOf(event, rel, r.budget().Delta)
	if err != nil {
		return bill{}, err
	}
	if !(g.Epsilon <= r.target.Epsilon) {
		return bill{}, fmt.Errorf("calibration: got ε = %g for the target %g", g.Epsilon, r.target.Epsilon)
	}
	g.Delta = r.target.Delta
	g.Route += ", and the samplers' distance"
	unit := r.rx * r.rx
	c := ReleaseCost{
		Name: name, Event: fmt.Sprint(event),
		Sigma: p.mechanism.Sigma(0, r.absoluteAt(r.least)), Uncounted: g.Epsilon, Nominal: g.Epsilon,
		Constants: []Constant{
			{"R̃", r.rx, FromSchema, "bound on a row's norm, the constant feature included"},
			{"b", r.height, FromParameter, "bound on the scaled label"},
			{"λ", r.lambda / unit, FromParameter, "ridge for each row, in units of R̃²"},
			{"T", float64(r.steps), FromParameter, "steps"},
			{"ρ", r.least / unit, r.ground(), "least eigenvalue of the rows' mean second moments and the ridge that the price rests on, in units of R̃²"},
			{"η", p.mechanism.Eta, r.ground(), "relative sensitivity of a gradient, rounding included"},
			{"R", r.absoluteAt(r.least), r.ground(), "its absolute part"},
			{"γ", p.mechanism.Gamma, FromParameter, "noise variance relative to the gradient's squared norm"},
		},
		Reference: "Hendrikx, Mangold, Bellet 2025: relative Gaussian mechanism by its exact Rényi curve; relative sensitivity, test and step size corrected",
	}
	c.Sensitivity, c.FreeSensitivity = r.absoluteAt(r.least), r.absoluteAt(r.least)
	if r.query.share > 0 {
		c.Constants = append(c.Constants, Constant{"σ_ρ", r.query.query.sigma / unit, FromParameter, "noise on the least eigenvalue, in units of R̃²"})
	}

	// The ledger adds up in Gaussian DP: all together is covered by a Gaussian outside a failure.
	half := r.target.Delta / 2
	return bill{
		Event: accountant.Compose(
			accountant.Covered(event, half, tv, accountant.CoverByPrice),
			accountant.ApproxDP{Delta: up(half + failure), Neighbours: rel},
		),
		Guarantee: g, Cost: c,
	}, nil
}

func (r *relativeDescent) absoluteAt(rho float64) float64 {
	_, absolute, _ := r.gradient(rho).Sensitivity(r.st.Before.Neighbours) // checked by finish
	return absolute
}

// ground is where ρ comes from.
func (r *relativeDescent) ground() Origin {
	if r.strength.given() {
		return r.strength.ground
	}
	return FromParameter
}
