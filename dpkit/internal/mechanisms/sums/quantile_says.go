package sums

import (
	"fmt"
	"math"
	"strconv"

	"github.com/dpkit-go/dpnb/frames"
)

// What a margin of rows says of a number that was drawn (docs/theory/tables.md#what-a-rank-margin-says).

// RanksOff is what a margin of a quantile bounds.
const RanksOff = "rows by which the rank is off, of some number near"

// apart says how far a number may lie from the value.
func apart(d float64) string {
	if math.IsInf(d, 1) {
		return "(within a cell of its candidates)"
	}
	return "(at most " + UpTo(d) + " away)"
}

// RankRounded is by how many of n rows, or fewer, q·n is off, as q is counted in multiples of 1/RankUnit.
func RankRounded(q float64, n int) float64 {
	return math.Abs(q-math.Round(q*RankUnit)/RankUnit) * float64(n)
}

// cell are public numbers below and above candidate k. Rows below the first counted below the candidate, and rows above the last did not
// count up to it. They are the middles between it and its neighbours, or the ends of what the column may hold; within a width they are that
// far from it. They are rounded outwards, by more than what floating point may take the middles for.
func (p *calibratedQuantile) cell(c frames.Column, k int) (lo, hi float64) {
	v := p.candidates[k]
	if lo, hi = ends(c); p.width > 0 {
		return max(lo, v-p.width-slack(v, p.width)), min(hi, v+p.width+slack(v, p.width))
	}
	if k > 0 {
		half := (v - p.candidates[k-1]) / 2
		lo = max(lo, v-half-slack(v, half))
	}
	if k < len(p.candidates)-1 {
		half := (p.candidates[k+1] - v) / 2
		hi = min(hi, v+half+slack(p.candidates[k+1], half))
	}
	return lo, hi
}

func slack(v, by float64) float64 { return 0x1p-50 * (math.Abs(v) + by) }

// ends are the least and the largest number that a column may hold.
func ends(c frames.Column) (lo, hi float64) {
	if c.NoBounds {
		return -math.MaxFloat64, math.MaxFloat64
	}
	return c.Lo, c.Hi
}

// apart is how far a number whose rank is within the margin lies from the value at most; +Inf where that is not bounded in units of the
// column.
func (p *calibratedQuantile) apart(c frames.Column) float64 {
	if c.NoBounds {
		return math.Inf(1)
	}
	most := 0.0
	for k, v := range p.candidates {
		lo, hi := p.cell(c, k)
		most = max(most, v-lo, hi-v)
	}
	return most
}

// gap is the least width within which of any place of the column some candidate is.
func (q Quantile) gap(c frames.Column) float64 {
	if len(q.Candidates) == 0 {
		return 0
	}
	most := max(q.Candidates[0]-c.Lo, c.Hi-q.Candidates[len(q.Candidates)-1])
	for i := range q.Candidates[1:] {
		most = max(most, q.Candidates[i+1]-q.Candidates[i])
	}
	return most
}

// Printed is how far from v its first six digits may be, which are printed of it.
func Printed(v float64) float64 {
	text := strconv.FormatFloat(v, 'g', 6, 64)
	if shown, err := strconv.ParseFloat(text, 64); err == nil && !math.IsInf(v, 0) {
		return math.Abs(shown - v)
	}
	return 0
}

// UpTo prints a number with three digits, rounded up.
func UpTo(x float64) string {
	for digits := 3; digits < 17; digits++ {
		if !(x > 0) || math.IsInf(x, 1) {
			break
		}
		unit := math.Pow(10, math.Floor(math.Log10(x))-float64(digits-1))
		text := fmt.Sprintf("%.*g", digits, math.Ceil(x/unit*(1-1e-12))*unit)
		if v, err := strconv.ParseFloat(text, 64); err == nil && v >= x*(1-1e-12) {
			return text
		}
	}
	return strconv.FormatFloat(x, 'g', -1, 64)
}

// Outwards prints two numbers with the digits that tell them apart, the lower one rounded down and the upper one up.
func Outwards(lo, hi float64) (low, high string) {
	decimals := int(math.Ceil(-math.Log10(hi-lo))) + 1
	at := math.Pow(10, float64(decimals))
	if size := max(math.Abs(lo), math.Abs(hi)) * at; decimals < 0 || decimals > 12 || !(size < 1e15) {
		return strconv.FormatFloat(lo, 'g', -1, 64), strconv.FormatFloat(hi, 'g', -1, 64)
	}
	short := func(x float64) string {
		return strconv.FormatFloat(x, 'g', -1, 64)
	}
	return short(math.Floor(lo*at) / at), short(math.Ceil(hi*at) / at)
}
