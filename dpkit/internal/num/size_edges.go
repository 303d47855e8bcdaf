package num

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat/distuv"
)

// The least and the largest of the sizes that [SizeEdges] tells apart: powers of two.
const (
	LeastSize = 0x1p-40
	MostSize  = 0x1p80
)

// SizeEdges are the edges of bins of sizes within (lo, hi]: 0 and ±2^k for k from −40 to 80.
func SizeEdges(lo, hi float64) []float64 {
	edges := []float64{0}
	for e := LeastSize; e <= MostSize; e *= 2 {
		edges = append(edges, e, -e)
	}
	slices.Sort(edges)
	return slices.DeleteFunc(edges, func(e float64) bool { return !(lo < e && e <= hi) })
}

// LeastCount is what a noisy number of rows has to be above for its bin to count as having rows, among so many bins with Gaussian noise of
// that deviation: noise alone makes one of bins without rows look so with probability chance at most (docs/theory/tables.md#bounds-from-sizes).
func LeastCount(sigma float64, bins int, chance float64) float64 {
	return sigma * distuv.UnitNormal.Quantile(math.Pow(1-chance, 1/float64(max(1, bins))))
}
