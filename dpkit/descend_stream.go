package dpkit

import (
	"context"
	"errors"
	"fmt"

	"github.com/dpkit-go/dpnb/frames"
)

// trainingRows returns the rows as the solver reads them, once for every step: gathered in memory
// ([design]), or as they are where the chain did not hold them.
func trainingRows(ctx context.Context, in frames.Source, d int) (frames.Source, error) {
	if _, left := in.(*mapped); !left {
		return designOf(ctx, in, d)
	}
	s := in.Schema()
	if _, ok := s.Label(); !ok || len(s.Features()) != d {
		return nil, fmt.Errorf("got %d columns, want %d and a label", len(s.Features()), d)
	}
	return in, nil
}

// gradients is the accumulator of the gradient sum over rows that are not in memory.
type gradients struct {
	pl    *descent
	w     []float64
	drawn rowSet // nil: all rows
	sums  []int64
	err   error
}

func (g *gradients) add(b *frames.Block) {
	if g.err == nil {
		g.err = g.pl.partOf(g.sums, design{matrix: &matrix{cols: b.Cols, x: b.X, y: b.Y, empty: b.Empty}}, g.w, 0, b.Rows, b.First, g.drawn)
	}
}

func (g *gradients) merge(next *gradients) {
	g.err = errors.Join(g.err, next.err)
	for j, v := range next.sums {
		g.sums[j] += v
	}
}

func (g *gradients) code(c *coder) {
	c.name("gradients 1")
	if c.err == nil {
		c.err = g.err
	}
	c.integers(g.sums)
}
