package domain

import (
	"math"

	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// ScaleOp is the affine map: (x − midpoint)·2/(width·√u) for numbers, x/(hi·√u) for blocks.
func ScaleOp(in frames.Schema) *stage.AffineOp {
	us := UnitsOf(in)
	root := math.Sqrt(float64(len(us)))
	op := &stage.AffineOp{Shift: make([]float64, in.Width()), Scale: make([]float64, in.Width())}
	for _, u := range us {
		shift, s := u.Lo+(u.Hi-u.Lo)/2, 2/((u.Hi-u.Lo)*root)
		if u.Block {
			shift, s = 0, 1/(u.Hi*root)
		}
		for j := u.At; j < u.At+u.Len; j++ {
			op.Shift[j], op.Scale[j] = shift, s
		}
	}
	return op
}
