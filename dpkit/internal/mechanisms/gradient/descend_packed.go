package gradient

import (
	"sync"

	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
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
		p.Take(x)
		g.err = g.strip(packedCells{p}, b, 0, b.Rows, g.squares)
	}
	return true
}

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
	return packedCells{p}, p.Pack(x, n, b.Cols)
}

// packedAs is what the pass has for packed rows of a shape.
func (g *Gradients) packedAs(shape *linalg.PackedShape) *rows.PackedStrips {
	if p := g.packedOf; p != nil && p.Shape() == shape {
		return p
	}
	g.settle()
	pl, p := g.Pl, g.squares.spare.take(shape)
	width := pl.width()
	for k := range pl.margins {
		p.Weigh(k, g.W[k*width:][:pl.D])
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
		p.AddTo(k, g.Sums[k*g.Pl.width():][:g.Pl.D])
	}
	g.squares.spare.give(p)
	g.packedOf = nil
}

// packedCells are rows of a strip that is packed.
type packedCells struct{ *rows.PackedStrips }

func (c packedCells) margins(m, squares []float64, k int, w []float64, plus float64) error {
	return c.Margins(m, squares, k, w, plus)
}

func (c packedCells) addRounded(k int, _ []int64, f []float64) error { return c.AddRounded(k, f) }

// spareCells are strips whose memory the steps of a run leave to one another; nil keeps none.
type spareCells struct {
	mu   sync.Mutex
	free []*rows.PackedStrips
}

func (s *spareCells) take(shape *linalg.PackedShape) *rows.PackedStrips {
	if s != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		if last := len(s.free) - 1; last >= 0 && s.free[last].Shape() == shape {
			p := s.free[last]
			s.free = s.free[:last]
			return p
		}
	}
	return rows.NewPackedStrips(shape)
}

func (s *spareCells) give(p *rows.PackedStrips) {
	if s != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.free = append(s.free, p)
	}
}
