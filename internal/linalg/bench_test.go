package linalg

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

func BenchmarkGram(b *testing.B) {
	for _, is := range []isa{portable, avx2, avx512} {
		for _, d := range []int{20, 50, 100, 200, 500} {
			n := 100000
			x := make([]float64, n*d)
			rng := rand.New(rand.NewPCG(1, 2))
			for i := range x {
				x[i] = rng.NormFloat64()
			}
			dst := make([]float64, d*d)
			for _, w := range []int{1, 2} {
				b.Run(fmt.Sprintf("%v/d=%d/w=%d", is, d, w), func(b *testing.B) {
					old := active
					active = is
					defer func() { active = old }()
					for range b.N {
						sumGram(x, n, d, d, w)
					}
					b.ReportMetric(float64(n)*float64(d)*float64(d)*float64(b.N)/b.Elapsed().Seconds()*1e-9, "GF/s")
				})
			}
			_ = dst
		}
	}
}
