package rows

// Grown is x with room for n numbers, whatever they are.
func Grown[T any](x []T, n int) []T {
	if cap(x) < n {
		return make([]T, n)
	}
	return x[:n]
}
