package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/unbounded"
)

// UnboundedLinear is regression of the schema's label on all features, none of which needs a bound, by least squares on
// one joint second moment of (1, x, y).
//
//   - A numeric label, with or without bounds: least squares. The best linear predictor is estimated whatever the law of
//     the label given the features (Milionis's least squares with bounded labels and linear regression; there by three
//     releases in place of one).
//   - A label of two classes: binary regression. Least squares of ±1 gives the direction of the separating
//     hyperplane alone, if the features are Gaussian (Brillinger 1982); a Link that is known gives the scale, too.
type UnboundedLinear = unbounded.UnboundedLinear

// FitUnbounded fits a linear model of the schema's label on features without bounds. Each round is one pass over the
// rows, in constant memory.
//
// If the released moments do not stand above their noise the model says so in Refused, and does not predict: the
// release is paid for, as the refusal is a function of what was released.
func (p Pipeline) FitUnbounded(o UnboundedLinear) Plan[UnboundedModel] {
	return newPlan[UnboundedModel](p, unbounded.UnboundedFit{UnboundedLinear: o})
}
