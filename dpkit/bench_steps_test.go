package dpkit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/frames"
)

// benchStep is a step against the plain loop that does its arithmetic on one core without privacy:
// rows of d cells in, the mapped rows out.
type benchStep struct {
	name  string
	cells string // which rows: "full", "missing" (a tenth of the cells) or "coded" (two categories in front)
	build func(Pipeline) Pipeline
	plain func(x []float64, d int) []float64
}

const stepRows, stepCols = 1_000_000, 20

// benchSteps is the table. Cells lie in [-1, 1]; codes in {0, 1, 2, 3}.
var benchSteps = []benchStep{
	{"OneHot", "coded", func(p Pipeline) Pipeline { return p.OneHot() }, func(x []float64, d int) []float64 {
		out := make([]float64, 0, len(x)/d*(d+6))
		for i := 0; i < len(x); i += d {
			var block [8]float64
			block[int(x[i])], block[4+int(x[i+1])] = 1, 1
			out = append(append(out, block[:]...), x[i+2:i+d]...)
		}
		return out
	}},
	{"Indicate", "missing", func(p Pipeline) Pipeline { return p.Indicate("x0", "x1") }, func(x []float64, d int) []float64 {
		out := make([]float64, 0, len(x)/d*(d+2))
		for i := 0; i < len(x); i += d {
			out = append(out, x[i:i+d]...)
			for _, v := range x[i : i+2] {
				if math.IsNaN(v) {
					out = append(out, 1)
				} else {
					out = append(out, 0)
				}
			}
		}
		return out
	}},
	{"Impute Midpoint", "missing", func(p Pipeline) Pipeline { return p.Impute(Midpoint{}) }, func(x []float64, d int) []float64 {
		return plainFill(x, d, make([]float64, d))
	}},
	{"Impute Mean", "missing", func(p Pipeline) Pipeline { return p.Impute(Mean{}) }, func(x []float64, d int) []float64 {
		sum, n := make([]float64, d), make([]float64, d)
		for i := 0; i < len(x); i += d {
			for j, v := range x[i : i+d] {
				if !math.IsNaN(v) {
					sum[j] += v
					n[j]++
				}
			}
		}
		for j := range sum {
			sum[j] /= n[j]
		}
		return plainFill(x, d, sum)
	}},
	{"Impute TrimmedMean", "missing", func(p Pipeline) Pipeline { return p.Impute(TrimmedMean{Trim: 0.1}) }, func(x []float64, d int) []float64 {
		mean := make([]float64, d)
		for j := range d {
			var col []float64
			for i := j; i < len(x); i += d {
				if !math.IsNaN(x[i]) {
					col = append(col, x[i])
				}
			}
			slices.Sort(col)
			col = col[len(col)/10 : len(col)-len(col)/10]
			for _, v := range col {
				mean[j] += v / float64(len(col))
			}
		}
		return plainFill(x, d, mean)
	}},
	{"Scale", "full", Pipeline.Scale, func(x []float64, d int) []float64 {
		shift, scale := make([]float64, d), make([]float64, d)
		for j := range scale {
			scale[j] = 1 / math.Sqrt(float64(d))
		}
		out := make([]float64, len(x))
		for i := 0; i < len(x); i += d {
			for j, v := range x[i : i+d] {
				out[i+j] = (v - shift[j]) * scale[j]
			}
		}
		return out
	}},
	{"ClipNorm", "full", func(p Pipeline) Pipeline { return p.ClipNorm(2) }, func(x []float64, d int) []float64 {
		out := make([]float64, len(x))
		for i := 0; i < len(x); i += d {
			s := 0.0
			for _, v := range x[i : i+d] {
				s += v * v
			}
			f := min(1, 2/math.Sqrt(s))
			for j, v := range x[i : i+d] {
				out[i+j] = v * f
			}
		}
		return out
	}},
	{"ClipColumns", "full", func(p Pipeline) Pipeline { return p.ClipColumns(-0.5, 0.5, "x0", "x1", "x2", "x3", "x4") }, func(x []float64, d int) []float64 {
		out := slices.Clone(x)
		for i := 0; i < len(x); i += d {
			for j := range 5 {
				out[i+j] = min(max(out[i+j], -0.5), 0.5)
			}
		}
		return out
	}},
	{"Quantize", "full", func(p Pipeline) Pipeline { return p.Quantize(0.1, "x0", "x1", "x2", "x3", "x4") }, func(x []float64, d int) []float64 {
		out := slices.Clone(x)
		for i := 0; i < len(x); i += d {
			for j := range 5 {
				out[i+j] = min((math.Floor((out[i+j]+1)/0.1)+0.5)*0.1-1, 1)
			}
		}
		return out
	}},
	{"Drop", "full", func(p Pipeline) Pipeline { return p.Drop("x0") }, func(x []float64, d int) []float64 {
		out := make([]float64, 0, len(x)/d*(d-1))
		for i := 0; i < len(x); i += d {
			out = append(out, x[i+1:i+d]...)
		}
		return out
	}},
	{"Center", "full", func(p Pipeline) Pipeline { return p.Center() }, func(x []float64, d int) []float64 {
		sum := make([]float64, d)
		for i := 0; i < len(x); i += d {
			for j, v := range x[i : i+d] {
				sum[j] += v
			}
		}
		out := make([]float64, len(x))
		for i := 0; i < len(x); i += d {
			for j, v := range x[i : i+d] {
				out[i+j] = v - sum[j]/stepRows
			}
		}
		return out
	}},
	{"Winsorize", "full", func(p Pipeline) Pipeline {
		return p.Winsorize(SmoothedQuantile{Q: 0.05, Window: 0.02}, "x0", "x1", "x2", "x3", "x4")
	}, func(x []float64, d int) []float64 {
		out := slices.Clone(x)
		for j := range 5 {
			var col []float64
			for i := j; i < len(x); i += d {
				col = append(col, x[i])
			}
			slices.Sort(col)
			lo, hi := col[len(col)/20], col[len(col)-len(col)/20]
			for i := j; i < len(x); i += d {
				out[i] = min(max(x[i], lo), hi)
			}
		}
		return out
	}},
	{"PCA", "full", func(p Pipeline) Pipeline { return p.PCA(SoftThreshold{Lambda: 0.01}) }, func(x []float64, d int) []float64 {
		g := make([]float64, d*d)
		for i := 0; i < len(x); i += d {
			row := x[i : i+d]
			for j, v := range row {
				for k := j; k < d; k++ {
					g[j*d+k] += v * row[k]
				}
			}
		}
		var eig mat.EigenSym
		eig.Factorize(mat.NewSymDense(d, g), true)
		for j := range d { // any symmetric matrix does for the time of the product
			for k := range j {
				g[j*d+k] = g[k*d+j]
			}
		}
		out := make([]float64, len(x))
		for i := 0; i < len(x); i += d {
			to := out[i : i+d]
			for j, v := range x[i : i+d] {
				for k, a := range g[j*d : j*d+d] {
					to[k] += v * a
				}
			}
		}
		return out
	}},
}

func plainFill(x []float64, d int, by []float64) []float64 {
	out := make([]float64, len(x))
	for i := 0; i < len(x); i += d {
		for j, v := range x[i : i+d] {
			if math.IsNaN(v) {
				v = by[j]
			}
			out[i+j] = v
		}
	}
	return out
}

// benchTable makes the rows and a session that takes itself to be over so many.
func benchTable(b *testing.B, cells string) (*rows.Matrix, *Session) {
	b.Helper()
	var cols []frames.Column
	for j := range stepCols {
		c := frames.Numeric(fmt.Sprint("x", j), -1, 1)
		switch {
		case cells == "missing":
			c = c.MayMiss()
		case cells == "coded" && j < 2:
			c = frames.Category(c.Name, "p", "q", "r", "s")
		}
		cols = append(cols, c)
	}
	m := &rows.Matrix{Domain: must(frames.NewSchema(cols...)), Cols: stepCols, X: make([]float64, stepRows*stepCols)}
	r := rand.New(rand.NewPCG(1, 2))
	for i := range m.X {
		switch {
		case cells == "missing" && r.IntN(10) == 0:
			m.X[i] = math.NaN()
		case cells == "coded" && i%stepCols < 2:
			m.X[i] = float64(r.IntN(4))
		default:
			m.X[i] = 2*r.Float64() - 1
		}
	}
	few := &frames.Block{Rows: 2, Cols: stepCols, X: m.X[:2*stepCols]}
	s := demo(b, must(frames.FromBlock(m.Domain, few)))
	s.rows = stepRows
	return m, s
}

var benchSink float64

// BenchmarkSteps runs every step, its plain loop and one sum over all cells in turn, and reports
// the ratios of their best times. Fit, the map and the memory of the result count.
func BenchmarkSteps(b *testing.B) {
	for _, c := range slices.Concat(benchSteps, fittedSteps) {
		b.Run(c.name, func(b *testing.B) {
			m, s := benchTable(b, c.cells)
			stages, _, err := c.build(s.Data()).trace()
			if err != nil {
				b.Fatal(err)
			}
			q := quote{stages: stages}
			ours, plain, read := math.Inf(1), math.Inf(1), math.Inf(1)
			clock := func(best *float64, f func()) {
				start := time.Now()
				f()
				*best = min(*best, float64(time.Since(start)))
			}
			for b.Loop() {
				clock(&ours, func() {
					fitted, err := q.apply(b.Context(), m, nil)
					if err != nil {
						b.Fatal(err)
					}
					benchSink += fitted.rows.(*rows.Matrix).X[0]
				})
				clock(&plain, func() { benchSink += c.plain(m.X, stepCols)[0] })
				clock(&read, func() {
					sum := 0.0
					for _, v := range m.X {
						sum += v
					}
					benchSink += sum
				})
			}
			b.ReportMetric(ours/1e6, "ms/step")
			b.ReportMetric(ours/plain, "x-plain")
			b.ReportMetric(ours/read, "x-read")
		})
	}
}

// BenchmarkStreamed releases means behind imputed means and Scale from a file of 20 columns, held
// in memory and streamed, in units of one pass over the file.
func BenchmarkStreamed(b *testing.B) {
	const rows = 100_000
	r := rand.New(rand.NewPCG(3, 4))
	var cols []frames.Column
	for j := range stepCols {
		cols = append(cols, frames.Numeric(fmt.Sprint("x", j), 0, 1).MayMiss())
	}
	var text []byte
	for range rows {
		for j := range stepCols {
			if j > 0 {
				text = append(text, ',')
			}
			if r.IntN(10) > 0 {
				text = strconv.AppendFloat(text, r.Float64(), 'f', 6, 64)
			}
		}
		text = append(text, '\n')
	}
	path := filepath.Join(b.TempDir(), "rows.csv")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		b.Fatal(err)
	}
	file := must(frames.OpenCSV(path, must(frames.NewSchema(cols...)), frames.CSVOptions{}))
	for name, held := range map[string]int{"held": heldBytes / 16, "streamed": 1} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			s := must(Demo(file, 1, ReplaceOne))
			must(0, s.Memory(16*held))
			plan := s.Data().Impute(Mean{}).Scale().Mean(Target{Epsilon: 1, Delta: 1e-6})
			pass, chain := math.Inf(1), math.Inf(1)
			for b.Loop() {
				start := time.Now()
				if err := file.Scan(b.Context(), func(*frames.Block) error { return nil }); err != nil {
					b.Fatal(err)
				}
				mid := time.Now()
				if _, err := plan.Release(b.Context()); err != nil {
					b.Fatal(err)
				}
				pass, chain = min(pass, float64(mid.Sub(start))), min(chain, float64(time.Since(mid)))
			}
			b.ReportMetric(chain/pass, "passes")
		})
	}
}
