package gradient

import (
	"context"
	"errors"

	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/linalg"
)

// GradientSum writes the fixed-point sum of the clipped gradients of the rows that were drawn; nil: all. Integer sums are exact,
// so that the result does not depend on how the rows are split between workers.
func (pl *Descent) GradientSum(ctx context.Context, sums []int64, in rows.Driver, w []float64, drawn rows.RowSet, squares RowSquares) error {
	g, err := rows.Drive(ctx, in, func() *Gradients {
		return &Gradients{Pl: pl, W: w, drawn: drawn, squares: squares, Sums: make([]int64, len(sums))}
	})
	g.settle()
	copy(sums, g.Sums)
	return errors.Join(err, g.err)
}

// Gradients is the state of the pass that sums gradients.
type Gradients struct {
	Pl      *Descent
	W       []float64
	drawn   rows.RowSet // nil: all rows
	squares RowSquares
	Sums    []int64
	err     error

	few      frames.Block // of the rows that were drawn, gathered: a row's gradient does not depend on the rows around it
	factors  [][]float64
	cells    []float64 // of factors
	norms    []float64
	labels   []float64
	cellsOf  matrixCells
	packedOf *rows.PackedStrips // nil: no rows were packed
}

func (g *Gradients) Add(b *frames.Block) {
	switch {
	case g.err != nil:
	case g.drawn == nil:
		g.err = g.block(b, g.squares)
	default:
		g.err = g.addDrawn(b)
	}
}

func (g *Gradients) addDrawn(b *frames.Block) error {
	g.few = frames.Block{Cols: b.Cols, X: g.few.X[:0], Y: g.few.Y[:0]}
	g.drawn.Among(b.First, b.First+b.Rows, func(row int) {
		i := row - b.First
		if b.Empty != nil && b.Empty[i] {
			return
		}
		g.few.X, g.few.Y = append(g.few.X, b.Row(i)...), append(g.few.Y, b.Y[i])
		g.few.Rows++
	})
	return g.block(&g.few, RowSquares{})
}

func (g *Gradients) Merge(next *Gradients) {
	next.settle()
	g.err = errors.Join(g.err, next.err)
	for j, v := range next.Sums {
		g.Sums[j] += v
	}
}

func (g *Gradients) Code(c *rows.Coder) {
	c.Name("gradients 1")
	c.Bind("descent", g.Pl)
	c.BindSecret("coefficients and rows drawn", g.W, g.drawn)
	if c.Err == nil {
		c.Err = g.err
	}
	g.settle()
	c.Integers(g.Sums)
}

// block adds the clipped gradients of a block, each rounded to the grid; those of packed rows are still to be settled. A row that is not finite has no
// gradient; no step of this package makes one.
func (g *Gradients) block(b *frames.Block, squares RowSquares) error {
	size := linalg.BlockRows(g.Pl.D)
	if g.packs() {
		size = rows.PackedStrip
	}
	size = min(size, b.Rows)
	for from := 0; from < b.Rows; from += size {
		n := min(size, b.Rows-from)
		x, err := g.cellsAt(b, from, n)
		if err == nil {
			err = g.strip(x, b, from, n, squares)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// cells are rows whose gradients are summed.
type cells interface {
	// margins are those of [linalg.Margins] with the k-th vector, and plus; and squares.
	margins(m, squares []float64, k int, w []float64, plus float64) error
	// addRounded is [linalg.AddRounded], to the sums of the k-th vector.
	addRounded(k int, sums []int64, f []float64) error
}

type matrixCells struct {
	x               []float64
	n, cols, stride int
}

func (c *matrixCells) margins(m, squares []float64, _ int, w []float64, plus float64) error {
	err := linalg.Margins(m, squares, c.x, c.n, c.cols, c.stride, w)
	if plus != 0 {
		for i := range m {
			m[i] += plus
		}
	}
	return err
}

func (c *matrixCells) addRounded(_ int, sums []int64, f []float64) error {
	return linalg.AddRounded(sums, c.x, c.n, c.cols, c.stride, f)
}

// strip adds the gradients of the rows from..from+n of a block, whose cells are x.
func (g *Gradients) strip(x cells, b *frames.Block, from, n int, squares RowSquares) error {
	pl, width := g.Pl, g.Pl.width()
	g.factors, g.cells, g.norms = rows.Grown(g.factors, pl.margins), rows.Grown(g.cells, n*pl.margins), rows.Grown(g.norms, n)
	norms, known := g.norms, squares.Of != nil && squares.Known
	if squares.Of != nil {
		norms = squares.Of[b.First+from : b.First+from+n]
	}
	for k := range g.factors {
		f, v := g.cells[k*n:(k+1)*n], g.W[k*width:(k+1)*width]
		var write []float64 // once
		if k == 0 && !known {
			write = norms
		}
		bias := 0.0
		if pl.C > 0 {
			bias = v[pl.D] * pl.C
		}
		if err := x.margins(f, write, k, v[:pl.D], bias); err != nil {
			return err
		}
		g.factors[k] = f
	}
	if !known {
		for i := range norms {
			norms[i] += pl.C * pl.C
		}
	}
	y := b.Y[from : from+n]
	if pl.label.half > 0 {
		g.labels = pl.label.scale(g.labels[:0], y)
		y = g.labels
	}
	if err := pl.loss.Factors(g.factors, norms, y, pl.Clip, 1/pl.Grid.Step()); err != nil {
		return err
	}
	for k, f := range g.factors {
		part := g.Sums[k*width : (k+1)*width]
		if b.Empty != nil {
			for i, empty := range b.Empty[from : from+n] {
				if empty {
					f[i] = 0
				}
			}
		}
		if pl.C > 0 {
			part[pl.D] += linalg.SumRounded(f, pl.C)
		}
		if err := x.addRounded(k, part[:pl.D], f); err != nil {
			return err
		}
	}
	return nil
}

// labelScale is the map of a numeric label in [mid − half, mid + half] to [−1, 1]; half is 0 for classes.
type labelScale struct{ mid, half float64 }

// LabelScaleOf is the map of the label's public bounds to [−1, 1]; none for classes.
func LabelScaleOf(label frames.Column) labelScale {
	if len(label.Levels) > 0 {
		return labelScale{}
	}
	half := (label.Hi - label.Lo) / 2
	return labelScale{label.Lo + half, half}
}

// of is the scaled label.
func (s labelScale) of(y float64) float64 { return num.Clamp((y-s.mid)/s.half, -1, 1) }

// scale appends the scaled labels. Rounding does not leave the range.
func (s labelScale) scale(to, y []float64) []float64 {
	for _, v := range y {
		to = append(to, s.of(v))
	}
	return to
}
