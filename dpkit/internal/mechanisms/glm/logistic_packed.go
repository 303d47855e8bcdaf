package glm

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/linalg"
)

// packedStrip is how many rows are packed at a time: all that is computed of them stays in a first-level cache.
const packedStrip = 256

// pack has logistic sums read rows of the schema packed, in memory or not, so that how they are held does not show in a margin's last bits: where that
// takes less time as far as is public, and a margin's rounding stays within what [Objective.Bound] counts.
func (f *Objective) pack(in frames.Schema) {
	if shape := rows.PackedShape(in); shape != nil && shape.Pays() && shape.Roundings() <= f.D/4 {
		f.packed = shape
	}
}

// packedCells are packed rows, all of one shape, with what a pass has for them.
type packedCells struct {
	rows    *linalg.Packed
	own     *linalg.Packed // of rows that came as they are; nil: none yet
	cells   []float64      // of own, stride apart
	stride  int
	work    linalg.PackedWork
	weights *linalg.PackedWeights
	sums    *linalg.PackedSums // pending
}

// packedAs is what the pass has for packed rows of a shape.
func (s *logisticSums) packedAs(shape *linalg.PackedShape) *packedCells {
	if s.packedOf == nil || s.packedOf.weights.Shape() != shape {
		s.settle()
		s.packedOf = &packedCells{weights: shape.Weights(s.w[:s.f.D], nil), sums: shape.Sums()}
	}
	return s.packedOf
}

func (c *packedCells) pack(x []float64, n, stride int) (err error) {
	c.own, err = c.weights.Shape().Pack(x, n, stride, c.own, &c.work)
	c.rows, c.cells, c.stride = c.own, x, stride
	return err
}

func (c *packedCells) margins(m, squares, w []float64) error {
	if squares != nil {
		var err error
		if c.rows == c.own { // whose cells are at hand; the margins are written over
			err = linalg.Margins(m, squares, c.cells, len(m), len(w), c.stride, w)
		} else {
			err = c.rows.Squares(squares, &c.work)
		}
		if err != nil {
			return err
		}
	}
	return c.rows.Margins(m, c.weights, 0, &c.work)
}

func (c *packedCells) add(_ []int64, f []float64) error {
	return c.rows.AddRounded(c.sums, f, &c.work)
}
