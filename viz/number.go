package viz

import (
	"math"
	"strconv"
	"strings"
)

// up prints x with at most four significant digits, never below x: for ε, δ, S and τ.
func up(x float64) string { return rounded(x, +1) }

// down prints x likewise, never above x: for what is left of a budget.
func down(x float64) string { return rounded(x, -1) }

// near prints x with three significant digits, for ratios and coefficients, which promise nothing.
func near(x float64) string {
	s := strconv.FormatFloat(x+0, 'g', 3, 64) // +0: no −0
	if v, err := strconv.ParseFloat(s, 64); err == nil && math.Abs(v) >= 1000 && math.Abs(v) < 1e6 {
		s = strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strings.Replace(s, "-", "−", 1)
}

func rounded(x float64, side int) string {
	const digits = 4
	s := strconv.FormatFloat(x, 'g', digits, 64)
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) || v == x || (v > x) == (side > 0) {
		return plain(s)
	}
	// Rounded to the wrong side: move the last digit by one.
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(x, 'e', digits-1, 64), "e")
	m, err1 := strconv.ParseInt(strings.Replace(mantissa, ".", "", 1), 10, 64)
	e, err2 := strconv.Atoi(exponent)
	if err1 != nil || err2 != nil {
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	if m += int64(side); m < 1000 {
		m, e = 9999, e-1 // 1.000 moved down
	}
	// The decimal is parsed, not computed, so that the printed digits are the moved ones.
	moved, err := strconv.ParseFloat(strconv.FormatInt(m, 10)+"e"+strconv.Itoa(e-digits+1), 64)
	if err != nil {
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	return plain(strconv.FormatFloat(moved, 'g', -1, 64))
}

// plain writes 1.2e+04 as 12000.
func plain(s string) string {
	if v, err := strconv.ParseFloat(s, 64); err == nil && math.Abs(v) >= 1000 && math.Abs(v) < 1e6 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return s
}
