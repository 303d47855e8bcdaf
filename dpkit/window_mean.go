package dpkit

import (
	"context"
	"math"

	"github.com/dpkit-go/dpnb/frames"
)

// window asks for the mean of a column's empirical quantile function over the levels [from, to],
// an L-statistic with weights at most 1/(to − from): of the observed numbers and of so many copies
// of pad that there are at least floor ≥ 1. The i-th of N numbers in ascending order has the weight
// |[i, i+1] ∩ [from·N, to·N]| / (to − from)N.
type window struct {
	column   int
	grid     fixedPoint
	lo, hi   float64 // domain of the numbers and of pad
	from, to float64
	pad      float64
	floor    int
}

// windowMeans computes them, off by 2^-50 of a column's size and, as the ends of a window of N
// levels are off by 2^-52·N, by 2^-50/(to − from) of it.
func windowMeans(ctx context.Context, in frames.Source, windows []window) ([]float64, error) {
	queries := make([]rankQuery, len(windows))
	for k, w := range windows {
		queries[k] = rankQuery{
			column: w.column, grid: w.grid, lo: w.grid.of(w.lo), hi: w.grid.of(w.hi), pad: w.grid.of(w.pad), floor: w.floor,
			ranks: func(n int) (a, b int) { c := w.cut(n); return c.a, c.b },
		}
	}
	found, err := orderStatistics(ctx, in, queries)
	if err != nil {
		return nil, err
	}
	means := make([]float64, len(windows))
	for k, w := range windows {
		means[k] = clamp(w.grid.value(w.cut(found[k].n).mean(found[k])), w.lo, w.hi)
	}
	return means, nil
}

// cut is the part of n numbers in ascending order that a window averages.
type cut struct {
	a, b   int     // ranks of the first and the last number with a weight
	wa, wb float64 // their weights; a number between them has the weight 1
}

func (w window) cut(n int) cut {
	lo, hi := w.from*float64(n), w.to*float64(n)
	c := cut{a: min(int(lo), n-1), wa: 1}
	if c.b = max(min(int(math.Ceil(hi))-1, n-1), c.a); c.b > c.a {
		c.wa, c.wb = float64(c.a+1)-lo, hi-float64(c.b)
	}
	return c
}

// mean is the weighted mean, on the grid.
func (c cut) mean(r rankAnswer) float64 {
	if c.a == c.b {
		return float64(r.low)
	}
	weight := c.wa + float64(c.b-c.a-1) + c.wb
	return (c.wa*float64(r.low) + r.between.float() + c.wb*float64(r.high)) / weight
}
