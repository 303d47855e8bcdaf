package num

import "math"

// MissingRow returns a row of d missing cells.
func MissingRow(d int) []float64 {
	row := make([]float64, d)
	for j := range row {
		row[j] = math.NaN()
	}
	return row
}

// Fill copies src to dst with values in place of missing cells.
func Fill(dst, src, values []float64) {
	dst, values = dst[:len(src)], values[:len(src)]
	for j, x := range src {
		if math.IsNaN(x) {
			x = values[j]
		}
		dst[j] = x
	}
}

// ClipRow is the metric projection of src onto the ball of radius r: x·min(1, r/‖x‖). Missing
// cells count as 0 and stay missing.
func ClipRow(dst, src []float64, r float64) {
	var s float64
	for _, x := range src {
		s += float64(x * x) // never fused: as [ClipRows]
	}
	clip(dst, src, r, s)
}

// clip is ClipRow of a row whose squares add up to s.
func clip(dst, src []float64, r, s float64) {
	norm := norm2(src, s)
	if !(norm > r) {
		copy(dst, src)
		return
	}
	f := r / norm
	dst = dst[:len(src)]
	for j, x := range src {
		dst[j] = x * f
	}
}
