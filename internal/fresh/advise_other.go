//go:build !linux

package fresh

// advise does nothing: other systems choose their pages themselves.
func advise(_, _ uintptr, _ bool) {}
