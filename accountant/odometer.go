package accountant

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"github.com/dpkit-go/dpnb/internal/quad"
)

// Odometer says at any time what the events so far have cost, although each may be chosen, parameters included,
// from the outputs before it, and although the time of reading may depend on them too. It has no
// budget and refuses nothing.
//
// What it promises, for every pair of neighbouring datasets X, X': with probability at least 1 − δ over
// the run on X, at all times t at once, the privacy loss ln P(outputs up to t)/Q(outputs up to t) is at most
//
//	ε_t = min_j (Σ_{i≤t} D_{α_j}(i) + ln(k/δ)/(α_j − 1))
//
// over k orders fixed beforehand. This is a valid odometer of Rogers, Roth, Ullman, Vadhan (2016); a run
// that always stops at ε_t ≤ ε is (ε, δ)-DP. Proof: at each order e^{(α−1)(L_t − R_t)}, with L the loss
// and R the sum of the divergences, is a non-negative supermartingale under P that starts at 1, so it ever
// reaches k/δ with probability at most δ/k (Ville 1939); add over the orders. ∎
type Odometer struct {
	rel    Neighbours
	delta  float64
	orders []float64

	mu    sync.Mutex
	spent []float64 // Σ D at each order
}

// NewOdometer makes an odometer at zero. More orders make it tighter for unforeseen events and cost
// ln k/(α − 1). Errors wrap [ErrDelta], [ErrNeighbours] or [ErrOrder].
func NewOdometer(delta float64, rel Neighbours, orders ...float64) (*Odometer, error) {
	if err := rel.Validate(); err != nil {
		return nil, err
	}
	if err := (Budget{Epsilon: 1, Delta: delta}).Validate(); err != nil {
		return nil, err
	}
	if len(orders) == 0 {
		return nil, fmt.Errorf("accountant: odometer: orders: got none, want at least one: %w", ErrOrder)
	}
	for _, alpha := range orders {
		if !(alpha > 1) {
			return nil, fmt.Errorf("accountant: odometer: order: got %g, want a number above 1: %w", alpha, ErrOrder)
		}
	}
	return &Odometer{rel: rel, delta: delta, orders: slices.Clone(orders), spent: make([]float64, len(orders))}, nil
}

// Charge counts an event, before it is drawn. Errors wrap [ErrNoRoute] for events that may fail,
// [ErrNeighbours] or [ErrParameter]; then nothing was counted.
func (o *Odometer) Charge(e Event) error {
	if e == nil {
		return fmt.Errorf("accountant: odometer: event: got nil, want an event: %w", ErrParameter)
	}
	c, err := e.RDP(o.rel)
	if err != nil {
		return fmt.Errorf("accountant: odometer: %w", err)
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	for i, alpha := range o.orders {
		o.spent[i] = quad.AddUp(o.spent[i], c(alpha))
	}
	return nil
}

// Loss is ε_t at the odometer's δ, rounded up; 0 before any event with a cost.
func (o *Odometer) Loss() Budget {
	o.mu.Lock()
	defer o.mu.Unlock()
	best := math.Inf(1)
	logShare := math.Log(float64(len(o.orders))) - quad.Log(o.delta)
	for i, alpha := range o.orders {
		eps := o.spent[i]
		if eps > 0 && !math.IsInf(alpha, 1) {
			eps = quad.Inflate(eps+logShare/(alpha-1), leafMargin)
		}
		best = min(best, eps)
	}
	return Budget{Epsilon: best, Delta: o.delta}
}
