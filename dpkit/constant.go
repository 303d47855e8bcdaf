package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// Constant is one number that a bound rests on.
type Constant = stage.Constant
