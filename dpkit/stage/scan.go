package stage

import (
	"context"

	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/frames"
)

// ScanRows calls fn for every row that no step removed, in order, with its label (0 where the
// schema has none). fn must not keep or change the row.
func ScanRows(ctx context.Context, in frames.Source, fn func(row []float64, y float64)) error {
	return in.Scan(ctx, num.PresentRows(fn))
}
