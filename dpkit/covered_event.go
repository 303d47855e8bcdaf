package dpkit

import "github.com/dpkit-go/dpnb/accountant"

// coveredEvent is a release without a μ of its own as a ledger reads it: by the Gaussian that covers it outside a failure
// of probability delta0, which stands beside it.
type coveredEvent struct {
	of     accountant.Event
	delta0 float64
	tv     float64 // distance of the sampler from the law
}

func (c coveredEvent) RDP(rel accountant.Neighbours) (accountant.Curve, error) {
	return c.of.RDP(rel)
}

// GDP computes the cover when a ledger asks: it is not free.
func (c coveredEvent) GDP(rel accountant.Neighbours) (mu, tv float64, err error) {
	mu, err = accountant.GaussianCover(c.of, rel, c.delta0)
	return mu, c.tv, err
}

func (c coveredEvent) String() string { return c.of.String() }
