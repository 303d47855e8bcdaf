package dpkit

import (
	"context"
	"fmt"
	"slices"

	"github.com/dpkit-go/dpnb/frames"
)

// accuracy is the share of rows whose class predict names by its code.
func accuracy(ctx context.Context, test *frames.PublicFrame, name string, classes []string, predict func(context.Context, *frames.PublicFrame) ([]int, error)) (float64, error) {
	if test == nil {
		return 0, fmt.Errorf("dpkit: accuracy: got no frame, want one that frames.Public returned: %w", ErrParameter)
	}
	label, ok := test.Schema().Label()
	if !ok || label.Name != name {
		return 0, fmt.Errorf("dpkit: accuracy: the data has no label %q: %w", name, ErrColumn)
	}
	if !slices.Equal(label.Levels, classes) {
		return 0, fmt.Errorf("dpkit: accuracy: label %q: got levels %q, want %q in this order: load the rows with the schema of the training rows: %w", name, label.Levels, classes, ErrColumn)
	}
	if test.Rows() == 0 {
		return 0, fmt.Errorf("dpkit: accuracy: got no rows: %w", ErrParameter)
	}
	codes, err := predict(ctx, test)
	if err != nil {
		return 0, err
	}
	right, at := 0, 0
	err = test.Frame().Scan(ctx, func(b *frames.Block) error {
		for _, y := range b.Y {
			if float64(codes[at]) == y {
				right++
			}
			at++
		}
		return nil
	})
	return float64(right) / float64(len(codes)), err
}
