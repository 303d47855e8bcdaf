package rows

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/dpkit-go/dpnb/frames"
)

// LargestBlock is the statistic that a test of the size of good clusters asks for: the largest number
// of rows in a block of 2^d neighbouring cells of a public grid of side 8η, among rows that agree in
// the other keys. Cells cover every released attribute that is compared. Each good cluster, and all
// rows that a changed row can affect (they lie within 4η of it), lie in one block. One replaced row
// changes every block by at most one row up or down, hence the statistic by at most 1.
//
// Blocks are searched column by column, and a branch ends where no larger block can be in it. The time
// grows like 2^d at worst, where the cells are evenly filled: beyond blockColumns columns only the widest
// in their number of cells are searched. A block of fewer columns holds those of all, so that the result is
// not below the largest block, and it still changes by at most 1.
func (m *Matrix) LargestBlock(ctx context.Context, k KeySet, in frames.Schema, eta float64) (int, error) {
	d := len(k.Numeric)
	b := blockSearch{ctx: ctx}
	searched := widest(k, in)
	err := m.neighbourhoods(ctx, k, in, eta, func(rows []int32, x []float64) {
		b.d, b.cell = len(searched), b.cell[:0]
		for i := range rows {
			for _, j := range searched {
				b.cell = append(b.cell, int64(x[i*d+j])>>23) // a cell is 8·snap wide
			}
		}
		points := make([]int32, len(rows))
		for i := range points {
			points[i] = int32(i)
		}
		b.search(points, 0)
	})
	return b.best, errors.Join(err, ctx.Err())
}

// blockColumns is the largest number of columns whose blocks are searched.
const blockColumns = 6

// widest returns the places among the numeric keys of at most blockColumns columns of the largest public width.
func widest(k KeySet, in frames.Schema) []int {
	features := in.Features()
	at := make([]int, len(k.Numeric))
	for i := range at {
		at[i] = i
	}
	slices.SortStableFunc(at, func(i, j int) int {
		a, b := features[k.Numeric[i]], features[k.Numeric[j]]
		return cmp.Compare(b.Hi-b.Lo, a.Hi-a.Lo)
	})
	return at[:min(len(at), blockColumns)]
}

type blockSearch struct {
	ctx  context.Context
	d    int
	cell []int64 // of point i at i·d
	best int
}

// search looks for a larger block among points that share one in the columns before j. It reorders them.
func (b *blockSearch) search(points []int32, j int) {
	if len(points) <= b.best || b.ctx.Err() != nil {
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
