package rows

import (
	"context"

	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// A Filter is a [Rewriter] that removes rows by what stands in each alone.
type Filter interface {
	Rewriter
	// Keeps says whether a row stays.
	Keeps(st stage.Stage) (func(row []float64, y float64) bool, error)
}

// Kept are rows some of which are removed while they are read: they keep their places, as those of [Matrix.Remove] do.
type Kept struct {
	In   frames.Source
	Keep func(row []float64, y float64) bool
}

func (k *Kept) Schema() frames.Schema { return k.In.Schema() }

func (k *Kept) Rows() int { return k.In.Rows() }

func (k *Kept) Scan(ctx context.Context, fn func(*frames.Block) error) error {
	out := &frames.Block{}
	return k.In.Scan(ctx, func(b *frames.Block) error {
		copyBlock(out, b)
		if out.Empty == nil {
			out.Empty = make([]bool, b.Rows)
		}
		for i := range b.Rows {
			var y float64
			if out.Y != nil {
				y = out.Y[i]
			}
			if out.Empty[i] || k.Keep(out.Row(i), y) {
				continue
			}
			out.Empty[i] = true
			clear(out.Row(i))
			if out.Y != nil {
				out.Y[i] = 0
			}
		}
		return fn(out)
	})
}
