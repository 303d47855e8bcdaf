package perinstance

import (
	"context"
	"math"

	"github.com/dpkit-go/dpnb/frames"
)

// encoded are features and labels, scaled by public bounds to norm 1 at most and to [−1, 1], with a constant feature. Levels have a
// feature each; a missing cell is the middle of its range, or no level.
func encoded(ctx context.Context, f *frames.Frame) (x [][]float64, y []float64, err error) {
	features := f.Schema().Features()
	label, _ := f.Schema().Label()
	unit := func(v, lo, hi float64) float64 { return 2*(v-lo)/(hi-lo) - 1 }
	root := math.Sqrt(float64(len(features) + 1))
	err = frames.Public(f).Frame().Scan(ctx, func(b *frames.Block) error {
		for i := range b.Rows {
			row := make([]float64, 0, len(features)+1)
			for j, v := range b.Row(i) {
				switch c := features[j]; {
				case len(c.Levels) > 0:
					at := len(row)
					row = append(row, make([]float64, len(c.Levels))...)
					if v == v {
						row[at+int(v)] = 1 / root
					}
				case v == v:
					row = append(row, unit(v, c.Lo, c.Hi)/root)
				default:
					row = append(row, 0)
				}
			}
			x = append(x, append(row, 1/root))
			if len(label.Levels) == 2 {
				y = append(y, unit(b.Y[i], 0, 1))
			} else {
				y = append(y, unit(b.Y[i], label.Lo, label.Hi))
			}
		}
		return nil
	})
	return x, y, err
}
