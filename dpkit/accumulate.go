package dpkit

import (
	"context"

	"github.com/dpkit-go/dpnb/frames"
)

// inProcess drives passes over a source of rows in this process.
type inProcess struct{ in frames.Source }

func (r inProcess) drive(ctx context.Context, begin func() partial) (partial, error) {
	return accumulate(ctx, r.in, begin)
}

func (r inProcess) rows() int { return r.in.Rows() }

func (r inProcess) resident() int {
	if m, ok := r.in.(*matrix); ok {
		return m.Rows()
	}
	return 0
}

// gathered holds the rows, unless the chain did not because they are too many.
func (r inProcess) gathered(ctx context.Context) (driver, error) {
	switch r.in.(type) {
	case *matrix, *mapped:
		return r, nil
	}
	m, err := materialise(ctx, r.in, r.in.Schema(), sameRow)
	return inProcess{m}, err
}

func (r inProcess) inOrder(ctx context.Context, fn func(b *frames.Block) error) error {
	return r.in.Scan(ctx, fn)
}

// accumulate runs a pass over all rows, in parallel. Chunks, their lanes and the order in which lanes merge are fixed.
func accumulate(ctx context.Context, in frames.Source, begin func() partial) (partial, error) {
	var parts [lanes]partial
	err := scanChunks(ctx, in, chunkRows(len(in.Schema().Features())), func() chunkFunc {
		return func(lane int, b *frames.Block) {
			if parts[lane] == nil {
				parts[lane] = begin()
			}
			parts[lane].add(b)
		}
	})
	all := begin()
	if err != nil {
		return all, err
	}
	for _, part := range parts {
		if part != nil {
			all.merge(part)
		}
	}
	return all, nil
}

// integerSums sums integers over rows, exactly. Each part asks for a function of its own, which
// adds a row to sums and may hold buffers; y is the label, 0 where the schema has none.
func integerSums(ctx context.Context, rows driver, width int, lane func() func(sums []int64, row []float64, y float64)) ([]int64, error) {
	s, err := drive(ctx, rows, summing(width, lane))
	return s.sums, err
}

// summing is that pass.
func summing(width int, lane func() func(sums []int64, row []float64, y float64)) func() *rowSums {
	return func() *rowSums { return &rowSums{make([]int64, width), lane()} }
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

func (s *rowSums) code(c *coder) {
	c.name("integer sums 1")
	c.integers(s.sums)
}
