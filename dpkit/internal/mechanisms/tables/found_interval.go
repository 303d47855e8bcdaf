package tables

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// A group is in a table of found groups because its number of people came out above the threshold: given that, the number is not Gaussian
// about the true one. Intervals are of the law given that it was found (docs/theory/tables.md#intervals-of-found-groups).

// farAbove is from how many deviations above the threshold a number counts as one that would have been found in any case.
const farAbove = 6

// chosen reports whether the number x of a group decided that the group is shown, and so near to the threshold that it matters.
func (t Table) chosen(x float64) bool {
	return t.Threshold > 0 && t.CountSigma > 0 && x < t.Threshold+farAbove*t.CountSigma
}

// foundCount is a number of people of a group that it was found by, with an interval that holds the true one with probability level given
// that the group is shown. A group that is found has somebody.
func (t Table) foundCount(x, level, most float64) TableCell {
	above := func(v, theta float64) float64 { // ln P(X > v)
		return logUpper((v - theta) / t.CountSigma)
	}
	// P(X ≥ x given X > T) rises in the true number.
	atLeast := func(theta float64) float64 { return math.Exp(above(x, theta) - above(t.Threshold, theta)) }
	miss := (1 - level) / 2
	solve := func(p float64) float64 {
		lo, hi := 1.0, x+20*t.CountSigma
		if atLeast(lo) >= p {
			return lo
		}
		for range 80 {
			if mid := (lo + hi) / 2; atLeast(mid) < p {
				lo = mid
			} else {
				hi = mid
			}
		}
		return lo
	}
	clamp := func(v float64) float64 { return min(max(v, 0), most) }
	return TableCell{clamp(x), clamp(min(solve(miss), x)), clamp(max(solve(1-miss), x))}
}

// logUpper is ln P(Z > z) of a standard normal Z.
func logUpper(z float64) float64 {
	if z > 30 { // Mills' ratio
		return -z*z/2 - math.Log(z) - math.Log(2*math.Pi)/2
	}
	return math.Log(math.Erfc(z/math.Sqrt2) / 2)
}

// foundSum is a sum of a group that its count decided to show, and foundMean a mean in units of [−1, 1]: both hold where the count and the sum of
// centred values are in intervals that miss with half the chance each.
func (t Table) foundSum(m TableMeasure, a, sd, b, level, most float64) TableCell {
	n, u := t.foundParts(a, sd, b, level, most)
	mid := m.mid()
	return TableCell{mid*b + m.half()*a, min(mid*n.Low, mid*n.High) + m.half()*u.Low, max(mid*n.Low, mid*n.High) + m.half()*u.High}
}

func (t Table) foundMean(a, sd, b, level, most float64) TableCell {
	n, u := t.foundParts(a, sd, b, level, most)
	clamp := func(x float64) float64 { return min(max(x, -1), 1) }
	least := max(n.Low, 1)
	return TableCell{clamp(a / b), clamp(min(u.Low/least, u.Low/n.High)), clamp(max(u.High/least, u.High/n.High))}
}

func (t Table) foundParts(a, sd, b, level, most float64) (n, u TableCell) {
	half := (1 + level) / 2
	z := distuv.UnitNormal.Quantile((1 + half) / 2)
	return t.foundCount(b, half, most), TableCell{a, a - z*sd, a + z*sd}
}
