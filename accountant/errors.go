package accountant

import "errors"

var (
	// ErrNeighbours reports a price that was asked for under another relation than it was computed for.
	ErrNeighbours = errors.New("wrong neighbouring relation")
	// ErrEpsilon reports an ε outside its range.
	ErrEpsilon = errors.New("invalid epsilon")
	// ErrDelta reports a δ outside its range.
	ErrDelta = errors.New("invalid delta")
	// ErrOrder reports a Rényi order that is not above 1.
	ErrOrder = errors.New("invalid order")
	// ErrParameter reports an event's parameter outside its range.
	ErrParameter = errors.New("invalid parameter")
	// ErrNoRoute reports that an event cannot be priced by the route that was asked for.
	ErrNoRoute = errors.New("no such route")
	// ErrBudget reports that a budget does not cover what was asked of it.
	ErrBudget = errors.New("beyond the budget")
	// ErrCodec reports an event that cannot be stored, or a stored event that cannot be read.
	ErrCodec = errors.New("not a stored event")
)
