package quad

import "math"

// Minimize returns the lowest point that golden-section search meets in [lo, hi], in about 40
// evaluations (Kiefer 1953). It narrows the interval to 1e-8 of its width, past which a smooth
// minimum is flat in float64. A NaN counts as +Inf.
func Minimize(f func(float64) float64, lo, hi float64) (x, fx float64) {
	return MinimizeTo(f, lo, hi, 1e-8)
}

// MinimizeTo is Minimize that narrows the interval to rel times its width, in ln(1/rel)/0.48
// evaluations.
func MinimizeTo(f func(float64) float64, lo, hi, rel float64) (x, fx float64) {
	const ratio = 0.618033988749894848
	eval := func(x float64) float64 {
		if v := f(x); !math.IsNaN(v) {
			return v
		}
		return math.Inf(1)
	}
	stop := rel * (hi - lo)
	x1, x2 := hi-ratio*(hi-lo), lo+ratio*(hi-lo)
	f1, f2 := eval(x1), eval(x2)
	x, fx = x1, f1
	if f2 < fx {
		x, fx = x2, f2
	}
	for hi-lo > stop {
		if f1 <= f2 {
			hi, x2, f2 = x2, x1, f1
			x1 = hi - ratio*(hi-lo)
			f1 = eval(x1)
			if f1 < fx {
				x, fx = x1, f1
			}
		} else {
			lo, x1, f1 = x1, x2, f2
			x2 = lo + ratio*(hi-lo)
			f2 = eval(x2)
			if f2 < fx {
				x, fx = x2, f2
			}
		}
	}
	return x, fx
}
