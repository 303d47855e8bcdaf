//go:build !amd64 || purego

package quad

func expVectors([]float64) (done int) { return 0 }

func expm1Vectors([]float64) (done int) { return 0 }
