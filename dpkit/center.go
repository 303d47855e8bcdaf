package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
)

// Center subtracts the mean of the rows, fitted without noise and priced. The mean divides by the
// public n, and a row that an earlier step removed counts as zeros.
//
// A model that reads raw rows would need the mean, which is not private: behind Center only
// statistics of the centred rows can be released, and coefficients by [Plan.WithoutPrediction]. The price is that of one more row moving across
// the domain, D in total.
func (p Pipeline) Center() Pipeline { return p.with(steps.Centering{}) }
