package quad

import (
	"math"

	"github.com/dpkit-go/dpnb/internal/cpu"
)

// Exps replaces each number by its exponential, bit for bit that of [math.Exp].
func Exps(x []float64) {
	for inVectors && len(x) >= 4 {
		x = x[expVectors(x):]
		some := x[:min(4, len(x))] // with one that is not of the range
		for i, v := range some {
			some[i] = math.Exp(v)
		}
		x = x[len(some):]
	}
	for i, v := range x {
		x[i] = math.Exp(v)
	}
}

// Expm1s replaces each number x by e^x − 1, bit for bit that of [math.Expm1].
func Expm1s(x []float64) {
	for inVectors && len(x) >= 4 {
		x = x[expm1Vectors(x):]
		some := x[:min(4, len(x))]
		for i, v := range some {
			some[i] = math.Expm1(v)
		}
		x = x[len(some):]
	}
	for i, v := range x {
		x[i] = math.Expm1(v)
	}
}

// inVectors says that the processor has the vectors, and that they have the bits of package math, whose code may be another one
// in other versions of Go and on processors without FMA.
var inVectors = cpu.Detect() >= cpu.AVX2 && agree(expVectors, math.Exp) && agree(expm1Vectors, math.Expm1)

// agree compares a kernel with the function at some numbers of either sign, between 2^-54 and 700.
func agree(vectors func(x []float64) (done int), one func(float64) float64) bool {
	for _, sign := range []float64{-1, 1} {
		for at := 0x1p-54; at < 690; at *= 1.13 + 1/(32+at) { // the larger, the denser
			var x, y [4]float64
			for j := range x {
				x[j] = sign * at * (1 + 0.013*float64(j))
				y[j] = one(x[j])
			}
			if vectors(x[:]) == 4 && x != y {
				return false
			}
		}
	}
	return true
}
