package gradient

import (
	"sync"

	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/linalg"
)

// AddPacked adds the clipped gradients of all rows of a block whose cells are packed.
func (g *Gradients) AddPacked(b *frames.Block, x *linalg.Packed) bool {
	if g.drawn != nil {
		return false
	}
	if g.err == nil {
		p := g.packedAs(x.Shape())
		p.rows = x
		g.err = g.strip(p, b, 0, b.Rows, g.squares)
	}
	return true
}

// packedStrip is how many rows are packed at a time: all that is computed of them stays in a first-level cache.
const packedStrip = 256

// packs reports whether rows that come as they are had better be packed.
func (g *Gradients) packs() bool { return g.drawn == nil && g.Pl.packed != nil && g.Pl.packed.Pays() }

// cellsAt are the cells of some rows of a block. Where all rows are read, they are packed if rows of their schema are in memory, so that how they are
// held does not show in a margin's last bits.
func (g *Gradients) cellsAt(b *frames.Block, from, n int) (cells, error) {
	x, pl := b.X[from*b.Cols:(from+n)*b.Cols], g.Pl
	if !g.packs() {
		g.cellsOf = matrixCells{x, n, pl.D, b.Cols}
		return &g.cellsOf, nil
	}
	p := g.packedAs(pl.packed)
	var err error
	p.own, err = pl.packed.Pack(x, n, b.Cols, p.own, &p.work)
	p.rows, p.cells = p.own, matrixCells{x, n, pl.D, b.Cols}
	return p, err
}

// packedAs is what the pass has for packed rows of a shape.
func (g *Gradients) packedAs(shape *linalg.PackedShape) *packedCells {
	if p := g.packedOf; p != nil && p.shape == shape {
		return p
	}
	g.settle()
	pl, p := g.Pl, g.squares.spare.take(shape)
	width := pl.width()
	for k := range pl.margins {
		if k == len(p.weights) {
			p.weights, p.sums = append(p.weights, nil), append(p.sums, shape.Sums())
		}
		p.weights[k] = shape.Weights(g.W[k*width:][:pl.D], p.weights[k])
	}
	g.packedOf = p
	return p
}

// settle adds what was summed of packed rows to the sums.
func (g *Gradients) settle() {
	p := g.packedOf
	if p == nil {
		return
	}
	for k := range g.Pl.margins {
		p.sums[k].AddTo(g.Sums[k*g.Pl.width():][:g.Pl.D])
	}
	g.squares.spare.give(p)
	g.packedOf = nil
}

// packedCells are packed rows, all of one shape, with what a pass has for each vector of coefficients.
type packedCells struct {
	shape   *linalg.PackedShape
	rows    *linalg.Packed
	own     *linalg.Packed // of rows that came as they are; nil: none yet
	cells   matrixCells    // of own
	work    linalg.PackedWork
	weights []*linalg.PackedWeights
	sums    []*linalg.PackedSums // not yet in those of the pass
}

func (c *packedCells) margins(m, squares []float64, k int, w []float64, plus float64) error {
	if squares != nil {
		var err error
		if c.rows == c.own { // whose cells are at hand; the margins are written over
			err = c.cells.margins(m, squares, k, w, 0)
		} else {
			err = c.rows.Squares(squares, &c.work)
		}
		if err != nil {
			return err
		}
	}
	return c.rows.Margins(m, c.weights[k], plus, &c.work)
}

func (c *packedCells) addRounded(k int, _ []int64, f []float64) error {
	return c.rows.AddRounded(c.sums[k], f, &c.work)
}

// spareCells are those whose memory the steps of a run leave to one another; nil keeps none.
type spareCells struct {
	mu   sync.Mutex
	free []*packedCells
}

func (s *spareCells) take(shape *linalg.PackedShape) *packedCells {
	if s != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		if last := len(s.free) - 1; last >= 0 && s.free[last].shape == shape {
			p := s.free[last]
			s.free = s.free[:last]
			return p
		}
	}
	return &packedCells{shape: shape}
}

func (s *spareCells) give(p *packedCells) {
	if s != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.free = append(s.free, p)
	}
}
