package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
)

// Scale maps every row into the unit ball by a public affine map: a numeric column goes from its
// declared bounds to [−1, 1], a one-hot block stays, and everything is divided by the square root
// of the number of columns and blocks. It costs nothing; a displacement shrinks with the map.
func (p Pipeline) Scale() Pipeline { return p.with(steps.Scale{}) }
