package steps

import (
	"context"
	"fmt"

	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// Scale is dpkit.Pipeline.Scale: the public affine map of the domain into the unit ball.
type Scale struct{}

func (Scale) Kind() kind.Kind {
	return kind.Kind{Name: "scale", Law: 1, Call: "Scale", Was: "dpkit.scale"}
}

func (Scale) LabelBlind() {}

func (Scale) Check(in frames.Schema) (frames.Schema, error) {
	features := in.Features()
	if len(features) == 0 {
		return in, fmt.Errorf("got no feature column")
	}
	for _, c := range features {
		//dp:refuses scale/category a code is no number
		if c.Kind == frames.KindCategory {
			return in, fmt.Errorf("column %q is a category; encode it with OneHot before Scale: %w", c.Name, stage.ErrOrder)
		}
	}
	op := domain.ScaleOp(in)
	cols := in.Columns()
	for i, c := range cols {
		if j, ok := in.FeatureIndex(c.Name); ok {
			cols[i] = cols[i].Undated() // of a day nothing is left
			cols[i].Lo = (c.Lo - op.Shift[j]) * op.Scale[j]
			cols[i].Hi = (c.Hi - op.Shift[j]) * op.Scale[j]
		}
	}
	return frames.NewSchema(cols...)
}

func (Scale) Propagate(st stage.Stage) (stage.Propagation, error) {
	var k float64
	op := domain.ScaleOp(st.In)
	for j, c := range st.In.Features() {
		if len(st.Taint) == 0 || st.Taint[c.Name] {
			k = max(k, op.Scale[j])
		}
	}
	r := stage.StartRadius(st.Out)
	return stage.Columnwise(st, stage.Bounds{K: stage.Up(k), R: r, Rounding: stage.Rounding(len(op.Scale), r)}, "public bounds, row by row: free")
}

func (s Scale) Fit(_ context.Context, _ frames.Source, st stage.Stage) (stage.Transform, error) {
	return stage.FitPublic(s, st)
}

func (Scale) Deploy(st stage.Stage) (stage.RowMap, error) {
	return stage.RowMap{{Affine: domain.ScaleOp(st.In)}}, nil
}
