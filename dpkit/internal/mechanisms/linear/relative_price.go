package linear

import (
	"fmt"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// Budget is what the steps and the query of the strength may use together.
func (r *RelativeDescent) Budget() accountant.Budget {
	b := r.target
	b.Delta = (b.Delta*(1-samplerDelta) - r.Query.Delta) * (1 - 0x1p-50)
	return b
}

// Finish calibrates the descent.
func (r *RelativeDescent) Finish() error {
	//dp:refuses relative/after-queries it would take the target that queries had a part of
	if len(r.st.Spent.Events) > 0 {
		return fmt.Errorf("steps of the chain ask private queries, and the relative Gaussian mechanism cannot share its target with them; fit by AdaSSP: %w", stage.ErrOrder)
	}
	rel := r.st.Before.Neighbours
	budget := r.Budget()
	if !(budget.Delta > 0) {
		return fmt.Errorf("strength: its test may pass wrongly with probability %.6g, want less than the release's δ; give it a smaller Delta: %w", r.Query.Delta, kind.ErrParameter)
	}
	if r.Query.Share > 0 {
		r.beside = append(r.beside, r.Query.Query.Event(rel, r.Query.Query.S))
	}
	eta, absolute, err := r.Gradient(r.least).Sensitivity(rel)
	if err != nil {
		return err
	}
	// The absolute part falls with ρ, to that of the largest one.
	_, lowest, err := r.Gradient(stage.Up(r.Lipschitz())).Sensitivity(rel)
	if err != nil {
		return err
	}
	r.Noises, err = CalibrateRelative(r.Noise, budget, rel, r.steps, eta, absolute, lowest, r.beside...)
	return err
}

func (r *RelativeDescent) Bill(name string) (query.Bill, error) {
	p := r.Noises
	rel := r.st.Before.Neighbours
	failure := 0.0
	if r.Query.Share > 0 {
		failure = r.Query.Delta
	}
	event := accountant.Compose(append([]accountant.Event{accountant.Repeat(p.mechanism, r.steps)}, r.beside...)...)
	g, err := accountant.EpsilonOf(event, rel, r.Budget().Delta)
	if err != nil {
		return query.Bill{}, err
	}
	if !(g.Epsilon <= r.target.Epsilon) {
		return query.Bill{}, fmt.Errorf("calibration: got ε = %g for the target %g", g.Epsilon, r.target.Epsilon)
	}
	g.Delta = r.target.Delta
	g.Route += ", and samplers"
	unit := r.Rx * r.Rx
	c := cost.Release{
		Name: name, Event: fmt.Sprint(event),
		Sigma: p.mechanism.Sigma(0, r.absoluteAt(r.least)), Uncounted: g.Epsilon, Nominal: g.Epsilon,
		Constants: []stage.Constant{
			{Symbol: "R̃", Value: r.Rx, Origin: stage.FromSchema, Meaning: "bound on a row's norm, the constant feature included"},
			{Symbol: "b", Value: r.Height, Origin: stage.FromParameter, Meaning: "bound on the scaled label"},
			{Symbol: "λ", Value: r.Lambda / unit, Origin: stage.FromParameter, Meaning: "ridge for each row, in units of R̃²"},
			{Symbol: "T", Value: float64(r.steps), Origin: stage.FromParameter, Meaning: "steps"},
			{Symbol: "ρ", Value: r.least / unit, Origin: r.ground(), Meaning: "least eigenvalue of the rows' mean second moments and the ridge that the price rests on, in units of R̃²"},
			{Symbol: "η", Value: p.mechanism.Eta, Origin: r.ground(), Meaning: "relative sensitivity of a gradient, rounding included"},
			{Symbol: "R", Value: r.absoluteAt(r.least), Origin: r.ground(), Meaning: "its absolute part"},
			{Symbol: "γ", Value: p.mechanism.Gamma, Origin: stage.FromParameter, Meaning: "noise variance relative to the gradient's squared norm"},
		},
		Reference: "Hendrikx, Mangold, Bellet 2025: relative Gaussian mechanism by its exact Rényi curve; relative sensitivity, test and step size corrected",
	}
	c.Sensitivity, c.FreeSensitivity = r.absoluteAt(r.least), r.absoluteAt(r.least)
	if r.Query.Share > 0 {
		c.Constants = append(c.Constants, stage.Constant{Symbol: "σ_ρ", Value: r.Query.Query.Sigma / unit, Origin: stage.FromParameter, Meaning: "noise on the least eigenvalue, in units of R̃²"})
	}

	// The ledger adds up in Gaussian DP: all together is covered by a Gaussian outside a failure.
	half := r.target.Delta / 2
	return query.Bill{
		Event: accountant.Compose(
			accountant.Covered(event, half, 0, accountant.CoverByPrice),
			accountant.ApproxDP{Delta: stage.Up(half + failure), Neighbours: rel},
		),
		Guarantee: g, Cost: c, OwnRoute: true,
	}, nil
}

func (r *RelativeDescent) absoluteAt(rho float64) float64 {
	_, absolute, _ := r.Gradient(rho).Sensitivity(r.st.Before.Neighbours) // checked by finish
	return absolute
}

// ground is where ρ comes from.
func (r *RelativeDescent) ground() stage.Origin {
	if r.strength.Given() {
		return r.strength.Ground()
	}
	return stage.FromParameter
}
