package linalg

import (
	"fmt"
	"math"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"
)

// lowest runs both functions in turn and returns their best times, in nanoseconds.
func lowest(b *testing.B, own, other func()) (ownBest, otherBest float64) {
	ownBest, otherBest = math.Inf(1), math.Inf(1)
	for b.Loop() {
		start := time.Now()
		own()
		mid := time.Now()
		other()
		ownBest, otherBest = min(ownBest, float64(mid.Sub(start))), min(otherBest, float64(time.Since(mid)))
	}
	return ownBest, otherBest
}

// BenchmarkSymmetric decomposes Gram matrices by this package and by gonum in turn, and reports the ratio of their best times. What
// gonum returns is not checked, and wrong for some matrices.
func BenchmarkSymmetric(b *testing.B) {
	for _, n := range []int{20, 200, 800} {
		b.Run(fmt.Sprintf("columns=%d", n), func(b *testing.B) {
			x, a := normals(shapeRNG(94), 2*n*n), make([]float64, n*n)
			if err := SumGram(a, x, 2*n, n, n); err != nil {
				b.Fatal(err)
			}
			own, other := lowest(b, func() {
				if _, err := Symmetric(a, n, float64(4*n)); err != nil {
					b.Fatal(err)
				}
			}, func() {
				var e mat.EigenSym
				if !e.Factorize(mat.NewSymDense(n, a), true) {
					b.Fatal("did not converge")
				}
			})
			b.ReportMetric(own/1e3, "own-µs")
			b.ReportMetric(own/other, "own/gonum")
		})
	}
}
