package dpkit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/linear"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/linalg"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// linearBenchSchema has d features and a label of bounds ±1.
func linearBenchSchema(d int) frames.Schema {
	cols := []frames.Column{frames.NumericLabel("y", -1, 1)}
	for j := range d {
		cols = append(cols, frames.Numeric(steps.ComponentName(j), -1, 1))
	}
	return must(frames.NewSchema(cols...))
}

// linearBenchRows are rows of norm below 1.
func linearBenchRows(n, d int) *rows.Matrix {
	r := rand.New(rand.NewPCG(1, 1))
	m := &rows.Matrix{Domain: linearBenchSchema(d), Cols: d, X: make([]float64, n*d), Y: make([]float64, n)}
	for i := range m.X {
		m.X[i] = (r.Float64() - 0.5) / math.Sqrt(float64(d))
	}
	for i := range m.Y {
		m.Y[i] = 2*r.Float64() - 1
	}
	return m
}

// settledLinear is a method of regression on n such rows.
func settledLinear(n, d int, o linear.Settings) linear.LinearFit {
	o.Epsilon, o.Delta = 1, 1/float64(n)/float64(n)
	s := linearBenchSchema(d)
	fit := must(linear.LeastSquares{Settings: o}.Prepare(stage.Stage{In: s, Out: s, Before: must(pair.Start(n, 1, accountant.AddRemove))}))
	must(fit.Bill("fit"))
	return fit
}

// BenchmarkFitLinearRows fits a million rows of 50 features, in units of their Gram matrix, which is computed in turn with
// the fits.
func BenchmarkFitLinearRows(b *testing.B) {
	const n, d = 1_000_000, 50
	m, rng := linearBenchRows(n, d), noise.New()
	for _, o := range []linear.Settings{{Method: models.AdaSSP}, {Method: models.LinearMixing}, {Method: models.LinearMixing, CoefficientsOnly: true}} {
		b.Run(fmt.Sprintf("%s/%v", o.Method, o.CoefficientsOnly), func(b *testing.B) {
			fit := settledLinear(n, d, o)
			gram, whole := math.Inf(1), math.Inf(1)
			for b.Loop() {
				start := time.Now()
				must(rows.GramOf(b.Context(), m, d, 1))
				mid := time.Now()
				must(fit.Fit(must(fit.Domain().NormalEquations(b.Context(), rows.InProcess{In: m})), rng))
				gram, whole = min(gram, float64(mid.Sub(start))), min(whole, float64(time.Since(mid)))
			}
			b.ReportMetric(whole/gram, "x-gram")
		})
	}
}

// BenchmarkSketch draws the inner products of a sketch of k rows: from the second moments, and by n·k normal variates and
// a product of matrices.
func BenchmarkSketch(b *testing.B) {
	for _, c := range []struct{ n, d, k int }{{100_000, 50, 300}, {1_000_000, 20, 200}} {
		b.Run(fmt.Sprintf("n=%d/d=%d/k=%d", c.n, c.d, c.k), func(b *testing.B) {
			m, rng := linearBenchRows(c.n, c.d), noise.New()
			fit := settledLinear(c.n, c.d, linear.Settings{Method: models.LinearMixing, Rows: c.k}).(*linear.SketchFit)
			ours, direct := math.Inf(1), math.Inf(1)
			for b.Loop() {
				start := time.Now()
				l := must(fit.Factor(must(fit.NormalEquations(b.Context(), rows.InProcess{In: m})), rng))
				must(fit.InnerProducts(l, rng))
				mid := time.Now()
				directSketch(m, c.k, math.Sqrt(fit.Variance()), rng)
				ours, direct = min(ours, float64(mid.Sub(start))), min(direct, float64(time.Since(mid)))
			}
			b.ReportMetric(ours/1e6, "ms")
			b.ReportMetric(direct/ours, "x-faster")
		})
	}
}

// directSketch returns the inner products of S·Z + σΞ. Rows go through the cache in blocks, and the product is that of
// internal/linalg.
func directSketch(m *rows.Matrix, k int, sigma float64, rng *noise.Source) []float64 {
	const block = 256
	cols := m.Cols + 1
	sketch, part := make([]float64, k*cols), make([]float64, k*cols)
	for i := range sketch {
		sketch[i] = sigma * rng.Normal()
	}
	s, z := make([]float64, block*k), make([]float64, block*cols)
	for from := 0; from < m.Rows(); from += block {
		n := min(block, m.Rows()-from)
		for i := range n {
			copy(z[i*cols:], m.Row(from+i))
			z[i*cols+m.Cols] = m.Y[from+i]
		}
		for i := range n * k {
			s[i] = rng.Normal()
		}
		if err := linalg.Product(part, cols, linalg.Dense(s[:n*k], n, k).T(), linalg.Dense(z[:n*cols], n, cols)); err != nil {
			panic(err) // impossible: as many rows of both
		}
		for i, v := range part {
			sketch[i] += v
		}
	}
	inner := make([]float64, cols*cols)
	if err := linalg.SumGram(inner, sketch, k, cols, cols); err != nil {
		panic(err) // impossible: rows of cols numbers
	}
	return inner
}

// BenchmarkFitLinearStreamed releases a regression behind Scale on 100 000 rows of 20 columns: from a frame in memory, and
// from their file, held in memory and streamed, in units of one pass over the file.
func BenchmarkFitLinearStreamed(b *testing.B) {
	const n, d = 100_000, 20
	m := linearBenchRows(n, d)
	var text []byte
	for i := range n {
		text = strconv.AppendFloat(text, m.Y[i], 'f', 6, 64)
		for _, v := range m.Row(i) {
			text = strconv.AppendFloat(append(text, ','), v, 'f', 6, 64)
		}
		text = append(text, '\n')
	}
	path := filepath.Join(b.TempDir(), "rows.csv")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		b.Fatal(err)
	}
	file := must(frames.OpenCSV(path, m.Domain, frames.CSVOptions{}))
	frame := must(frames.ReadCSV(path, m.Domain, frames.CSVOptions{}))
	for _, c := range []struct {
		name string
		src  frames.Source
		held int
	}{{"frame", frame, heldBytes / 16}, {"file held", file, heldBytes / 16}, {"file streamed", file, 1}} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			s := must(Demo(c.src, 1, AddRemove))
			must(0, s.Memory(16*c.held))
			plan := s.Data().Scale().FitLinear(linearBy(linear.Settings{Epsilon: 1, Delta: 1e-10}))
			pass, chain := math.Inf(1), math.Inf(1)
			for b.Loop() {
				start := time.Now()
				if err := file.Scan(b.Context(), func(*frames.Block) error { return nil }); err != nil {
					b.Fatal(err)
				}
				mid := time.Now()
				must(plan.Release(b.Context()))
				pass, chain = min(pass, float64(mid.Sub(start))), min(chain, float64(time.Since(mid)))
			}
			b.ReportMetric(chain/pass, "passes")
		})
	}
}
