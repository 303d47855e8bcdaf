package accountant

import "math"

// minimizeUnimodal looks for the lowest point of f from a start with few evaluations: steps of the given
// size until the value rises on both sides, then parabolas through the three lowest points (Brent 1973, chapter 5,
// with a golden section where they do not help) until the point is known to within tol. Any point that
// it returns was evaluated. A NaN counts as +Inf.
func minimizeUnimodal(f func(float64) float64, start, step, tol float64) (x, fx float64) {
	eval := func(x float64) float64 {
		if v := f(x); !math.IsNaN(v) {
			return v
		}
		return math.Inf(1)
	}
	b, fb := start, eval(start)
	a, fa := b-step, eval(b-step)
	c, fc := b+step, eval(b+step)
	for range 24 {
		switch {
		case fa < fb:
			c, fc, b, fb = b, fb, a, fa
			a = b - step
			fa = eval(a)
			continue
		case fc < fb:
			a, fa, b, fb = b, fb, c, fc
			c = b + step
			fc = eval(c)
			continue
		}
		break
	}
	older, old := math.Inf(1), math.Inf(1) // widths of the bracket before
	for range 80 {
		if c-a <= 2*tol {
			break
		}
		slow := c-a > older/2
		older, old = old, c-a
		// The vertex of the parabola, kept away from the points that are known.
		p := (b-a)*(fb-fc)*(b-a) - (b-c)*(fb-fa)*(b-c)
		q := 2 * ((b-a)*(fb-fc) - (b-c)*(fb-fa))
		x := b - p/q
		gap := max(tol, 0.1*min(b-a, c-b))
		if slow || math.IsNaN(x) || math.IsInf(fa, 1) || math.IsInf(fc, 1) || x <= a+tol || x >= c-tol {
			if c-b > b-a {
				x = b + 0.381966*(c-b)
			} else {
				x = b - 0.381966*(b-a)
			}
		} else if math.Abs(x-b) < gap {
			if max(b-a, c-b) <= 4*tol {
				break
			}
			if c-b > b-a {
				x = b + gap
			} else {
				x = b - gap
			}
		}
		fx := eval(x)
		switch {
		case fx < fb && x < b:
			c, fc, b, fb = b, fb, x, fx
		case fx < fb:
			a, fa, b, fb = b, fb, x, fx
		case x < b:
			a, fa = x, fx
		default:
			c, fc = x, fx
		}
	}
	return b, fb
}
