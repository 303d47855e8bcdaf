package query

import (
	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/cost"
)

// An Asker is a mechanism that may ask private queries of its own, one of which may refuse the release.
type Asker interface {
	// Asks says whether one of them may refuse the release, by [ErrTestFailed].
	Asks() bool
	// Scope is what the mechanism's own bounds rest on, beside those of the steps before it.
	Scope() accountant.Scope
}

// Situated is an Asker whose scope hangs on the session: whom it protects, in which relation, and whether it is a demonstration.
type Situated interface {
	ScopeIn(unit accountant.Unit, rel accountant.Neighbours, demonstration bool) accountant.Scope
}

// Bill is a calibrated mechanism's account.
type Bill struct {
	Event     accountant.Event
	Guarantee accountant.Guarantee
	Cost      cost.Release
	// Behind is the mechanism with its noise, without what steps ask, on any pair state of as many rows of that norm; nil where
	// only pairs without displaced rows are priced. Rows are displaced in the columns that the steps of the chain displace, or,
	// where they displace none, in any feature.
	Behind func(p pair.State) (accountant.Event, error)
	// Gaussian says that all of it is Gaussian noise of a μ that the target decides, whatever the bounds of columns are.
	Gaussian bool
	// OwnRoute says that the guarantee has a route of its own, which the parts of Event do not show: it is stated of the event as well
	// ([Bill.Stated]).
	OwnRoute bool
}

// Stated is the bill whose event, priced at the guarantee's δ, costs no more than the guarantee.
func (b Bill) Stated() Bill {
	if b.OwnRoute && b.Event != nil {
		b.Event = accountant.Stated(b.Event, b.Guarantee)
	}
	return b
}
