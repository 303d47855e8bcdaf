package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
)

// ClipNorm projects every row onto the ball of radius r: x·min(1, r/‖x‖), a 1-Lipschitz public
// map. It costs nothing.
func (p Pipeline) ClipNorm(r float64) Pipeline { return p.with(steps.ClipNorm{R: r}) }
