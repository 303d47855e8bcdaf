package stage

import (
	"errors"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
)

// Sentinels that callers branch on; every error of this package says more.
var (
	// ErrParameter is returned for a parameter outside its range.
	ErrParameter = kind.ErrParameter
	// ErrColumn is returned for a column that does not exist at that point of the chain, is of another kind than what is asked of it, or has a
	// name that is taken.
	ErrColumn = errors.New("bad column")
	// ErrOrder is a privacy type error: the step has no finite bound at this place in the chain.
	ErrOrder = errors.New("privacy type error")
)
