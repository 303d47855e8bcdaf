package steps

import (
	"context"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// ClipNorm is dpkit.Pipeline.ClipNorm: rows are projected on the ball of radius R, a public map.
type ClipNorm struct{ R float64 }

func (ClipNorm) Kind() kind.Kind {
	return kind.Kind{Name: "clip/norm", Law: 1, Call: "ClipNorm", Was: "dpkit.clipNorm"}
}

func (ClipNorm) LabelBlind() {}

func (c ClipNorm) Check(in frames.Schema) (frames.Schema, error) {
	if err := num.Sized("radius", c.R); err != nil {
		return in, err
	}
	cols := in.Columns()
	for i, col := range cols {
		if _, ok := in.FeatureIndex(col.Name); !ok {
			continue
		}
		//dp:refuses clip/category a code has no norm
		if col.Kind == frames.KindCategory {
			return in, fmt.Errorf("column %q is a category; encode it with OneHot before ClipNorm: %w", col.Name, stage.ErrOrder)
		}
		// Clipping moves a value towards 0: the interval must hold 0 and both old ends.
		lo, hi := math.Min(col.Lo, 0), math.Max(col.Hi, 0)
		cols[i] = cols[i].Undated() // of a day nothing is left
		cols[i].Lo, cols[i].Hi = math.Max(lo, -c.R), math.Min(hi, c.R)
	}
	return frames.NewSchema(cols...)
}

func (c ClipNorm) Propagate(st stage.Stage) (stage.Propagation, error) {
	d := st.In.Width()
	r := stage.UpSum(min(st.Before.R, c.R), d)
	pr, err := stage.Columnwise(st, stage.Bounds{K: 1, R: r, Rounding: stage.Rounding(d, r)}, "projection onto a public ball, row by row: free")
	if len(st.Taint) > 0 { // the factor r/‖x‖ carries a displacement into every column
		for _, col := range st.Out.Features() {
			pr.Taint = pr.Taint.With(col.Name)
		}
	}
	return pr, err
}

func (c ClipNorm) Fit(_ context.Context, _ frames.Source, st stage.Stage) (stage.Transform, error) {
	return stage.FitPublic(c, st)
}

func (c ClipNorm) Deploy(stage.Stage) (stage.RowMap, error) {
	return stage.RowMap{{Clip: &stage.ClipOp{R: c.R}}}, nil
}
