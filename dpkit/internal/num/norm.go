package num

import (
	"math"
)

// Clamp returns the number in [lo, hi] nearest to x; NaN stays.
func Clamp(x, lo, hi float64) float64 { return min(max(x, lo), hi) }

// Norm2 is the Euclidean norm; missing cells count as 0. Numbers whose squares leave the range of
// float64 are scaled first: a norm that underflows to 0 would pass for one within any bound.
func Norm2(v []float64) float64 {
	var s float64
	for _, x := range v {
		s += x * x
	}
	return norm2(v, s)
}

// norm2 is Norm2 of numbers whose squares add up to s.
func norm2(v []float64, s float64) float64 {
	if s > 0x1p-900 && s < 0x1p1000 {
		return math.Sqrt(s)
	}
	if math.IsNaN(s) {
		s = 0
		for _, x := range v {
			if !math.IsNaN(x) {
				s += x * x
			}
		}
		if s > 0x1p-900 && s < 0x1p1000 {
			return math.Sqrt(s)
		}
	}
	var largest float64
	for _, x := range v {
		if !math.IsNaN(x) {
			largest = max(largest, math.Abs(x))
		}
	}
	if largest == 0 || math.IsInf(largest, 1) {
		return largest
	}
	_, e := math.Frexp(largest)
	s = 0
	for _, x := range v {
		if !math.IsNaN(x) {
			x = math.Ldexp(x, -e)
			s += x * x
		}
	}
	return math.Ldexp(math.Sqrt(s), e)
}
