package baseline

import "github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/unbounded"

// Methods of dpkit.Unbounded.
const (
	// Naive measures once, in the coordinates that the largest declared moment needs: the error is that of the condition number.
	Naive = unbounded.Naive
	// WeakContraction is dpkit's MomentsAdaptive, but no round shrinks a direction's bound below 0.7 times what it was (Kamath, Li, Singhal,
	// Ullman 2019, as used by Milionis), so that rounds grow with the logarithm of the condition number to that base.
	WeakContraction = unbounded.WeakContraction
)
