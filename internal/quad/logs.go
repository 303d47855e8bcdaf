package quad

import "math"

// Log returns ln x. Unlike math.Log, whose amd64 version returns about -709 for every subnormal
// number (Go 1.26), it is right down to the smallest one: ln δ that is too large is an ε that is
// too small.
func Log(x float64) float64 {
	if x > 0 && x < 0x1p-1022 {
		return math.Log(x*0x1p60) - 60*math.Ln2
	}
	return math.Log(x)
}

// Log1mExp returns ln(1-e^x) for x ≤ 0 without cancellation (Mächler 2012).
func Log1mExp(x float64) float64 {
	if x > -math.Ln2 {
		return math.Log(-math.Expm1(x))
	}
	return math.Log1p(-math.Exp(x))
}

// LogSubExp returns ln(e^a - e^b) for a ≥ b: -Inf where they are equal.
func LogSubExp(a, b float64) float64 {
	if a == b {
		return math.Inf(-1)
	}
	return a + Log1mExp(b-a)
}

// LogAddExp returns ln(e^a + e^b).
func LogAddExp(a, b float64) float64 {
	if a < b {
		a, b = b, a
	}
	if math.IsInf(a, 0) {
		return a
	}
	return a + math.Log1p(math.Exp(b-a))
}
