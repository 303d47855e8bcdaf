package steps

import (
	"context"
	"math"

	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/frames"
)

// Window asks for the mean of a column's empirical quantile function over the levels [from, to],
// an L-statistic with weights at most 1/(to − from): of the observed numbers and of so many copies
// of pad that there are at least floor ≥ 1. The i-th of N numbers in ascending order has the weight
// |[i, i+1] ∩ [from·N, to·N]| / (to − from)N.
type Window struct {
	column   int
	Grid     rows.FixedPoint
	Lo, Hi   float64 // domain of the numbers and of pad
	From, To float64
	pad      float64
	Floor    int
}

// WindowMeans computes them, off by 2^-50 of a column's size and, as the ends of a window of N
// levels are off by 2^-52·N, by 2^-50/(to − from) of it.
func WindowMeans(ctx context.Context, in frames.Source, windows []Window) ([]float64, error) {
	queries := make([]rows.RankQuery, len(windows))
	for k, w := range windows {
		queries[k] = rows.RankQuery{
			Column: w.column, Grid: w.Grid, Lo: w.Grid.Of(w.Lo), Hi: w.Grid.Of(w.Hi), Pad: w.Grid.Of(w.pad), Floor: w.Floor,
			Ranks: func(n int) (a, b int) { c := w.cut(n); return c.a, c.b },
		}
	}
	found, err := rows.OrderStatistics(ctx, in, queries)
	if err != nil {
		return nil, err
	}
	means := make([]float64, len(windows))
	for k, w := range windows {
		means[k] = num.Clamp(w.Grid.Value(w.cut(found[k].N).mean(found[k])), w.Lo, w.Hi)
	}
	return means, nil
}

// cut is the part of n numbers in ascending order that a window averages.
type cut struct {
	a, b   int     // ranks of the first and the last number with a weight
	wa, wb float64 // their weights; a number between them has the weight 1
}

func (w Window) cut(n int) cut {
	lo, hi := w.From*float64(n), w.To*float64(n)
	c := cut{a: min(int(lo), n-1), wa: 1}
	if c.b = max(min(int(math.Ceil(hi))-1, n-1), c.a); c.b > c.a {
		c.wa, c.wb = float64(c.a+1)-lo, hi-float64(c.b)
	}
	return c
}

// mean is the weighted mean, on the grid.
func (c cut) mean(r rows.RankAnswer) float64 {
	if c.a == c.b {
		return float64(r.Low)
	}
	weight := c.wa + float64(c.b-c.a-1) + c.wb
	return (c.wa*float64(r.Low) + r.Between.Float() + c.wb*float64(r.High)) / weight
}
