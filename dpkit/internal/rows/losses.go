package rows

import (
	"context"

	"github.com/dpkit-go/dpnb/accountant/pdp"
	"github.com/dpkit-go/dpnb/frames"
)

// EachLoss asks for the losses of all rows, a chunk at a time: put writes a row as it entered the sum, of k numbers, and
// returns its label.
func EachLoss(ctx context.Context, in frames.Source, k int, put func(z, row []float64, y float64) float64, ask func(x, y []float64) (pdp.Curator[[]float64], error)) ([]float64, error) {
	losses := make([]float64, in.Rows())
	type lane struct {
		x, y []float64
		err  error
	}
	var all [lanes]lane
	err := scanChunks(ctx, in, chunkRows(in.Schema().Width()), func() chunkFunc {
		return func(at int, b *frames.Block) {
			l := &all[at]
			if l.err != nil {
				return
			}
			l.x, l.y = Grown(l.x, b.Rows*k), Grown(l.y, b.Rows)
			for i := range b.Rows {
				y := 0.0
				if b.Y != nil {
					y = b.Y[i]
				}
				l.y[i] = put(l.x[i*k:(i+1)*k], b.Row(i), y)
			}
			var sealed pdp.Curator[[]float64]
			if sealed, l.err = ask(l.x, l.y); l.err == nil {
				got, _ := sealed.Open()
				copy(losses[b.First:], got)
			}
		}
	})
	for _, l := range all {
		if err == nil {
			err = l.err
		}
	}
	return losses, err
}
