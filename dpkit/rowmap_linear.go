package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// LinearOp maps a row x to Matrix·x.
type LinearOp = stage.LinearOp
