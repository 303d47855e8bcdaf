package linalg

import (
	"fmt"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"
)

// BenchmarkSymmetric decomposes Gram matrices by this package and by gonum in turn, and reports the ratio of their best times. What
// gonum returns is not checked, and wrong for some matrices.
func BenchmarkSymmetric(b *testing.B) {
	for _, n := range []int{20, 200, 800} {
		b.Run(fmt.Sprintf("columns=%d", n), func(b *testing.B) {
			x, a := normals(shapeRNG(94), 2*n*n), make([]float64, n*n)
			if err := SumGram(a, x, 2*n, n, n); err != nil {
				b.Fatal(err)
			}
			own, other := time.Duration(1<<62), time.Duration(1<<62)
			best := func(of *time.Duration, f func()) {
				start := time.Now()
				f()
				*of = min(*of, time.Since(start))
			}
			for b.Loop() {
				best(&own, func() {
					if _, err := Symmetric(a, n, float64(4*n)); err != nil {
						b.Fatal(err)
					}
				})
				best(&other, func() {
					var e mat.EigenSym
					if !e.Factorize(mat.NewSymDense(n, a), true) {
						b.Fatal("did not converge")
					}
				})
			}
			b.ReportMetric(float64(own.Microseconds()), "own-µs")
			b.ReportMetric(float64(own)/float64(other), "own/gonum")
		})
	}
}
