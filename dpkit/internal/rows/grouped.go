package rows

import (
	"context"

	"github.com/dpkit-go/dpnb/frames"
)

// Grouped asks the source of a driver's rows for sums by groups, where the rows are those of a [frames.Grouper] as they lie there, behind no
// step. It reports false where the rows must be read.
func Grouped(ctx context.Context, in Driver, q frames.Grouping, each func(levels []float64, rows int64, sums []int64)) (done bool, err error) {
	for {
		switch d := in.(type) {
		case bound:
			in = d.Driver
			continue
		case InProcess:
			src := d.In
			if m, ok := src.(*Mapped); ok && m.Same {
				src = m.In
			}
			if g, ok := src.(frames.Grouper); ok {
				return g.Grouped(ctx, q, each)
			}
		}
		return false, nil
	}
}
