package viz

import (
	"context"
	"fmt"
)

// Sweep runs a function for each of the settings in turn, and shows its [Progress] meanwhile. It returns the
// results in the settings' order; where the context ends or a run fails, those until then, beside the error.
// Every release among the runs is charged: a sweep over private rows spends budget at each setting, and to
// pick the best of its results is a choice that only the whole of the budget covers.
func Sweep[T, R any](ctx context.Context, title string, settings []T, run func(context.Context, T) (R, error)) ([]R, error) {
	return sweep(ctx, Progress(title), settings, run)
}

func sweep[T, R any](ctx context.Context, report func(done, total int), settings []T, run func(context.Context, T) (R, error)) ([]R, error) {
	results := make([]R, 0, len(settings))
	defer func() { report(len(settings), len(settings)) }() // however it ends, the bar disappears
	for i, s := range settings {
		report(i, len(settings))
		if err := ctx.Err(); err != nil {
			return results, fmt.Errorf("viz: sweep: after %d of %d settings: %w", i, len(settings), err)
		}
		r, err := run(ctx, s)
		if err != nil {
			return results, fmt.Errorf("viz: sweep: setting %d of %d: %w", i+1, len(settings), err)
		}
		results = append(results, r)
	}
	return results, nil
}
