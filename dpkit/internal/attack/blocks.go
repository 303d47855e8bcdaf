package attack

import (
	"context"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/frames"
)

// InBlocks gives the rows of a source in blocks of these sizes, in turn and again from the first; of no sizes, it is the source
// itself. Every block lies in the same memory, which holds no rows once the function of the scan is back: a step that keeps a block
// reads missing cells.
func InBlocks(in frames.Source, sizes []int) frames.Source {
	if len(sizes) == 0 {
		return in
	}
	return cut{in, sizes}
}

type cut struct {
	frames.Source
	sizes []int
}

func (c cut) Scan(ctx context.Context, fn func(*frames.Block) error) error {
	var b frames.Block
	k := 0
	return c.Source.Scan(ctx, func(whole *frames.Block) error {
		for from := 0; from < whole.Rows; {
			if err := ctx.Err(); err != nil {
				return err
			}
			to := min(whole.Rows, from+c.sizes[k%len(c.sizes)])
			k++
			b.First, b.Rows, b.Cols = whole.First+from, to-from, whole.Cols
			b.X = append(b.X[:0], whole.X[from*whole.Cols:to*whole.Cols]...)
			if whole.Y != nil {
				b.Y = append(b.Y[:0], whole.Y[from:to]...)
			}
			if b.Empty = nil; whole.Empty != nil {
				b.Empty = slices.Clone(whole.Empty[from:to])
			}
			if err := fn(&b); err != nil {
				return err
			}
			for i := range b.X {
				b.X[i] = math.NaN()
			}
			from = to
		}
		return nil
	})
}
