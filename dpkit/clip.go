package dpkit

import (
	"context"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/frames"
)

// ClipNorm projects every row onto the ball of radius r: x·min(1, r/‖x‖), a 1-Lipschitz public
// map. It costs nothing.
func (p Pipeline) ClipNorm(r float64) Pipeline { return p.with(clipNorm{r}) }

type clipNorm struct{ R float64 }

func (clipNorm) kind() kind { return kind{"clip/norm", 1, "ClipNorm", "dpkit.clipNorm"} }

func (clipNorm) labelBlind() {}

func (c clipNorm) Check(in frames.Schema) (frames.Schema, error) {
	if err := sized("radius", c.R); err != nil {
		return in, err
	}
	cols := in.Columns()
	for i, col := range cols {
		if _, ok := in.FeatureIndex(col.Name); !ok {
			continue
		}
		if col.Kind == frames.KindCategory {
			return in, fmt.Errorf("column %q is a category; encode it with OneHot before ClipNorm: %w", col.Name, ErrOrder)
		}
		// Clipping moves a value towards 0: the interval must hold 0 and both old ends.
		lo, hi := math.Min(col.Lo, 0), math.Max(col.Hi, 0)
		cols[i].Lo, cols[i].Hi = math.Max(lo, -c.R), math.Min(hi, c.R)
	}
	return frames.NewSchema(cols...)
}

func (c clipNorm) Propagate(st Stage) (Propagation, error) {
	d := len(st.In.Features())
	r := upSum(min(st.Before.R, c.R), d)
	pr, err := columnwise(st, bounds{K: 1, R: r, Rounding: rounding(d, r)}, "projection onto a public ball, row by row: free")
	if len(st.Taint) > 0 { // the factor r/‖x‖ carries a displacement into every column
		for _, col := range st.Out.Features() {
			pr.Taint = pr.Taint.with(col.Name)
		}
	}
	return pr, err
}

func (c clipNorm) Fit(_ context.Context, _ frames.Source, st Stage) (Transform, error) {
	return fitPublic(c, st)
}

func (c clipNorm) Deploy(Stage) (RowMap, error) { return RowMap{{Clip: &ClipOp{c.R}}}, nil }
