//go:build !amd64 || purego

package cpu

// Detect returns the widest instruction set that the processor has and the operating system saves.
func Detect() Set { return Portable }
