package viz

import (
	"math"
	"strconv"
	"strings"

	"github.com/dpkit-go/dpnb/internal/tag"
)

// ticks are the multiples of 1, 2 or 5 times a power of ten in [lo, hi], about five of them.
func ticks(lo, hi float64) []float64 {
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

// tickLabel prints a tick without the noise of binary fractions.
func tickLabel(x float64) string {
	s := strconv.FormatFloat(x, 'g', 10, 64)
	if v, err := strconv.ParseFloat(strconv.FormatFloat(x, 'g', 6, 64), 64); err == nil {
		s = tag.Plain(strconv.FormatFloat(v, 'g', -1, 64))
	}
	return strings.Replace(s, "-", "−", 1)
}
