package rows

import (
	"math"
)

// Packing bounds K_d, the largest number of points of the unit ball of R^d whose pairwise distances
// all exceed 1. Two of them are seen from the centre under an angle above 60°, so that K_d is at most
// the kissing number, and below it in the plane. Upper bounds on kissing numbers: 24
// (Musin 2008), 44, 78 and 134 (Mittelmann, Vallentin 2010, semidefinite programming), 240 and
// 196560 (Odlyzko, Sloane; Levenshtein 1979). They grow with d, and 3^d − 1 follows from volumes:
// balls of radius 1/2 around the points and the centre fill a part of a ball of radius 3/2.
func Packing(d int) float64 {
	small := [...]float64{1, 2, 5, 12, 24, 44, 78, 134, 240}
	if d < len(small) {
		return small[max(d, 0)]
	}
	k := math.Pow(3, float64(d)) - 1
	if d <= 24 {
		k = min(k, 196560)
	}
	return k
}
