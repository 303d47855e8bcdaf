package quad

import "math"

// Adaptive integrates f over [lo, hi] by [Legendre] on panels that it halves until the halves agree
// with the whole: each panel to tol times the integral, or 30 times halved. It returns the integral and
// the sum of the disagreements that were left, which bounds its error generously for a
// piecewise smooth f: the halves are far more accurate than the whole that they are compared with.
func Adaptive(f func(float64) float64, lo, hi, tol float64) (value, err float64) {
	const panels = 2
	type panel struct {
		lo, hi, value float64
		depth         int
	}
	width := (hi - lo) / panels
	stack := make([]panel, 0, 64)
	scale := 0.0
	for i := range panels {
		p := panel{lo: lo + float64(i)*width, hi: lo + float64(i+1)*width}
		if i == panels-1 {
			p.hi = hi
		}
		p.value = Legendre(f, p.lo, p.hi)
		scale += math.Abs(p.value)
		stack = append(stack, p)
	}
	if scale == 0 || math.IsNaN(scale) || math.IsInf(scale, 0) {
		return scale, 0
	}
	for len(stack) > 0 {
		p := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		mid := (p.lo + p.hi) / 2
		left, right := Legendre(f, p.lo, mid), Legendre(f, mid, p.hi)
		gap := math.Abs(left + right - p.value)
		if gap <= tol*scale || p.depth >= 30 || math.IsNaN(gap) {
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
