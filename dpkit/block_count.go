package dpkit

import (
	"cmp"
	"context"
	"slices"

	"github.com/dpkit-go/dpnb/frames"
)

// largestBlock is the statistic that a test of the size of good clusters asks for: the largest number
// of rows in a block of 2^d neighbouring cells of a public grid of side 8η, among rows that agree in
// the other keys. Cells cover every released attribute that is compared. Each good cluster, and all
// rows that a changed row can affect (they lie within 4η of it), lie in one block. One replaced row
// changes every block by at most one row up or down, hence the statistic by at most 1.
//
// Blocks are searched column by column, and a branch ends where no larger block can be in it: the
// result is exact, in a time that can grow like 2^d where the cells are evenly filled.
func (m *matrix) largestBlock(ctx context.Context, k keySet, in frames.Schema, eta float64) (int, error) {
	d := len(k.numeric)
	b := blockSearch{d: d}
	err := m.neighbourhoods(ctx, k, in, eta, func(_ []int32, x []float64) {
		b.cell = b.cell[:0]
		for _, v := range x {
			b.cell = append(b.cell, int64(v)>>23) // a cell is 8·snap wide
		}
		points := make([]int32, len(x)/max(d, 1))
		for i := range points {
			points[i] = int32(i)
		}
		b.search(points, 0)
	})
	return b.best, err
}

type blockSearch struct {
	d    int
	cell []int64 // of point i at i·d
	best int
}

// search looks for a larger block among points that share one in the columns before j. It reorders them.
func (b *blockSearch) search(points []int32, j int) {
	if len(points) <= b.best {
		return
	}
	if j == b.d {
		b.best = len(points)
		return
	}
	at := func(p int32) int64 { return b.cell[int(p)*b.d+j] }
	slices.SortFunc(points, func(p, q int32) int { return cmp.Compare(at(p), at(q)) })
	var windows [][]int32
	for from := 0; from < len(points); {
		v, next, to := at(points[from]), 0, 0
		for next = from; next < len(points) && at(points[next]) == v; next++ {
		}
		for to = next; to < len(points) && at(points[to]) == v+1; to++ {
		}
		windows = append(windows, slices.Clone(points[from:to]))
		from = next
	}
	slices.SortFunc(windows, func(p, q []int32) int { return cmp.Compare(len(q), len(p)) })
	for _, w := range windows {
		b.search(w, j+1)
	}
}
