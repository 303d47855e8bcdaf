package gonumplot

import (
	"math"
	"strconv"
	"strings"

	"github.com/dpkit-go/dpnb/internal/tag"
	"gonum.org/v1/plot"
)

// Ticks places the marks of a linear axis at about five multiples of 1, 2 or 5 times a power of ten, and prints them as package
// viz does. [New] gives it to both axes.
type Ticks struct{}

// Ticks returns the marks within [lo, hi]; none where the range is empty or not finite.
func (Ticks) Ticks(lo, hi float64) []plot.Tick {
	if !(hi > lo) || math.IsInf(hi-lo, 0) {
		return nil
	}
	step := math.Pow(10, math.Floor(math.Log10((hi-lo)/5)))
	for _, k := range []float64{1, 2, 5, 10} {
		if (hi-lo)/(k*step) <= 6 {
			step *= k
			break
		}
	}
	var out []plot.Tick
	for i := math.Ceil(lo/step - 1e-9); i*step <= hi+step*1e-9 && len(out) < 20; i++ {
		v := i*step + 0 // +0: no −0
		out = append(out, plot.Tick{Value: v, Label: label(v)})
	}
	return out
}

// label prints a mark without the noise of binary fractions.
func label(x float64) string {
	s := tag.Plain(strconv.FormatFloat(x, 'g', 6, 64))
	return strings.Replace(s, "-", "−", 1)
}
