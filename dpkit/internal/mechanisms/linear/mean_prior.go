package linear

import (
	"math"

	reference "github.com/dpkit-go/dpnb/dpkit/internal/population"
)

// meanPrior is where a label's mean may lie off the middle of its bounds, in units of half their width, before anything is known of it: in
// the very middle, or as far off as that of the uneven reference. A label in the middle is not moved by what is noise, and one
// far from it keeps what noise has not (a spike and a slab; Mitchell, Beauchamp 1988, Johnstone, Silverman 2004).
var meanPrior = [...]struct{ weight, variance float64 }{{0.3, 0}, {0.7, offCentre}}

// expectedMean is what is expected of a label's mean, of which m is known with noise of standard deviation sd: on n rows, whose own mean is
// off by chance as that of labels of the reference. It is odd in m and never further from the middle than m is.
func expectedMean(m, sd float64, n int) float64 {
	known := sd*sd + 2*reference.Signal/float64(n)
	all, sum, most := 0.0, 0.0, math.Inf(-1)
	for _, of := range meanPrior { // the most likely one first, so that no density is 0 / 0
		most = max(most, logNormal(m, known+of.variance))
	}
	for _, of := range meanPrior {
		likely := of.weight * math.Exp(logNormal(m, known+of.variance)-most)
		all += likely
		sum += likely * of.variance / (known + of.variance)
	}
	if mean := m * sum / all; math.Abs(mean) <= math.Abs(m) {
		return mean
	}
	return 0 // noise beyond what squares can hold
}

// logNormal is the logarithm of a centred normal density at x, without its constant.
func logNormal(x, variance float64) float64 { return -x*x/(2*variance) - math.Log(variance)/2 }
