//go:build !linux && !darwin && !freebsd

package celltest

// freeSpace is not known here.
func freeSpace(string) (bytes uint64, ok bool) { return 0, false }
