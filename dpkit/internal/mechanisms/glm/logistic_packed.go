package glm

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/linalg"
)

// pack has logistic sums read rows of the schema packed, in memory or not, so that how they are held does not show in a margin's last bits: where that
// takes less time as far as is public, and a margin's rounding stays within what [Objective.Bound] counts.
func (f *Objective) pack(in frames.Schema) {
	if shape := rows.PackedShape(in); shape != nil && shape.Pays() && shape.Roundings() <= f.D/4 {
		f.packed = shape
	}
}

// packedAs is what the pass has for packed rows of a shape.
func (s *logisticSums) packedAs(shape *linalg.PackedShape) *rows.PackedStrips {
	if s.packedOf == nil || s.packedOf.Shape() != shape {
		s.settle()
		s.packedOf = rows.NewPackedStrips(shape)
		s.packedOf.Weigh(0, s.w[:s.f.D])
	}
	return s.packedOf
}

// packedStrip are the cells of a strip of packed rows.
func packedStrip(p *rows.PackedStrips, cells func() ([]float64, error)) logisticCells {
	return logisticCells{
		margins: func(m, squares, w []float64) error { return p.Margins(m, squares, 0, w, 0) },
		add:     func(_ []int64, f []float64) error { return p.AddRounded(0, f) },
		rows:    cells,
	}
}
