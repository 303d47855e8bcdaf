package accountant

import (
	"fmt"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// FilterKind is the currency of a [Filter], with the theorem by which it adds up although every event may
// be chosen, parameters included, from the outputs before it. Make one with [ByEpsilon], [ByZCDP],
// [ByRDP] or [ByGDP]; the zero value is none.
type FilterKind struct {
	currency currency
	orders   []float64
	share    float64
}

type currency uint8

const (
	epsilonCurrency currency = iota + 1
	zcdpCurrency
	rdpCurrency
	gdpCurrency
)

// ByEpsilon adds ε_i, and δ_i of events that may fail ([ApproxDP]): if Σ ε_i ≤ ε and Σ δ_i ≤ δ always hold,
// the whole is (ε, δ)-DP (Rogers, Roth, Ullman, Vadhan 2016, basic composition with a filter). It is
// the only kind whose budget may have δ = 0.
func ByEpsilon() FilterKind { return FilterKind{currency: epsilonCurrency} }

// ByZCDP adds rates of zero-concentrated DP: if Σ ρ_i ≤ ρ always holds, the whole is ρ-zCDP
// (Feldman, Zrnic 2021, at every order; Whitehouse, Ramdas, Rogers, Wu 2023), with the ρ of [RhoFor].
func ByZCDP() FilterKind { return FilterKind{currency: zcdpCurrency} }

// ByRDP adds Rényi divergences at orders that are fixed here. With one order: if Σ D_α(i) ≤ B always
// holds, the whole has D_α ≤ B (Feldman, Zrnic 2021; Lécuyer 2021). Proof: with L the loss and R the
// sum so far, e^{(α−1)(L−R)} is a supermartingale that starts at 1, and R ≤ B at the end. ∎
//
// Which order will be best depends on the events, hence on outputs, and the theorem does not cover that
// choice. With k orders, each gets δ/k and an event is admitted while one of them has room. Proof: let A_j be
// the outcomes in which j is the first order that has room at the end. On A_j the run is the same as
// one that stops when order j has no room, so P(S ∩ A_j) ≤ e^ε Q(S ∩ A_j) + δ/k; add over j. ∎
func ByRDP(orders ...float64) FilterKind {
	return FilterKind{currency: rdpCurrency, orders: slices.Clone(orders)}
}

// ByGDP adds μ² of Gaussian DP: if Σ μ_i² ≤ μ² always holds, the whole is μ-GDP (Smith, Thakurta
// 2022; Koskela, Tobaben, Honkela 2023), with the μ that [CalibrateGaussian] finds for (1 − share) δ. The
// rest pays for samplers that are within total variation tv_i of Gaussian ones: (1 + e^ε) Σ tv_i ≤ share·δ.
// A share of 0 admits exact Gaussians alone, and what [GDPOf] reads as such: events of pure DP too.
func ByGDP(share float64) FilterKind { return FilterKind{currency: gdpCurrency, share: share} }

// String names the kind.
func (k FilterKind) String() string {
	switch k.currency {
	case epsilonCurrency:
		return "basic composition"
	case zcdpCurrency:
		return "zCDP"
	case rdpCurrency:
		return fmt.Sprintf("RDP at the orders %v", k.orders)
	case gdpCurrency:
		return fmt.Sprintf("Gaussian DP, %.3g of δ for samplers", k.share)
	default:
		return "no kind of filter"
	}
}

// limits returns what may be spent, rounded down: of one amount for each order of an RDP filter and
// of one for the others, and of failures.
func (k FilterKind) limits(b Budget) (amounts []float64, failure float64, err error) {
	if k.currency != epsilonCurrency || b.Delta != 0 {
		if err := b.Validate(); err != nil {
			return nil, 0, err
		}
	} else if err := (Budget{Epsilon: b.Epsilon, Delta: 0.5}).Validate(); err != nil {
		return nil, 0, err
	}
	switch k.currency {
	case epsilonCurrency:
		return []float64{b.Epsilon}, b.Delta, nil
	case zcdpCurrency:
		rho, err := RhoFor(b)
		return []float64{rho}, 0, err
	case rdpCurrency:
		if len(k.orders) == 0 {
			return nil, 0, fmt.Errorf("accountant: filter: orders: got none, want at least one: %w", ErrOrder)
		}
		amounts = make([]float64, len(k.orders))
		for i, alpha := range k.orders {
			if amounts[i], err = RDPFor(Budget{b.Epsilon, b.Delta / float64(len(k.orders))}, alpha); err != nil {
				return nil, 0, err
			}
		}
		return amounts, 0, nil
	case gdpCurrency:
		if !(k.share >= 0 && k.share < 1) {
			return nil, 0, fmt.Errorf("accountant: filter: share of δ for samplers: got %g, want a number in [0, 1): %w", k.share, ErrParameter)
		}
		deltaMu := k.deltaMu(b)
		mu, err := CalibrateGaussian(Budget{b.Epsilon, deltaMu})
		return []float64{mu}, (b.Delta - deltaMu) * (1 - 0x1p-50), err
	default:
		return nil, 0, fmt.Errorf("accountant: filter: kind: got none, want ByEpsilon, ByZCDP, ByRDP or ByGDP: %w", ErrParameter)
	}
}

// price reads an event in the currency, rounded up; amounts of the GDP currency are μ, not μ².
func (k FilterKind) price(e Event, rel Neighbours) (amounts []float64, failure float64, err error) {
	if e == nil {
		return nil, 0, fmt.Errorf("accountant: filter: event: got nil, want an event: %w", ErrParameter)
	}
	switch k.currency {
	case epsilonCurrency:
		c, delta0, err := approxRDP(e, rel)
		if err != nil {
			return nil, 0, err
		}
		return []float64{c(math.Inf(1))}, delta0, nil
	case zcdpCurrency:
		rho, err := RhoOf(e, rel)
		return []float64{rho}, 0, err
	case rdpCurrency:
		c, err := e.RDP(rel)
		if err != nil {
			return nil, 0, err
		}
		amounts = make([]float64, len(k.orders))
		for i, alpha := range k.orders {
			amounts[i] = c(alpha)
		}
		return amounts, 0, nil
	default:
		mu, tv, err := GDPOf(e, rel)
		return []float64{mu}, tv, err
	}
}

// failureCost is the δ that failures of probability p, or samplers at total variation p, take.
func (k FilterKind) failureCost(epsilon, p float64) float64 {
	if k.currency == gdpCurrency {
		return tvCost(epsilon, p)
	}
	return p
}

// deltaMu is the part of δ that is not kept for samplers.
func (k FilterKind) deltaMu(b Budget) float64 { return b.Delta * (1 - k.share) }

// epsilon converts spent amounts into the ε at the budget's δ, rounded up.
func (k FilterKind) epsilon(b Budget, amounts []float64) float64 {
	best := math.Inf(1)
	for i, x := range amounts {
		eps := x
		switch k.currency {
		case zcdpCurrency:
			eps, _, _ = zcdpCurve(x).Epsilon(b.Delta) // δ was checked
		case rdpCurrency:
			eps = constant(x).epsilonAt(k.orders[i], quad.Log(b.Delta/float64(len(k.orders))))
		case gdpCurrency:
			eps, _ = gaussianProfile(x, 0).Epsilon(k.deltaMu(b))
		}
		best = min(best, eps)
	}
	return best
}
