package num

import (
	"fmt"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/frames"
)

// Radii, clips, cells, weights and steps are of the sizes of a schema. Those of rows are held to it by pair.State.
const MinSize, MaxSize = frames.MinWidth, frames.MaxBound

// InRange reports whether x is such a size.
func InRange(x float64) bool { return x >= MinSize && x <= MaxSize }

// Sized reports a parameter outside that range.
func Sized(what string, x float64) error {
	if !InRange(x) {
		return fmt.Errorf("%s: got %g, want a number in [%g, %g]; Scale first, or choose another unit: %w", what, x, MinSize, MaxSize, kind.ErrParameter)
	}
	return nil
}

// SizedOr0 is [Sized] where 0 stands for the default.
func SizedOr0(what string, x float64) error {
	if x == 0 {
		return nil
	}
	if err := Sized(what, x); err != nil {
		return fmt.Errorf("%w, or 0 for the default", err)
	}
	return nil
}
