package tables

import (
	"math"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/sums"
)

// A draw of a quantile tells a rank, and no rank tells how far apart values are: two values next to each other in rank may be at both ends of a
// column's bounds. What bounds a quantile in the column's unit are draws of other quantiles of the same rows: the value drawn for q′ < q is not above
// the quantile q where the ranks between the two are more rows than the draw may be off
// (docs/theory/tables.md#intervals-of-quantiles).

// intervals are a quantile of every group, each with an interval that holds it with the given probability.
func (t Table) intervals(s TableStatistic, level float64) []TableCell {
	q := t.Quantiles[t.quantile(s)]
	out := make([]TableCell, len(q.Values))
	miss := (1 - level) / 3 // for both ends, and for the number of rows
	half := q.Apart()
	for g, v := range q.Values {
		switch {
		case q.Lo == q.Hi: // stored without bounds
			out[g] = TableCell{v, math.NaN(), math.NaN()}
			continue
		case q.Rate == 0: // public data: rows count at their nearest candidates
			out[g] = TableCell{v, max(q.Lo, v-q.Apart()), min(q.Hi, v+q.Apart())}
			continue
		}
		c := TableCell{v, q.Lo, q.Hi}
		rows := t.leastRows(g, miss)
		below, above := 0.0, 1.0
		for _, o := range t.Quantiles {
			apart := math.Abs(o.Q-q.Q) - 1./sums.RankUnit // of which q is a multiple
			if o.Column != q.Column || !(apart*rows > o.margin(miss)) {
				continue
			}
			switch {
			case o.Q < q.Q && o.Q > below:
				below, c.Low = o.Q, o.Values[g]-half
			case o.Q > q.Q && o.Q < above:
				above, c.High = o.Q, o.Values[g]+half
			}
		}
		out[g] = TableCell{v, max(q.Lo, min(c.Low, v)), min(q.Hi, max(c.High, v))}
	}
	return out
}

// leastRows is how many rows a group has at least but for a chance of miss; 0 where nothing is known.
func (t Table) leastRows(g int, miss float64) float64 {
	switch {
	case len(t.Groups) == 1 && t.Whole:
		return float64(t.Rows)
	case len(t.Counts) > 0:
		return t.Counts[g] + distuv.UnitNormal.Quantile(miss)*t.CountSigma
	}
	return 0
}

// margin is by how many rows the rank is off at most but for a chance of miss.
func (q TableQuantile) margin(miss float64) float64 {
	if q.Rate == 0 {
		return 0
	}
	return (math.Log(float64(q.Candidates)) - math.Log(miss)) / q.Rate
}

// open says that an interval tells no more than the column's bounds, or than nothing.
func (q TableQuantile) open(c TableCell) bool { return !(c.Low > q.Lo) && !(c.High < q.Hi) }
