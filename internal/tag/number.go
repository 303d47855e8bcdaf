package tag

import (
	"math"
	"strconv"
	"strings"
)

// Up prints x with at most four significant digits, never below x: for ε, δ, S and τ.
func Up(x float64) string { return rounded(x, +1) }

// Down prints x likewise, never above x: for what is left of a budget.
func Down(x float64) string { return rounded(x, -1) }

func rounded(x float64, side int) string {
	const digits = 4
	s := strconv.FormatFloat(x, 'g', digits, 64)
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(x) || math.IsInf(x, 0) || v == x || (v > x) == (side > 0) {
		return Plain(s)
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
	return Plain(strconv.FormatFloat(moved, 'g', -1, 64))
}

// Plain writes 1.2e+04 as 12000.
func Plain(s string) string {
	if v, err := strconv.ParseFloat(s, 64); err == nil && math.Abs(v) >= 1000 && math.Abs(v) < 1e6 {
		return strconv.FormatFloat(v, 'f', -1, 64)
	}
	return s
}
