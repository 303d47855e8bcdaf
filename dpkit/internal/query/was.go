package query

import (
	"fmt"

	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// Was is the target's text in identities of version 5, which is frozen: WasText of mechanisms writes it.
func (t Target) Was() string {
	if t.Noise == NoiseLaplace {
		return fmt.Sprintf("ε = %g, Laplace noise", t.Epsilon)
	}
	if t.Noise == NoiseGeometric { // younger: no ledger of then has it
		return fmt.Sprintf("ε = %g, geometric noise", t.Epsilon)
	}
	return fmt.Sprintf("ε = %g, δ = %g", t.Epsilon, t.Delta)
}

// Was is the certificate's text in identities of version 5, which is frozen: WasText of steps writes it.
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
