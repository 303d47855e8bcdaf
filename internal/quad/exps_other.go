//go:build !amd64 || purego || amd64.v3

package quad

// From amd64.v3 on the compiler rounds a product and a sum once where it sees fit, in package math too.

func expVectors([]float64) (done int) { return 0 }

func expm1Vectors([]float64) (done int) { return 0 }
