package quad

import "math"

// Adaptive integrates f over [lo, hi] by [Legendre] on panels that it halves until the halves agree
// with the whole: each panel to tol times the integral, or 30 times halved. It returns the integral and
// the sum of the disagreements that were left, which bounds its error generously for a
// piecewise smooth f: the halves are far more accurate than the whole that they are compared with.
func Adaptive(f func(float64) float64, lo, hi, tol float64) (value, err float64) {
	return AdaptiveAbs(f, lo, hi, tol, 0)
}

// AdaptiveAbs is [Adaptive] with panels that may also be off by abs: for a part of an integral that is small beside the
// whole, where rounding would keep the halves of its panels from agreeing to a part of themselves.
func AdaptiveAbs(f func(float64) float64, lo, hi, tol, abs float64) (value, err float64) {
	type panel struct {
		lo, hi, value float64
		depth         int
	}
	whole := Legendre(f, lo, hi)
	stack := append(make([]panel, 0, 64), panel{lo: lo, hi: hi, value: whole})
	scale := 0.0
	for len(stack) > 0 {
		p := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		mid := (p.lo + p.hi) / 2
		left, right := Legendre(f, p.lo, mid), Legendre(f, mid, p.hi)
		gap := math.Abs(left + right - p.value)
		scale = max(scale, math.Abs(left+right))
		if gap <= max(tol*scale, abs) || p.depth >= 30 || math.IsNaN(gap) {
			value += left + right
			err += gap
			continue
		}
		stack = append(stack,
			panel{lo: mid, hi: p.hi, value: right, depth: p.depth + 1},
			panel{lo: p.lo, hi: mid, value: left, depth: p.depth + 1})
	}
	return value, err
}
