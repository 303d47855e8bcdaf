package dpkit

import (
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/linalg"
)

// BenchmarkGradientStep: a step over 1e5 × 200 numbers on one processor for every loss, next to the inner product and the norm of each
// row, which read the same memory; the steps find the norms stored.
func BenchmarkGradientStep(b *testing.B) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	const n, d = 100_000, 200
	r := rand.New(rand.NewPCG(1, 1))
	x := make([]float64, n*d)
	for i := range x {
		x[i] = (r.Float64() - 0.5) / 8
	}
	for _, l := range allLosses {
		label := labelFor(l)
		y := make([]float64, n)
		for i := range y {
			if y[i] = label.Lo + (label.Hi-label.Lo)*r.Float64(); len(label.Levels) > 0 {
				y[i] = float64(r.IntN(len(label.Levels)))
			}
		}
		cols := []frames.Column{label}
		for j := range d {
			cols = append(cols, frames.Numeric(steps.ComponentName(j), -1, 1))
		}
		schema := must(frames.NewSchema(cols...))
		st := stage.Stage{In: schema, Out: schema, Before: must(pair.Start(n, 1, ReplaceOne))}
		f := must(convexFit(convexOptions{Loss: l, Epsilon: 1, Delta: 1e-6}.apart()).Calibrate(st))
		data := design{Matrix: &rows.Matrix{Domain: schema, Cols: d, X: x, Y: y}, squares: make([]float64, n)}
		w, sums := make([]float64, f.Coordinates), make([]int64, f.Coordinates)
		for j := range w {
			w[j] = r.NormFloat64()
		}
		if err := sumOf(b.Context(), f.Descent, sums, data, w, nil); err != nil {
			b.Fatal(err)
		}
		data.known = true // as for all steps of a run but the first
		b.Run(l.String(), func(b *testing.B) {
			for b.Loop() {
				if err := sumOf(b.Context(), f.Descent, sums, data, w, nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
	b.Run("read", func(b *testing.B) {
		margins, squares, w := make([]float64, n), make([]float64, n), make([]float64, d)
		for b.Loop() {
			if err := linalg.Margins(margins, squares, x, n, d, d, w); err != nil {
				b.Fatal(err)
			}
		}
	})
}
