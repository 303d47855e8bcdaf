package theme

import (
	"math"
	"strconv"
	"strings"

	"github.com/dpkit-go/dpnb/internal/tag"
)

// Ticks are the multiples of 1, 2 or 5 times a power of ten in [lo, hi], about five of them; none where the range is empty or not
// finite.
func Ticks(lo, hi float64) []float64 {
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
	var out []float64
	for i := math.Ceil(lo/step - 1e-9); i*step <= hi+step*1e-9 && len(out) < 20; i++ {
		out = append(out, i*step+0) // +0: no −0
	}
	return out
}

// TickLabel prints a tick without the noise of binary fractions.
func TickLabel(x float64) string {
	return strings.Replace(tag.Plain(strconv.FormatFloat(x, 'g', 6, 64)), "-", "−", 1)
}
