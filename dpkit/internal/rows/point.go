package rows

import "context"

// pointKey is that of a point in a context.
type pointKey struct{}

// AtPoint says for the next pass where it is made: numbers that hang on draws, such as the coefficients at which gradients are summed. With them
// a process that knows no draw makes the same pass.
func AtPoint(ctx context.Context, point ...float64) context.Context {
	return context.WithValue(ctx, pointKey{}, point)
}

// PointOf is where a pass is made that hangs on draws; ok is false of one that does not.
func PointOf(ctx context.Context) (point []float64, ok bool) {
	point, ok = ctx.Value(pointKey{}).([]float64)
	return point, ok
}
