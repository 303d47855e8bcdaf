//go:build !purego && !amd64.v3

package quad

// expVectors does vectors of four from the first on, for numbers between −700 and 700.
//
//go:noescape
func expVectors(x []float64) (done int)

// expm1Vectors does the same for numbers between −38 and −2^−54.
//
//go:noescape
func expm1Vectors(x []float64) (done int)
