package progress

import (
	"context"
)

// key is that of the function in a context.
type key struct{}

// With returns a context that holds the function.
func With(ctx context.Context, report func(done, total int)) context.Context {
	return context.WithValue(ctx, key{}, report)
}

// Of is the function that the context holds, or one that does nothing.
func Of(ctx context.Context) func(done, total int) {
	if report, ok := ctx.Value(key{}).(func(done, total int)); ok && report != nil {
		return report
	}
	return func(int, int) {}
}
