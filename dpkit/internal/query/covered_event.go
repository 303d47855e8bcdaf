package query

import (
	"github.com/dpkit-go/dpnb/accountant"
)

// CoveredEvents is an event without a μ of its own with the failure outside which a Gaussian covers it, which a ledger pays from its
// reserve (dpkit.Options).
func CoveredEvents(of accountant.Event, rel accountant.Neighbours, delta0 float64, by accountant.CoverBy) accountant.Event {
	return accountant.Compose(accountant.Covered(of, delta0, 0, by), accountant.ApproxDP{Delta: delta0, Neighbours: rel})
}
