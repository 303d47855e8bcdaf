package accountant

// calibrated is an event with its noise, or why it has none.
type calibrated[E any] struct {
	event E
	err   error
}

type calibration[E comparable] struct {
	mu    float64
	event E
}
