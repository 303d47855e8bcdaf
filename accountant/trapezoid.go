package accountant

import "math"

// power evaluates F(r) = r^α − 1 − α(r−1), the excess of r^α over its tangent at 1, for α > 1 or α < 0.
type power struct {
	alpha, beta float64
	small       float64 // what |ln r| may be for a series
	// Coefficients of the series of F in u = r−1 and in l = ln r, from the square on.
	inU, inL [11]float64
}

func newPower(alpha float64) power {
	p := power{alpha: alpha, beta: alpha - 1, small: seriesReach / max(1, math.Abs(alpha))}
	u := alpha * p.beta / 2 // C(α, k)
	d := alpha * p.beta     // α^k − α
	fact := 2.0
	for i := range p.inU {
		k := float64(i + 2)
		p.inU[i] = u
		p.inL[i] = d / fact
		u *= (alpha - k) / (k + 1)
		d = alpha*d + alpha*p.beta
		fact *= k + 1
	}
	return p
}

const (
	// seriesReach is the largest α|l| for which eleven terms of a series are right to rounding.
	seriesReach = 0.12
	// seriesRadius is the largest |u|: for α near 1 coefficients in u, unlike those in l, hardly fall.
	seriesRadius = 0.04
)

// excess is F(1+u), for α > 1.
func (p *power) excess(u float64) float64 {
	if a := math.Abs(u); a < min(p.small, seriesRadius) {
		return u * u * p.horner(&p.inU, u)
	}
	return (1+u)*expm1(p.beta*math.Log1p(u)) - p.beta*u
}

// excessLog is F(e^l).
func (p *power) excessLog(l float64) float64 {
	if math.Abs(l) < p.small {
		return l * l * p.horner(&p.inL, l)
	}
	r := expm1(l)
	if p.alpha < 0 { // both terms vanish with α
		return expm1(p.alpha*l) - p.alpha*r
	}
	return (1+r)*expm1(p.beta*l) - p.beta*r
}

// expm1 is e^x − 1 to a few units in the last place, in a fraction of the time of math.Expm1 away from 0.
func expm1(x float64) float64 {
	if math.Abs(x) > 0.5 {
		return math.Exp(x) - 1
	}
	return math.Expm1(x)
}

func (p *power) horner(c *[11]float64, x float64) float64 {
	sum := c[10]
	for i := 9; i >= 0; i-- {
		sum = math.FMA(sum, x, c[i])
	}
	return sum
}

// A trapezoid sums a non-negative function over equidistant nodes.
type trapezoid struct {
	node func(x float64) float64
	step float64
}

// sum walks from each of the bumps, in rising order, outward until what is left out is below 2^-50 of the sum.
// Past its bumps the function falls at least like e^{-x²/2}: faster than by half at each node by
// then. Where it has a zero, the node beside it is not negligible, hence two in a row.
func (tr trapezoid) sum(bumps []float64) float64 {
	const negligible = 0x1p-54
	sum := 0.0
	walk := func(from, end, dir int64) int64 {
		last, small := math.Inf(1), 0
		for k := from; k != end; k += dir {
			v := tr.node(float64(k) * tr.step)
			sum += v
			if !(sum < math.Inf(1)) { // no bound, and no end
				sum = math.Inf(1)
				return k
			}
			if v <= negligible*sum && v <= last {
				if small++; small == 2 {
					return k
				}
			} else {
				small = 0
			}
			last = v
		}
		return end
	}
	left := int64(math.MaxInt64) // the nodes from here to the next bump are done
	for i := len(bumps) - 1; i >= 0; i-- {
		k := int64(math.Floor(bumps[i] / tr.step))
		if k >= left {
			continue
		}
		walk(k+1, left, 1)
		left = walk(k, math.MinInt64, -1)
	}
	return sum
}
