package query

import (
	"fmt"

	"github.com/dpkit-go/dpnb/dpkit/stage"
)

func (t Target) Was() string {
	if t.Noise == NoiseLaplace {
		return fmt.Sprintf("ε = %g, Laplace noise", t.Epsilon)
	}
	return fmt.Sprintf("ε = %g, δ = %g", t.Epsilon, t.Delta)
}

func (c Certificate) Was() string {
	switch {
	case c.ground == stage.FromDeclaration:
		return fmt.Sprintf("Declare(%g)", c.value)
	case c.ground != stage.FromTest:
		return "none"
	case c.open:
		return fmt.Sprintf("Bound({Share: %g, Delta: %g})", c.tested.Share, c.tested.Delta)
	default:
		return fmt.Sprintf("Test(%g, {Share: %g, Delta: %g})", c.value, c.tested.Share, c.tested.Delta)
	}
}
