package rows

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/frames"
)

// byRow is a test of single rows, removed ones too, as one of runs.
func byRow(holds func(row []float64, y float64) bool) domain.Test {
	return func(b *frames.Block, from, to int, met []bool) {
		for i := range to - from {
			y := 0.0
			if b.Y != nil {
				y = b.Y[from+i]
			}
			met[i] = holds(b.Row(from+i), y)
		}
	}
}
