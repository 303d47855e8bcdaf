package rows

import (
	"context"

	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// A Filter is a step of this package that removes rows by what stands in each alone.
type Filter interface {
	stage.Preprocessor
	// Keeps says which rows stay.
	Keeps(st stage.Stage) (domain.Test, error)
}

// Kept are rows some of which are removed while they are read: they keep their places, as those of [Matrix.Remove] do. What is selected is
// the mask of a block, which all that reads it works with.
type Kept struct {
	In   frames.Source
	Keep domain.Test
	// As in [Mapped].
	Held bool
	Over *Matrix
	Room int
}

func (k *Kept) Schema() frames.Schema { return k.In.Schema() }

func (k *Kept) Rows() int { return k.In.Rows() }

func (k *Kept) Scan(ctx context.Context, fn func(*frames.Block) error) error {
	out := &frames.Block{}
	return k.In.Scan(ctx, func(b *frames.Block) error { return fn(k.apply(out, b)) })
}

// apply copies the rows of b to out, of which those that do not stay are removed. −0 is copied as 0, as by all steps that remove rows.
func (k *Kept) apply(out, b *frames.Block) *frames.Block {
	copyBlock(out, b)
	if out.Empty == nil {
		out.Empty = make([]bool, b.Rows)
	}
	stays := make([]bool, b.Rows)
	k.Keep(b, 0, b.Rows, stays)
	for i := range b.Rows {
		row := out.Row(i)
		if !out.Empty[i] && stays[i] {
			for j := range row {
				row[j] += 0
			}
			continue
		}
		out.Empty[i] = true
		clear(row)
		if out.Y != nil {
			out.Y[i] = 0
		}
	}
	return out
}
