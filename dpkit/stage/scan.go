package stage

import (
	"context"

	"github.com/dpkit-go/dpnb/frames"
)

// ScanRows calls fn for every row that no step removed, in order, with its label (0 where the
// schema has none). fn must not keep or change the row.
func ScanRows(ctx context.Context, in frames.Source, fn func(row []float64, y float64)) error {
	return in.Scan(ctx, PresentRows(fn))
}

// PresentRows calls fn for every row of a block that no step removed.
func PresentRows(fn func(row []float64, y float64)) func(b *frames.Block) error {
	return func(b *frames.Block) error {
		for i := range b.Rows {
			if b.Empty != nil && b.Empty[i] {
				continue
			}
			y := 0.0
			if b.Y != nil {
				y = b.Y[i]
			}
			fn(b.Row(i), y)
		}
		return nil
	}
}
