package tables

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat/distuv"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/sums"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// falseBin is the probability with which noise alone makes some bin without rows look as if it had some.
const falseBin = 0.05

// Bounds reads bounds off a table of numbers of rows by a column that was cut into bins: from the first bin that has rows to the last one, where a bin
// counts as having rows if noise alone would make one of all bins look so with probability 0.05 at most (docs/theory/tables.md#bounds-from-sizes). clamped is the share
// of the rows that are outside, with an interval that holds it with probability 0.95 for these bounds: what ClipColumns(lo, hi, column) will
// move. An outermost bin of Pipeline.Bounds ends at the next size, where the column's own bounds end it; one without an end has its inner edge in place of
// it. All of it is made of the table, and costs nothing. Errors wrap
// [stage.ErrColumn] and [kind.ErrParameter].
func (t Table) Bounds(column string) (lo, hi float64, clamped TableCell, err error) {
	bad := func(format string, args ...any) (float64, float64, TableCell, error) {
		return 0, 0, TableCell{}, fmt.Errorf("dpkit: bounds of %q: %s: %w", column, fmt.Sprintf(format, args...), kind.ErrParameter)
	}
	if len(t.By) != 1 || t.By[0] != column || len(t.Counts) != len(t.Groups) {
		return 0, 0, TableCell{}, fmt.Errorf("dpkit: bounds: got a table by %q, want one of counts by %q alone: %w", t.By, column, stage.ErrColumn)
	}
	least := num.LeastCount(t.CountSigma, len(t.Groups), falseBin)
	first, last := -1, -1
	edges := make([][2]float64, len(t.Groups))
	for g, of := range t.Groups {
		ends, ok := binEnds(of[0])
		if edges[g] = ends; of[0] == sums.MissingLevel {
			continue
		}
		if !ok {
			return bad("got level %q, want those that Bin or Bounds make", of[0])
		}
		if t.Counts[g] > least {
			if last = g; first < 0 {
				first = g
			}
		}
	}
	closeSizes(edges)
	if first < 0 {
		return bad("no bin has more than %.3g rows, with noise; raise ε, or declare bounds", least)
	}
	lo, hi = edges[first][0], edges[last][1]
	if math.IsInf(lo, -1) {
		lo = edges[first][1]
	}
	if math.IsInf(hi, 1) {
		hi = edges[last][0]
	}
	if !(lo < hi) {
		return bad("all rows are beyond the last edge, %g", lo)
	}
	outside, bins := 0.0, 0.0
	for g, of := range t.Groups {
		if of[0] != sums.MissingLevel && (edges[g][0] >= hi || edges[g][1] <= lo) {
			outside, bins = outside+t.Counts[g], bins+1
		}
	}
	n := float64(max(1, t.Rows))
	half := distuv.UnitNormal.Quantile(0.975) * t.CountSigma * math.Sqrt(bins)
	return lo, hi, around(outside/n, half/n, 0, 1), nil
}

// closeSizes gives the open ends of the outermost bins of [num.SizeEdges] of a column with bounds: the next size, which was no edge as it is not within those bounds, so
// that no row is beyond it. Bins of sizes are known by the smallest size, at which nobody else cuts; without it nothing is known of a column's bounds.
func closeSizes(edges [][2]float64) {
	least, most := num.LeastSize, num.MostSize
	sizes := slices.ContainsFunc(edges, func(e [2]float64) bool { return math.Abs(e[0]) == least || math.Abs(e[1]) == least })
	if !sizes {
		return
	}
	above := func(e float64) float64 { // the next size
		switch {
		case e == -least:
			return 0
		case e < 0:
			return e / 2
		}
		return max(2*e, least)
	}
	for g, e := range edges {
		if math.IsInf(e[0], -1) && e[1] > -most {
			edges[g][0] = 0 - above(-e[1]) // never −0
		}
		if math.IsInf(e[1], 1) && e[0] < most {
			edges[g][1] = above(e[0])
		}
	}
}

// binEnds reads the level of a bin: "below 1", "1 to 2", "2 and above".
func binEnds(level string) (ends [2]float64, ok bool) {
	number := func(s string) float64 {
		v, err := strconv.ParseFloat(s, 64)
		if err != nil {
			return math.NaN()
		}
		return v
	}
	switch from, to, between := strings.Cut(level, " to "); {
	case between:
		ends = [2]float64{number(from), number(to)}
	case strings.HasPrefix(level, "below "):
		ends = [2]float64{math.Inf(-1), number(strings.TrimPrefix(level, "below "))}
	default:
		below, is := strings.CutSuffix(level, " and above")
		if !is {
			return ends, false
		}
		ends = [2]float64{number(below), math.Inf(1)}
	}
	return ends, ends[0] < ends[1]
}
