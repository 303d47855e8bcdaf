package models

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// meanScore is the mean over the rows of test of what score adds to the sum for a prediction and the label y; what names the
// figure in errors. fits reports a label that is not the model's; ok is false where the rows have none. Evaluating on private
// rows would leak: it takes only data that its owner declared public.
func meanScore[P any](ctx context.Context, test *frames.PublicFrame, what string, fits func(label frames.Column, ok bool) error,
	predict func(context.Context, *frames.PublicFrame) ([]P, error), score func(sum *rows.Neumaier, predicted P, y float64),
) (float64, error) {
	if test == nil {
		return 0, fmt.Errorf("dpkit: %s: got no frame, want one that frames.Public returned: %w", what, kind.ErrParameter)
	}
	if err := fits(test.Schema().Label()); err != nil {
		return 0, fmt.Errorf("dpkit: %s: %w: %w", what, err, stage.ErrColumn)
	}
	if test.Rows() == 0 {
		return 0, fmt.Errorf("dpkit: %s: got no rows: %w", what, kind.ErrParameter)
	}
	predicted, err := predict(ctx, test)
	if err != nil {
		return 0, err
	}
	var sum rows.Neumaier
	at := 0
	err = test.Frame().Scan(ctx, func(b *frames.Block) error {
		for _, y := range b.Y {
			score(&sum, predicted[at], y)
			at++
		}
		return nil
	})
	return sum.Sum() / float64(len(predicted)), err
}

// accuracy is the share of rows whose class predict names by its code.
func accuracy(ctx context.Context, test *frames.PublicFrame, name string, classes []string, predict func(context.Context, *frames.PublicFrame) ([]int, error)) (float64, error) {
	fits := func(label frames.Column, ok bool) error {
		if !ok || label.Name != name {
			return fmt.Errorf("the data has no label %q", name)
		}
		if !slices.Equal(label.Levels, classes) {
			return fmt.Errorf("label %q: got levels %q, want %q in this order: load the rows with the schema of the training rows", name, label.Levels, classes)
		}
		return nil
	}
	return meanScore(ctx, test, "accuracy", fits, predict, hit[int])
}

// hit counts a class that was predicted.
func hit[P int | float64](sum *rows.Neumaier, predicted P, y float64) {
	if float64(predicted) == y {
		sum.Add(1)
	}
}

// rmse is the root of the mean squared error of what predict says.
func rmse(ctx context.Context, test *frames.PublicFrame, fits func(label frames.Column, ok bool) error, predict func(context.Context, *frames.PublicFrame) ([]float64, error)) (float64, error) {
	mean, err := meanScore(ctx, test, "RMSE", fits, predict, func(sum *rows.Neumaier, predicted, y float64) { sum.Add((y - predicted) * (y - predicted)) })
	return math.Sqrt(mean), err
}

// codes are 1 for values above the threshold, else 0.
func codes(values []float64, threshold float64) []int {
	out := make([]int, len(values))
	for i, v := range values {
		if v > threshold {
			out[i] = 1
		}
	}
	return out
}
