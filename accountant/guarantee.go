package accountant

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Guarantee is what a release promises: (ε, δ)-DP under a relation, within a scope.
type Guarantee struct {
	Budget
	Neighbours Neighbours `json:"neighbours"`
	Scope      Scope      `json:"scope"`
	Unit       Unit       `json:"unit,omitempty"` // whom it protects
	// Route names the accounting route that gave the numbers, e.g. "exact Gaussian profile".
	Route string `json:"route"`
}

// Within weakens the guarantee to what also rests on s.
func (g Guarantee) Within(s Scope) Guarantee {
	g.Scope = g.Scope.Join(s)
	return g
}

// String reads, for example, "(1, 1e-06)-DP, replace-one, unconditional", or "(1, 1e-06)-DP per person, …" where it protects people. Both numbers are rounded
// up to six digits. Only finite numbers with a relation and a complete scope are called DP.
func (g Guarantee) String() string {
	numbers := fmt.Sprintf("(%s, %s)", FormatUp(g.Epsilon), FormatUp(g.Delta))
	promises := g.Epsilon >= 0 && !math.IsInf(g.Epsilon, 1) && g.Delta >= 0 && g.Delta < 1
	if !promises || g.Neighbours.Validate() != nil || g.Scope.Validate() != nil || g.Unit.Validate() != nil {
		return fmt.Sprintf("%s, not a guarantee: %v, %v", numbers, g.Neighbours, g.Scope)
	}
	return fmt.Sprintf("%s-DP%s, %v, %v", numbers, g.Unit.each(), g.Neighbours, g.Scope)
}

// FormatUp prints x with at most six significant digits, in the style of %g, never below x.
func FormatUp(x float64) string {
	s := strconv.FormatFloat(x, 'g', 6, 64)
	if v, err := strconv.ParseFloat(s, 64); err != nil || !(v < x) {
		return s
	}
	// Rounded down: add one to the last of the six digits.
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(x, 'e', 5, 64), "e")
	digits, err1 := strconv.ParseInt(strings.Replace(mantissa, ".", "", 1), 10, 64)
	power, err2 := strconv.Atoi(exponent)
	if err1 != nil || err2 != nil {
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	up, _ := strconv.ParseFloat(fmt.Sprintf("%de%d", digits+1, power-5), 64) // +Inf on overflow
	return strconv.FormatFloat(up, 'g', -1, 64)
}
