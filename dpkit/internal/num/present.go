package num

import "github.com/dpkit-go/dpnb/frames"

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
