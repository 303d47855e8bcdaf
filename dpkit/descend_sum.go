package dpkit

import (
	"context"
	"errors"
	"math"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/linalg"
)

// gradientSum writes the fixed-point sum of the clipped gradients of the rows that were drawn; nil: all. Integer sums are exact,
// so that the result does not depend on how the rows are split between workers.
func (pl *descent) gradientSum(ctx context.Context, sums []int64, in driver, w []float64, drawn rowSet, squares rowSquares) error {
	g, err := drive(ctx, in, func() *gradients {
		return &gradients{pl: pl, w: w, drawn: drawn, squares: squares, sums: make([]int64, len(sums))}
	})
	copy(sums, g.sums)
	return errors.Join(err, g.err)
}

// gradients is the state of the pass that sums gradients.
type gradients struct {
	pl      *descent
	w       []float64
	drawn   rowSet // nil: all rows
	squares rowSquares
	sums    []int64
	err     error

	few     frames.Block // of the rows that were drawn, gathered: a row's gradient does not depend on the rows around it
	factors [][]float64
	cells   []float64 // of factors
	norms   []float64
	labels  []float64
}

func (g *gradients) add(b *frames.Block) {
	switch {
	case g.err != nil:
	case g.drawn == nil:
		g.err = g.block(b, g.squares)
	default:
		g.err = g.addDrawn(b)
	}
}

func (g *gradients) addDrawn(b *frames.Block) error {
	g.few = frames.Block{Cols: b.Cols, X: g.few.X[:0], Y: g.few.Y[:0]}
	for i := range b.Rows {
		if !g.drawn.has(b.First+i) || b.Empty != nil && b.Empty[i] {
			continue
		}
		g.few.X, g.few.Y = append(g.few.X, b.Row(i)...), append(g.few.Y, b.Y[i])
		g.few.Rows++
	}
	return g.block(&g.few, rowSquares{})
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

// block adds the clipped gradients of a block, each rounded to the grid. A row that is not finite has no
// gradient; no step of this package makes one.
func (g *gradients) block(b *frames.Block, squares rowSquares) error {
	pl, sums := g.pl, g.sums
	size := min(linalg.BlockRows(pl.d), b.Rows)
	width := pl.width()
	g.factors, g.cells, g.norms = grown(g.factors, pl.margins), grown(g.cells, size*pl.margins), grown(g.norms, size)
	for from := 0; from < b.Rows; from += size {
		n := min(size, b.Rows-from)
		norms, known, cells := g.norms[:n], squares.of != nil && squares.known, b.X[from*b.Cols:(from+n)*b.Cols]
		if squares.of != nil {
			norms = squares.of[b.First+from : b.First+from+n]
		}
		for k := range g.factors {
			f, v := g.cells[k*size:k*size+n], g.w[k*width:(k+1)*width]
			var write []float64 // once
			if k == 0 && !known {
				write = norms
			}
			if err := linalg.Margins(f, write, cells, n, pl.d, b.Cols, v[:pl.d]); err != nil {
				return err
			}
			if pl.c > 0 {
				bias := v[pl.d] * pl.c
				for i := range f {
					f[i] += bias
				}
			}
			g.factors[k] = f
		}
		if !known {
			for i := range norms {
				norms[i] += pl.c * pl.c
			}
		}
		y := b.Y[from : from+n]
		if pl.label.half > 0 {
			g.labels = pl.label.scale(g.labels[:0], y)
			y = g.labels
		}
		if err := pl.loss.factors(g.factors, norms, y, pl.clip, 1/pl.grid.Step()); err != nil {
			return err
		}
		for k, f := range g.factors {
			part := sums[k*width : (k+1)*width]
			for i := range f {
				if b.Empty != nil && b.Empty[from+i] {
					f[i] = 0
				}
				if pl.c > 0 {
					part[pl.d] += int64(math.RoundToEven(f[i] * pl.c))
				}
			}
			if err := linalg.AddRounded(part[:pl.d], cells, n, pl.d, b.Cols, f); err != nil {
				return err
			}
		}
	}
	return nil
}

// labelScale is the map of a numeric label in [mid − half, mid + half] to [−1, 1]; half is 0 for classes.
type labelScale struct{ mid, half float64 }

func labelScaleOf(label frames.Column) labelScale {
	if len(label.Levels) > 0 {
		return labelScale{}
	}
	half := (label.Hi - label.Lo) / 2
	return labelScale{label.Lo + half, half}
}

// of is the scaled label.
func (s labelScale) of(y float64) float64 { return clamp((y-s.mid)/s.half, -1, 1) }

// scale appends the scaled labels. Rounding does not leave the range.
func (s labelScale) scale(to, y []float64) []float64 {
	for _, v := range y {
		to = append(to, s.of(v))
	}
	return to
}
