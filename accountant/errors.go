package accountant

import (
	"errors"

	"github.com/dpkit-go/dpnb/internal/sentinel"
)

var (
	// ErrNeighbours reports a price that was asked for under another relation than it was computed for.
	ErrNeighbours = errors.New("wrong neighbouring relation")
	// ErrEpsilon reports an ε outside its range.
	ErrEpsilon = errors.New("invalid epsilon")
	// ErrDelta reports a δ outside its range.
	ErrDelta = errors.New("invalid delta")
	// ErrOrder reports a Rényi order that is not above 1. ErrOrder of package dpkit is another error: a step at a wrong place of a chain.
	ErrOrder = errors.New("invalid order")
	// ErrParameter reports an event's parameter outside its range.
	ErrParameter = sentinel.ErrParameter
	// ErrNoRoute reports that an event cannot be priced by the route that was asked for.
	ErrNoRoute = errors.New("no such route")
	// ErrBudget reports that a budget does not cover what was asked of it: of a ledger, of a [Filter], or of an order in [RDPFor]. The
	// names ErrBudget of packages dpkit and accountant/ledger are this value.
	ErrBudget = errors.New("budget exceeded")
	// ErrCodec reports an event that cannot be stored, or a stored event that cannot be read.
	ErrCodec = errors.New("not a stored event")
)
