package stage

import (
	"context"
)

// progressKey is the context's key of the function that WithProgress gives.
type progressKey struct{}

// WithProgress returns a context with which Release tells how far it has come: first how many of the chain's
// steps are done, then, of a mechanism that runs a public number of steps (noisy gradients), how many of
// those. Each of the two ends with done = total, also where the release fails. Both numbers are functions of
// the plan alone; when they come is timing, which no guarantee covers. The function is called by the
// goroutine of Release, after the charge: it should return at once, and must not panic. A replayed release
// reports nothing. Package viz draws a bar: WithProgress(ctx, viz.Progress("model")).
func WithProgress(ctx context.Context, report func(done, total int)) context.Context {
	return context.WithValue(ctx, progressKey{}, report)
}

// ProgressOf is the function that the context holds, or one that does nothing.
func ProgressOf(ctx context.Context) func(done, total int) {
	if report, ok := ctx.Value(progressKey{}).(func(done, total int)); ok && report != nil {
		return report
	}
	return func(int, int) {}
}
