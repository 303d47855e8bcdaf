package rows

import (
	"cmp"
	"context"
	"sync"

	"github.com/dpkit-go/dpnb/accountant/pdp"
	"github.com/dpkit-go/dpnb/frames"
)

// EachLoss asks for the losses of all rows, a chunk at a time: put writes a row as it entered the sum, of k numbers, and
// returns its label.
func EachLoss(ctx context.Context, in frames.Source, k int, put func(z, row []float64, y float64) float64, ask func(x, y []float64) (pdp.Curator[[]float64], error)) ([]float64, error) {
	losses := make([]float64, in.Rows())
	var mu sync.Mutex
	var failed error
	failedAt := -1 // row
	err := scanChunks(ctx, in, chunkRows(in.Schema().Width()), mostWorkers, func() chunkFunc {
		var x, y []float64
		return func(b *frames.Block) {
			x, y = Grown(x, b.Rows*k), Grown(y, b.Rows)
			for i := range b.Rows {
				label := 0.0
				if b.Y != nil {
					label = b.Y[i]
				}
				y[i] = put(x[i*k:(i+1)*k], b.Row(i), label)
			}
			sealed, err := ask(x, y)
			if err != nil {
				mu.Lock()
				defer mu.Unlock()
				if failedAt < 0 || b.First < failedAt { // the same for any number of workers
					failed, failedAt = err, b.First
				}
				return
			}
			got, _ := sealed.Open()
			copy(losses[b.First:], got)
		}
	})
	return losses, cmp.Or(err, failed)
}
