package page

import (
	"math"
	"strconv"
)

// contrast is the contrast ratio of two colours (WCAG 2.2).
func contrast(a, b string) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(rgb string) float64 {
	n, err := strconv.ParseUint(rgb, 16, 32)
	if err != nil {
		return math.NaN()
	}
	channel := func(v uint64) float64 {
		c := float64(v&255) / 255
		if c <= 0.04045 {
			return c / 12.92
		}
		return math.Pow((c+0.055)/1.055, 2.4)
	}
	return 0.2126*channel(n>>16) + 0.7152*channel(n>>8) + 0.0722*channel(n)
}
