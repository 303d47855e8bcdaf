package accountant

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// AsReplaceOne is the event e, priced under [AddRemove], seen under [ReplaceOne]: to replace a row is to remove it and to
// add another, so that two hops lead from one dataset to the other. It is the one way to use an event of one relation
// where the other is asked for; without it that is an error (docs/theory/mechanisms.md#from-addremove-to-replace-one). In the currencies of accounting:
//
//	pure DP  ε → 2ε,  Gaussian DP  μ → 2μ,  zCDP  ρ → 4ρ,  (ε, δ) → (2ε, (1 + e^ε) δ),
//
// curves by [GroupCurve] of two, and profiles δ(ε) → min over ε₁ of δ(ε₁) + e^ε₁ δ(ε − ε₁), for each the best
// that holds for every mechanism of its kind. An event whose sensitivity can be computed for ReplaceOne directly is
// never dearer so, and may be cheaper. The dataset in the middle lacks the row, or has it zeroed out: e must hold there.
//
// There is no way back: a price for rows that are replaced within their domain says nothing of one that is zeroed out, or
// deleted where n is not public. (Where n stays public and the zero row is in the domain, zeroing out is a
// replacement like another: give that relation's sensitivity instead.)
func AsReplaceOne(e Event) Event { return replaced{of: e} }

// AsReplaceOne is what the guarantee promises under [ReplaceOne], (2ε, (1 + e^ε) δ), rounded up. One that is conditional on
// a declaration is refused, as the dataset between the two need not satisfy it.
// Errors wrap [ErrNeighbours], [ErrParameter], [ErrEpsilon] or [ErrDelta].
func (g Guarantee) AsReplaceOne() (Guarantee, error) {
	if err := AddRemove.match("guarantee", g.Neighbours); err != nil {
		return Guarantee{}, err
	}
	if err := g.Scope.Validate(); err != nil || g.Scope.Kind == Conditional {
		return Guarantee{}, fmt.Errorf("accountant: guarantee: scope: got %v, want one that holds on every dataset, that without the row included: %w",
			g.Scope, ErrParameter)
	}
	b, err := GroupBudget(g.Budget, 2)
	if err != nil {
		return Guarantee{}, err
	}
	g.Budget, g.Neighbours = b, ReplaceOne
	g.Route += ", through the data without the row"
	return g, nil
}

type replaced struct{ of Event }

// pair is the group of the row that goes and the row that comes.
func (r replaced) pair(rel Neighbours) (grouped, error) {
	if r.of == nil {
		return grouped{}, fmt.Errorf("accountant: AsReplaceOne: event: got nil, want an event: %w", ErrParameter)
	}
	return grouped{of: r.of, size: 2}, ReplaceOne.match("AsReplaceOne", rel)
}

func (r replaced) RDP(rel Neighbours) (Curve, error) {
	g, err := r.pair(rel)
	if err != nil {
		return nil, err
	}
	return g.RDP(AddRemove)
}

func (r replaced) GDP(rel Neighbours) (mu, tv float64, err error) {
	g, err := r.pair(rel)
	if err != nil {
		return math.NaN(), math.NaN(), err
	}
	return g.GDP(AddRemove)
}

func (r replaced) ZCDP(rel Neighbours) (float64, error) {
	g, err := r.pair(rel)
	if err != nil {
		return math.NaN(), err
	}
	return g.ZCDP(AddRemove)
}

func (r replaced) Profile(rel Neighbours) (Profile, error) {
	g, err := r.pair(rel)
	if err != nil {
		return nil, err
	}
	even, err := g.Profile(AddRemove)
	if err != nil {
		return nil, err
	}
	if _, _, err := g.GDP(AddRemove); err == nil {
		return even, nil
	}
	one, err := profileOf(r.of, AddRemove)
	if err != nil {
		return nil, err
	}
	return func(epsilon float64) float64 { return min(even(epsilon), twoSteps(one, epsilon)) }, nil
}

func (r replaced) String() string { return fmt.Sprintf("AsReplaceOne(%v)", r.of) }

// ZCDP is size² times the rate (Bun, Steinke 2016, Proposition 1.9); see [ZCDPer].
func (g grouped) ZCDP(rel Neighbours) (float64, error) {
	if err := g.validate(); err != nil {
		return math.NaN(), err
	}
	rho, err := RhoOf(g.of, rel)
	m := float64(g.size)
	return quad.MulUp(quad.MulUp(m, m), rho), err
}
