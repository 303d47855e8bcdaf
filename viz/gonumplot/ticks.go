package gonumplot

import (
	"github.com/dpkit-go/dpnb/viz/internal/theme"
	"gonum.org/v1/plot"
)

// Ticks places the marks of a linear axis at about five multiples of 1, 2 or 5 times a power of ten, and prints them as package
// viz does. [New] gives it to both axes.
type Ticks struct{}

// Ticks returns the marks within [lo, hi]; none where the range is empty or not finite.
func (Ticks) Ticks(lo, hi float64) []plot.Tick {
	var out []plot.Tick
	for _, v := range theme.Ticks(lo, hi) {
		out = append(out, plot.Tick{Value: v, Label: theme.TickLabel(v)})
	}
	return out
}
