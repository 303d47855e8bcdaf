package quad

import "math"

// LogisticQuadratic returns the coefficients of the quadratic b0 + b1 s + b2 s² that agrees with the logistic loss
// ln(1 + e^−s) at the three Chebyshev nodes 0, ±(√3/2) q of [−q, q], q > 0:
//
//	b0 = ln 2,  b1 = −½,  b2 = (ln(1+e^−x) + ln(1+e^x) − 2 ln 2)/(2x²) = ln cosh(x/2)/x²,  x = (√3/2) q,
//
// b2 without cancellation. Its minimiser in least squares is −b1/(2 b2) times that of the linear model. A q that is
// not positive and finite gives NaN.
func LogisticQuadratic(q float64) (b0, b1, b2 float64) {
	if !(q > 0) || math.IsInf(q, 1) {
		return math.NaN(), math.NaN(), math.NaN()
	}
	x := math.Sqrt(3) / 2 * q
	switch s := math.Sinh(min(x, 1) / 4); {
	case x < 1e-5: // ln cosh(x/2) = x²/8 − x⁴/192 + …
		b2 = 0.125 - x*x/192
	case x <= 1: // cosh y = 1 + 2 sinh²(y/2)
		b2 = math.Log1p(2*s*s) / x / x
	default: // ln cosh y = y + ln(1 + e^−2y) − ln 2
		b2 = (x/2 + math.Log1p(math.Exp(-x)) - math.Ln2) / x / x
	}
	return math.Ln2, -0.5, b2
}
