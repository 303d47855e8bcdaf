package dpkit

import (
	"context"

	"github.com/dpkit-go/dpnb/frames"
)

// An accumulator gathers what a fit needs from rows, chunk by chunk. One that adds exactly
// (integers, fixed point) may merge in any order; for the others the order is fixed, so that the
// result has the same bits for any number of workers, from memory and from a file.
type accumulator[A any] interface {
	// add takes the rows of a chunk in, but the empty ones. It must not keep the block.
	add(b *frames.Block)
	// merge takes in what the accumulator of the next lane gathered.
	merge(next A)
}

// accumulate runs an accumulator over all rows, in parallel. fresh makes an empty one.
func accumulate[A accumulator[A]](ctx context.Context, in frames.Source, fresh func() A) (A, error) {
	var parts [lanes]A
	var begun [lanes]bool
	err := scanChunks(ctx, in, chunkRows(len(in.Schema().Features())), func() chunkFunc {
		return func(lane int, b *frames.Block) {
			if !begun[lane] {
				parts[lane], begun[lane] = fresh(), true
			}
			parts[lane].add(b)
		}
	})
	all := fresh()
	if err != nil {
		return all, err
	}
	for lane, part := range parts {
		if begun[lane] {
			all.merge(part)
		}
	}
	return all, nil
}

// integerSums sums integers over rows, exactly. Each lane asks for a function of its own, which
// adds a row to sums and may hold buffers; y is the label, 0 where the schema has none.
func integerSums(ctx context.Context, in frames.Source, width int, lane func() func(sums []int64, row []float64, y float64)) ([]int64, error) {
	s, err := accumulate(ctx, in, func() *rowSums { return &rowSums{make([]int64, width), lane()} })
	return s.sums, err
}

type rowSums struct {
	sums []int64
	row  func(sums []int64, row []float64, y float64)
}

func (s *rowSums) add(b *frames.Block) {
	eachRun(b, func(from, to int) {
		for i := from; i < to; i++ {
			y := 0.0
			if b.Y != nil {
				y = b.Y[i]
			}
			s.row(s.sums, b.Row(i), y)
		}
	})
}

func (s *rowSums) merge(next *rowSums) {
	for j, v := range next.sums {
		s.sums[j] += v
	}
}
