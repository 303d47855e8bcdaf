package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
)

// QuantizeBall moves the features of all rows of a good cluster to those of its centre (see [Ball]).
// Labels stay, and have no say in which rows are close. Put it before the steps that are fitted to
// the data. The cells of a public grid ([Pipeline.Quantize]) do the same for nothing. At prediction
// time rows stay as they are.
func (p Pipeline) QuantizeBall(b Ball) Pipeline { return p.with(steps.BallQuantize{Ball: b}) }
