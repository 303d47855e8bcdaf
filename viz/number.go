package viz

import (
	"math"
	"strconv"
	"strings"

	"github.com/dpkit-go/dpnb/internal/tag"
)

// up prints x with at most four significant digits, never below x: for ε, δ, S and τ.
func up(x float64) string { return tag.Up(x) }

// down prints x likewise, never above x: for what is left of a budget.
func down(x float64) string { return tag.Down(x) }

// near prints x with three significant digits, for ratios and coefficients, which promise nothing.
func near(x float64) string {
	s := strconv.FormatFloat(x+0, 'g', 3, 64) // +0: no −0
	if v, err := strconv.ParseFloat(s, 64); err == nil && math.Abs(v) >= 1000 && math.Abs(v) < 1e6 {
		s = strconv.FormatFloat(v, 'f', -1, 64)
	}
	return strings.Replace(s, "-", "−", 1)
}
