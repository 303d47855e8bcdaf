package tables

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"
)

// moments are what is known of a column in a group: the noisy count B, the sum A of u and the sum Q of u² − c, each with its noise.
type moments struct {
	Count, Sum, Squares       float64
	CountSD, SumSD, SquaresSD float64
	Centre                    float64 // c
}

// meanShare is the share of the chance to miss that an interval of a variance takes for the mean.
const meanShare = 1. / 16

// variance is that of u in [0, 1] with an interval that holds it with at least that probability (docs/theory/tables.md#variances-of-groups): at
// the mean m of the group's rows Q − 2mA − ρB has mean 0 for ρ = V − c − m², so that the union of Fieller's sets for ρ over an interval of
// m holds V unless one of both misses.
func (c moments) variance(level float64) TableCell {
	clamp := func(v float64) float64 { return min(max(v, 0), 1) }
	out := TableCell{0, 0, 1}
	if !(c.Count > 0) {
		return out
	}
	mean := c.Sum / c.Count
	out.Value = clamp(c.Squares/c.Count + c.Centre - mean*mean)
	if c.CountSD == 0 && c.SumSD == 0 && c.SquaresSD == 0 { // public data
		return TableCell{out.Value, out.Value, out.Value}
	}
	miss := 1 - level
	within := ratio(c.Sum, c.SumSD, c.Count, c.CountSD, twoSided(meanShare*miss))
	z := twoSided((1 - meanShare) * miss)
	bounds := func(m float64) (low, high float64, ok bool) {
		low, high, ok = fieller(c.Squares-2*m*c.Sum, math.Hypot(c.SquaresSD, 2*m*c.SumSD), c.Count, c.CountSD, z)
		return low + c.Centre + m*m, min(high+c.Centre+m*m, 1-m*m), ok // values in [−1, 1] of mean m have a variance of 1 − m² at most
	}
	if _, _, ok := bounds(within.Value); !ok {
		return out
	}
	low := func(m float64) float64 { l, _, _ := bounds(m); return l }
	high := func(m float64) float64 { _, h, _ := bounds(m); return -h }
	out.Low, out.High = clamp(least(low, within.Low, within.High)), clamp(-least(high, within.Low, within.High))
	out.Low, out.High = min(out.Low, out.Value), max(out.High, out.Value)
	return out
}

// twoSided is z with P(|N(0, 1)| > z) = miss.
func twoSided(miss float64) float64 { return -distuv.UnitNormal.Quantile(miss / 2) }

// least is the least value of a smooth function on an interval: of points on a grid, and near the best of them.
func least(f func(float64) float64, lo, hi float64) float64 {
	const points = 16
	at, best := lo, f(lo)
	step := (hi - lo) / points
	for i := 1; i <= points; i++ {
		x := lo + float64(i)*step
		if v := f(x); v < best {
			at, best = x, v
		}
	}
	a, b := max(lo, at-step), min(hi, at+step)
	for range 40 { // thirds
		l, r := a+(b-a)/3, b-(b-a)/3
		fl, fr := f(l), f(r)
		best = min(best, fl, fr)
		if fl < fr {
			b = r
		} else {
			a = l
		}
	}
	return best
}

// times is a cell in other units.
func (c TableCell) times(unit float64) TableCell {
	return TableCell{c.Value * unit, c.Low * unit, c.High * unit}
}
