package linalg

import "fmt"

// NearBoxes finds which of 16 boxes are near a point p of d ≥ 1 coordinates. Cell j of their lower corners is lo[16j:16j+16], of their upper
// ones hi[16j:16j+16]; with lo for both they are points. Bit i of the result says that the squared Euclidean distance to box i is at most
// stop; if any is, all squared distances are in dist. A box with the corners +Inf and −Inf, or the point +Inf, is far from everything.
//
// For integers the distances are exact up to 2⁵³ and larger ones stay larger, with every instruction set. It panics for other lengths.
func NearBoxes(p, lo, hi []float64, stop float64, dist *[16]float64) uint16 {
	if len(p) == 0 || len(lo) != 16*len(p) || len(hi) != len(lo) {
		panic(fmt.Sprintf("linalg: near boxes: got %d coordinates, corners of %d and %d, want 16 for each coordinate", len(p), len(lo), len(hi)))
	}
	return active.nearBoxes(p, lo, hi, stop, dist)
}

func nearBoxesGo(p, lo, hi []float64, stop float64, dist *[16]float64) (near uint16) {
	clear(dist[:])
	for j, x := range p {
		l, h := (*[16]float64)(lo[16*j:]), (*[16]float64)(hi[16*j:])
		for i := range dist {
			if gap := max(l[i]-x, x-h[i]); gap > 0 {
				dist[i] += gap * gap
			}
		}
		if j%8 == 1 || j == len(p)-1 {
			near = 0
			for i, s := range dist {
				if s <= stop {
					near |= 1 << i
				}
			}
			if near == 0 {
				return 0
			}
		}
	}
	return near
}
