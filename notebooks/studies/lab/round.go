package lab

import "math"

// Round keeps five significant digits: what a stored result is worth. 0, infinities and NaN stay.
func Round(x float64) float64 {
	if x == 0 || math.IsNaN(x) || math.IsInf(x, 0) {
		return x
	}
	scale := math.Pow(10, 5-math.Ceil(math.Log10(math.Abs(x))))
	return math.Round(x*scale) / scale
}
