package quad

import "math"

// tinyResidual bounds the results whose rounding error a fused multiply-add may lose to
// underflow; below it the functions here step up unconditionally.
const tinyResidual = 0x1p-960

// AddUp returns the smallest float64 that is at least a+b.
func AddUp(a, b float64) float64 {
	s := a + b
	if math.IsInf(s, 0) || math.IsNaN(s) {
		return s
	}
	// TwoSum (Knuth 1969): a+b = s+e exactly.
	t := s - a
	e := (a - (s - t)) + (b - t)
	if e > 0 {
		return above(s)
	}
	return s
}

// above returns the least float64 above a finite x.
func above(x float64) float64 {
	if x > 0 {
		return math.Float64frombits(math.Float64bits(x) + 1)
	}
	return math.Nextafter(x, math.Inf(1))
}

// MulUp returns a float64 that is at least a·b, for a, b ≥ 0: the smallest one unless a·b is
// below 2^-960. A zero factor gives zero even when the other is +Inf: no unit of an unbounded
// cost costs nothing.
func MulUp(a, b float64) float64 {
	if a == 0 || b == 0 {
		return 0
	}
	p := a * b
	if p < tinyResidual || math.FMA(a, b, -p) > 0 {
		return above(p)
	}
	return p
}

// DivUp returns a float64 that is at least a/b, for a ≥ 0 and b > 0: the smallest one unless
// an operand or the quotient is below 2^-960.
func DivUp(a, b float64) float64 {
	if a == 0 {
		return 0
	}
	q := a / b
	if math.IsInf(b, 1) || a < tinyResidual || q < tinyResidual || math.FMA(q, b, -a) < 0 {
		return math.Nextafter(q, math.Inf(1))
	}
	return q
}

// SqrtUp returns a float64 that is at least √x, for x ≥ 0: the smallest one unless x is
// below 2^-960.
func SqrtUp(x float64) float64 {
	if x == 0 {
		return 0
	}
	s := math.Sqrt(x)
	if x < tinyResidual || math.FMA(s, s, -x) < 0 {
		return math.Nextafter(s, math.Inf(1))
	}
	return s
}

// Inflate returns x·(1+rel) and a subnormal more, rounded up, for x, rel ≥ 0. It turns a value
// with a known relative error into an upper bound.
func Inflate(x, rel float64) float64 {
	return AddUp(MulUp(x, 1+rel), 8*math.SmallestNonzeroFloat64)
}
