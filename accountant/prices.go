package accountant

import "github.com/dpkit-go/dpnb/internal/memo"

// prices keeps what single mechanisms cost: a plan asks for its cost, then for its release, and a ledger once more. Combinators of
// several parts and events of other packages are priced anew: they need not compare.
type prices struct {
	kept memo.Memo[priceKey, priced]
}

type priceKey struct {
	of  Event
	rel Neighbours
	at  float64 // δ, or ε
}

type priced struct {
	guarantee Guarantee
	err       error
}

// price returns the kept price, or that of compute.
func (p *prices) price(e Event, rel Neighbours, at float64, compute func(Event, Neighbours, float64) (Guarantee, error)) (Guarantee, error) {
	if !isPlain(e) {
		return compute(e, rel, at)
	}
	v := p.kept.Of(priceKey{of: e, rel: rel, at: at}, func() priced {
		g, err := compute(e, rel, at)
		return priced{guarantee: g, err: err}
	})
	return v.guarantee, v.err
}

// isPlain reports whether e is a plain value that compares: one of this package's mechanisms, or its repetition, its cover, or what was stated of it.
func isPlain(e Event) bool {
	switch e := e.(type) {
	case repetition:
		return isLeaf(e.of)
	case gaussianCovered:
		return isLeaf(e.of)
	case stated:
		return isLeaf(e.of)
	}
	return isLeaf(e)
}
