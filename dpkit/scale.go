package dpkit

import (
	"context"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/frames"
)

// Scale maps every row into the unit ball by a public affine map: a numeric column goes from its
// declared bounds to [−1, 1], a one-hot block stays, and everything is divided by the square root
// of the number of columns and blocks. It costs nothing; a displacement shrinks with the map.
func (p Pipeline) Scale() Pipeline { return p.with(scale{}) }

type scale struct{}

func (scale) kind() kind { return kind{"scale", 1, "Scale", "dpkit.scale"} }

func (scale) labelBlind() {}

func (scale) Check(in frames.Schema) (frames.Schema, error) {
	features := in.Features()
	if len(features) == 0 {
		return in, fmt.Errorf("got no feature column")
	}
	for _, c := range features {
		if c.Kind == frames.KindCategory {
			return in, fmt.Errorf("column %q is a category; encode it with OneHot before Scale: %w", c.Name, ErrOrder)
		}
	}
	op := scaleOp(in)
	cols := in.Columns()
	for i, c := range cols {
		if j, ok := in.FeatureIndex(c.Name); ok {
			cols[i].Lo = (c.Lo - op.Shift[j]) * op.Scale[j]
			cols[i].Hi = (c.Hi - op.Shift[j]) * op.Scale[j]
		}
	}
	return frames.NewSchema(cols...)
}

// scaleOp is the affine map: (x − midpoint)·2/(width·√u) for numbers, x/(hi·√u) for blocks.
func scaleOp(in frames.Schema) *AffineOp {
	us := unitsOf(in)
	root := math.Sqrt(float64(len(us)))
	op := &AffineOp{Shift: make([]float64, len(in.Features())), Scale: make([]float64, len(in.Features()))}
	for _, u := range us {
		shift, s := u.lo+(u.hi-u.lo)/2, 2/((u.hi-u.lo)*root)
		if u.block {
			shift, s = 0, 1/(u.hi*root)
		}
		for j := u.at; j < u.at+u.len; j++ {
			op.Shift[j], op.Scale[j] = shift, s
		}
	}
	return op
}

func (scale) Propagate(st Stage) (Propagation, error) {
	var k float64
	op := scaleOp(st.In)
	for j, c := range st.In.Features() {
		if len(st.Taint) == 0 || st.Taint[c.Name] {
			k = max(k, op.Scale[j])
		}
	}
	r := startRadius(st.Out)
	return columnwise(st, bounds{K: up(k), R: r, Rounding: rounding(len(op.Scale), r)}, "public bounds, row by row: free")
}

func (s scale) Fit(_ context.Context, _ frames.Source, st Stage) (Transform, error) {
	return fitPublic(s, st)
}

func (scale) Deploy(st Stage) (RowMap, error) { return RowMap{{Affine: scaleOp(st.In)}}, nil }
