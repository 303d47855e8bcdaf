package gradient

import (
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/linalg"
)

// AddPacked adds the clipped gradients of all rows of a block whose cells are packed.
func (g *Gradients) AddPacked(b *frames.Block, x *linalg.Packed) bool {
	if g.drawn != nil {
		return false
	}
	if g.err == nil {
		g.err = g.strip(g.packs(x), b, 0, b.Rows, g.squares)
	}
	return true
}

// cellsAt are the cells of some rows of a block. Where all rows are read, they are packed if rows of their schema are in memory, so that how they are
// held does not show in a margin's last bits.
func (g *Gradients) cellsAt(b *frames.Block, from, n int) cells {
	x, pl := b.X[from*b.Cols:(from+n)*b.Cols], g.Pl
	if g.drawn == nil && pl.packed != nil && pl.packed.Pays() {
		p, err := pl.packed.Pack(x, n, b.Cols, g.packed, &g.packedOf.work)
		if err == nil {
			g.packed = p
			return g.packs(p)
		}
	}
	g.cellsOf = matrixCells{x, n, pl.D, b.Cols}
	return &g.cellsOf
}

// packs are packed rows, as cells.
func (g *Gradients) packs(x *linalg.Packed) cells {
	p := &g.packedOf
	if p.rows = x; p.weights == nil {
		width := g.Pl.width()
		for k := range g.Pl.margins {
			p.weights = append(p.weights, x.Shape().Weights(g.W[k*width:][:g.Pl.D], nil))
			p.sums = append(p.sums, x.Shape().Sums())
		}
	}
	return p
}

// settle adds what was summed of packed rows to the sums.
func (g *Gradients) settle() {
	for k, s := range g.packedOf.sums {
		s.AddTo(g.Sums[k*g.Pl.width():][:g.Pl.D])
	}
}

// packedCells are packed rows, all of one shape, with what a pass has for each vector of coefficients.
type packedCells struct {
	rows    *linalg.Packed
	work    linalg.PackedWork
	weights []*linalg.PackedWeights
	sums    []*linalg.PackedSums // not yet in those of the pass
}

func (c *packedCells) margins(m, squares []float64, k int, _ []float64, plus float64) error {
	if squares != nil {
		if err := c.rows.Squares(squares, &c.work); err != nil {
			return err
		}
	}
	return c.rows.Margins(m, c.weights[k], plus, &c.work)
}

func (c *packedCells) addRounded(k int, _ []int64, f []float64) error {
	return c.rows.AddRounded(c.sums[k], f, &c.work)
}
