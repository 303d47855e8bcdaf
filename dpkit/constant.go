package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// Constant is one number that a bound rests on.
//
// Its fields:
//
//	Symbol  string
//	Value   float64
//	Origin  stage.Origin
//	Meaning string
type Constant = stage.Constant
