package dpkit

import (
	"math"
	"slices"
)

// windowMean is the mean of the empirical quantile function over the levels [from, to], an
// L-statistic with weights at most 1/(to − from): of sorted values and so many copies of pad. The
// i-th of N values has the weight |[i/N, (i+1)/N] ∩ [from, to]|/(to − from).
func windowMean(sorted []float64, from, to, pad float64, copies int) float64 {
	n := float64(len(sorted)) + float64(copies)
	var sum, weight neumaier
	at := 0.0
	take := func(x, count float64) {
		w := math.Min((at+count)/n, to) - math.Max(at/n, from)
		if w > 0 {
			sum.add(w * x)
			weight.add(w)
		}
		at += count
	}
	below, _ := slices.BinarySearch(sorted, pad)
	for _, x := range sorted[:below] {
		take(x, 1)
	}
	take(pad, float64(copies))
	for _, x := range sorted[below:] {
		take(x, 1)
	}
	return sum.sum() / weight.sum()
}
