package dpkit

import (
	"context"

	"github.com/dpkit-go/dpnb/dpkit/internal/progress"
)

// WithProgress returns a context with which Release tells how far it has come: first how many of the chain's
// steps are done, then, of a mechanism that runs a public number of steps (noisy gradients), how many of
// those. Each of the two ends with done = total, also where the release fails. Both numbers are functions of
// the plan alone; when they come is timing, which no guarantee covers. The function is called by the
// goroutine of Release, after the charge: it should return at once, and must not panic. A replayed release
// reports nothing. Package viz draws a bar: WithProgress(ctx, viz.Progress("model")).
func WithProgress(ctx context.Context, report func(done, total int)) context.Context {
	return progress.With(ctx, report)
}
