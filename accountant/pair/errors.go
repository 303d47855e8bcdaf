package pair

import "errors"

// ErrPair reports a pair state, or the bounds of a step, that no datasets can have.
var ErrPair = errors.New("invalid pair state")
