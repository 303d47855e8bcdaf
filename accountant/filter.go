package accountant

import (
	"fmt"
	"math"
	"math/big"
	"sync"
)

// Filter decides, event by event, whether a budget still covers it. All events that it admitted are
// together within the budget, however each was chosen from the outputs before it: the theorem is that of its
// [FilterKind] (docs/theory/mechanisms.md#budgets-of-a-ledger). The price of an event must be fixed before it is drawn.
//
// The sum of the prices counts as within its limit up to 2^-49 of that, 8 units in the last place: n parts of 1/n of the budget are
// rounded, and so are their prices, and the last of them must not be refused. The promise is meant with that rounding.
//
// A filter may be used by several goroutines. Its state is the sum of what was admitted; a program that must not
// forget it keeps a ledger.
type Filter struct {
	budget Budget
	rel    Neighbours
	kind   FilterKind
	limit  tally
	most   tally // limit and [partRounding]

	mu    sync.Mutex
	spent tally
}

// partRounding is what the sum of n prices of 1/n of a budget each may be above it, relatively, by the rounding of the parts and
// of their prices.
const partRounding = 0x1p-49

// tally holds amounts of a currency, squared for Gaussian DP, and of failures, summed up to 512 bits:
// the rounding of a sum must not refuse the last of n equal parts.
type tally struct {
	amounts []*big.Float
	failure *big.Float
}

// NewFilter makes a filter with nothing spent. Errors wrap [ErrEpsilon], [ErrDelta], [ErrNeighbours],
// [ErrParameter], [ErrOrder], or [ErrBudget] where an order is too low for the budget.
func NewFilter(b Budget, rel Neighbours, kind FilterKind) (*Filter, error) {
	if err := rel.Validate(); err != nil {
		return nil, err
	}
	amounts, failure, err := kind.limits(b)
	if err != nil {
		return nil, err
	}
	f := &Filter{budget: b, rel: rel, kind: kind}
	f.limit = f.tally(amounts, failure)
	f.most = f.limit.rounding()
	f.spent = f.tally(make([]float64, len(amounts)), 0)
	return f, nil
}

// Admit charges the event if the budget covers it. Where it does not, the error wraps [ErrBudget], and
// nothing is charged. An event that the kind cannot price has an error that wraps [ErrNoRoute],
// [ErrNeighbours] or [ErrParameter].
func (f *Filter) Admit(e Event) error {
	amounts, failure, err := f.kind.price(e, f.rel)
	if err != nil {
		return fmt.Errorf("accountant: filter by %v: %w", f.kind, err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	next := f.with(amounts, failure)
	if !f.failuresFit(next) {
		return fmt.Errorf("accountant: filter by %v: %v: got failures or sampler distances of %.3g in all, want what the budget's δ = %g keeps for them; draw on a finer grid: %w",
			f.kind, e, next.failure, f.budget.Delta, ErrBudget)
	}
	if !f.amountsFit(next) {
		return &overBudget{f: f, spent: f.spent, event: e, amounts: amounts}
	}
	f.spent = next
	return nil
}

// overBudget is the error of an event that is not admitted. What it says takes two conversions to ε, which a program that goes on to a
// smaller event does not ask for.
type overBudget struct {
	f       *Filter
	spent   tally // before the event
	event   Event
	amounts []float64
}

func (o *overBudget) Error() string {
	b := o.f.budget
	return fmt.Sprintf("accountant: filter by %v: %v: got a cost of ε = %s at δ = %g alone, want at most the %.6g that is left; add noise or ask less: %v",
		o.f.kind, o.event, FormatUp(o.f.kind.epsilon(b, o.amounts)), b.Delta, o.f.left(o.spent).Epsilon, ErrBudget)
}

func (o *overBudget) Unwrap() error { return ErrBudget }

// Restore charges an event that has happened, whether or not the budget covers it: for a filter that is
// rebuilt from a record. Errors are those of [Filter.Admit] but for [ErrBudget]. An event of infinite
// price leaves nothing.
func (f *Filter) Restore(e Event) error {
	amounts, failure, err := f.kind.price(e, f.rel)
	if err != nil {
		return fmt.Errorf("accountant: filter by %v: %w", f.kind, err)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.spent = f.with(amounts, failure)
	return nil
}

// Spent is what the admitted events cost so far in the filter's currency, as ε at the budget's δ (by
// [ByEpsilon], at the sum of their own δ), rounded up. It reports progress. What is promised about a run
// that ends when its outputs say so is the whole budget; see [Odometer] for a promise about what was spent.
func (f *Filter) Spent() Budget {
	f.mu.Lock()
	defer f.mu.Unlock()
	amounts := make([]float64, len(f.spent.amounts))
	for i, x := range f.spent.amounts {
		if !within(x, f.most.amounts[i]) && len(amounts) > 1 {
			amounts[i] = math.Inf(1) // this order is lost
			continue
		}
		amounts[i] = f.amount(x, big.ToPositiveInf)
	}
	b := Budget{Epsilon: f.kind.epsilon(f.budget, amounts), Delta: f.budget.Delta}
	if f.kind.currency == epsilonCurrency {
		b.Delta, _ = rounded(f.spent.failure, big.ToPositiveInf).Float64()
		if f.failuresFit(f.spent) {
			b.Delta = min(b.Delta, f.budget.Delta)
		}
	}
	if f.amountsFit(f.spent) {
		b.Epsilon = min(b.Epsilon, f.budget.Epsilon) // what the limits mean
	}
	return b
}

// Left is the ε at the budget's δ of the largest single event that the filter would still admit, priced in
// its currency, rounded down (by [ByEpsilon]: the ε and δ that are left). An event that is cheaper by another
// route may still be refused.
func (f *Filter) Left() Budget {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.left(f.spent)
}

// left is what of the budget is left where so much is spent.
func (f *Filter) left(spent tally) Budget {
	if !f.failuresFit(spent) {
		return Budget{}
	}
	b := Budget{Delta: f.budget.Delta}
	if f.kind.currency == epsilonCurrency {
		b.Delta, _ = rounded(minus(f.limit.failure, spent.failure), big.ToZero).Float64()
		b.Delta = max(0, b.Delta)
	}
	for i, limit := range f.limit.amounts {
		rest := minus(limit, spent.amounts[i])
		if rest.Sign() <= 0 {
			continue
		}
		amounts := make([]float64, len(f.limit.amounts))
		for j := range amounts {
			amounts[j] = math.Inf(1)
		}
		amounts[i] = f.amount(rest, big.ToZero)
		eps := f.kind.epsilon(f.budget, amounts)
		if f.kind.currency != epsilonCurrency {
			eps *= 1 - 1e-9 // it was rounded up
		}
		b.Epsilon = max(b.Epsilon, min(eps, f.budget.Epsilon))
	}
	return b
}

// with adds a price to what was spent.
func (f *Filter) with(amounts []float64, failure float64) tally {
	next := f.tally(amounts, failure)
	next.failure.Add(next.failure, f.spent.failure)
	for i, x := range next.amounts {
		x.Add(x, f.spent.amounts[i])
	}
	return next
}

// amountsFit reports whether some order is within its limit.
func (f *Filter) amountsFit(t tally) bool {
	for i, x := range t.amounts {
		if within(x, f.most.amounts[i]) {
			return true
		}
	}
	return false
}

// failuresFit reports whether the failures are within what is kept for them.
func (f *Filter) failuresFit(t tally) bool {
	p, _ := rounded(t.failure, big.ToPositiveInf).Float64()
	return within(exact(f.kind.failureCost(f.budget.Epsilon, p)), f.most.failure)
}

// within reports whether a sum is at most its limit, to which [tally.rounding] has added.
func within(x, most *big.Float) bool { return x.Cmp(most) <= 0 }

// rounding is what sums within these limits may be: [partRounding] more.
func (t tally) rounding() tally {
	more := func(limit *big.Float) *big.Float {
		return new(big.Float).SetPrec(512).Mul(limit, big.NewFloat(1+partRounding))
	}
	out := tally{failure: more(t.failure)}
	for _, x := range t.amounts {
		out.amounts = append(out.amounts, more(x))
	}
	return out
}

// tally converts amounts, exactly.
func (f *Filter) tally(amounts []float64, failure float64) tally {
	t := tally{failure: exact(failure)}
	for _, x := range amounts {
		v := exact(x)
		if f.kind.currency == gdpCurrency {
			v.Mul(v, v)
		}
		t.amounts = append(t.amounts, v)
	}
	return t
}

// amount converts back, with a root for Gaussian DP.
func (f *Filter) amount(x *big.Float, mode big.RoundingMode) float64 {
	if f.kind.currency != gdpCurrency || x.IsInf() {
		v, _ := rounded(x, mode).Float64()
		return v
	}
	root := new(big.Float).SetPrec(128).Sqrt(x) // to the nearest, 75 bits beyond what is kept
	v, _ := rounded(root, mode).Float64()
	if mode == big.ToPositiveInf && v > 0 {
		return math.Nextafter(v, math.Inf(1))
	}
	return math.Nextafter(v, 0)
}

// exact is x with room for sums; +Inf where x is NaN, which no price should be.
func exact(x float64) *big.Float {
	v := new(big.Float).SetPrec(512).SetMode(big.ToPositiveInf)
	if math.IsNaN(x) {
		return v.SetInf(false)
	}
	return v.SetFloat64(x)
}

func minus(a, b *big.Float) *big.Float {
	if b.IsInf() {
		return new(big.Float).SetInf(true)
	}
	return new(big.Float).SetPrec(512).SetMode(big.ToNegativeInf).Sub(a, b)
}

func rounded(x *big.Float, mode big.RoundingMode) *big.Float {
	return new(big.Float).SetPrec(53).SetMode(mode).Set(x)
}
