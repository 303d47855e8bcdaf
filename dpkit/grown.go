package dpkit

// grown is x with room for n numbers, whatever they are.
func grown[T any](x []T, n int) []T {
	if cap(x) < n {
		return make([]T, n)
	}
	return x[:n]
}
