package linalg

import (
	"fmt"
	"testing"
)

// eachISA runs a benchmark with each instruction set that the machine has.
func eachISA(b *testing.B, f func(b *testing.B)) {
	best := active
	defer func() { active = best }()
	for s := portable; s <= best; s++ {
		b.Run("isa="+s.String(), func(b *testing.B) {
			active = s
			f(b)
		})
	}
}

// BenchmarkGram: XᵀX of 1e5 rows. GF/s counts rows·cols² operations, the useful ones.
func BenchmarkGram(b *testing.B) {
	const rows = 100_000
	for _, cols := range []int{20, 50, 100, 200, 500} {
		b.Run(fmt.Sprintf("cols=%d", cols), func(b *testing.B) {
			x, dst := normals(shapeRNG(91), rows*cols), make([]float64, cols*cols)
			eachISA(b, func(b *testing.B) {
				for b.Loop() {
					if err := SumGram(dst, x, rows, cols, cols); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(rows*float64(cols*cols)*float64(b.N)/float64(b.Elapsed().Nanoseconds()), "GF/s")
			})
		})
	}
}

// BenchmarkClippedGradient: the sum of clipped gradients of the logistic loss over 1e5×200 numbers on one processor,
// next to one inner product a row, which reads the same memory.
func BenchmarkClippedGradient(b *testing.B) {
	const rows, cols = 100_000, 200
	x, w, y := normals(shapeRNG(92), rows*cols), normals(shapeRNG(93), cols), make([]float64, rows)
	f, squares, sums := make([]float64, rows), make([]float64, rows), make([]int64, cols)
	eachISA(b, func(b *testing.B) {
		b.Run("fused", func(b *testing.B) {
			size := BlockRows(cols)
			for b.Loop() {
				for i := 0; i < rows; i += size {
					n := min(size, rows-i)
					f, squares, x := f[:n], squares[:n], x[i*cols:]
					if Margins(f, squares, x, n, cols, cols, w) != nil || LogisticFactors(f, f, squares, y[i:i+n], 1, 1e6) != nil ||
						AddRounded(sums, x, n, cols, cols, f) != nil {
						b.Fatal("wrong shape")
					}
				}
			}
		})
		b.Run("read", func(b *testing.B) {
			for b.Loop() {
				active.dotRows(rows, cols, x, cols, w, f)
			}
		})
	})
}
