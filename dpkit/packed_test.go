package dpkit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/gradient"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// encodedFrame has categories of many levels, and two numbers.
func encodedFrame(n int) *frames.Frame {
	cols := []frames.Column{frames.Numeric("a", 0, 10)}
	for k, levels := range []int{2, 7, 40} {
		var names []string
		for l := range levels {
			names = append(names, fmt.Sprint("l", l))
		}
		cols = append(cols, frames.Category(fmt.Sprint("c", k), names...))
	}
	cols = append(cols, frames.Numeric("b", -3, 1), frames.Label("y", "no", "yes"))
	r := rand.New(rand.NewPCG(3, uint64(n)))
	var x, y []float64
	for range n {
		a := 10 * r.Float64()
		x = append(x, a, float64(r.IntN(2)), float64(r.IntN(7)), float64(r.IntN(40)), 4*r.Float64()-3)
		y = append(y, float64(min(int(a+4*r.Float64()), 13)/7))
	}
	return must(frames.FromBlock(must(frames.NewSchema(cols...)), &frames.Block{Rows: n, Cols: 5, X: x, Y: y}))
}

// TestPackedRowsRelease: a release of rows that are packed has the bits of one that maps them anew for every pass.
func TestPackedRowsRelease(t *testing.T) {
	f := encodedFrame(700)
	held := func(bytes int) Pipeline {
		s := must(Demo(f, 1, ReplaceOne))
		if err := s.Memory(bytes); err != nil {
			t.Fatal(err)
		}
		return s.Data().OneHot().Scale().ClipNorm(1)
	}
	for name, fit := range map[string]func(p Pipeline) ([]float64, error){
		"ByGradient": func(p Pipeline) ([]float64, error) {
			r, err := p.FitLogistic(ByGradient{Epsilon: 1, Delta: 1e-5}).Release(t.Context())
			return append(r.Value.Coef, r.Value.Intercept), err
		},
		"ByObjective": func(p Pipeline) ([]float64, error) {
			r, err := p.FitLogistic(ByObjective{Epsilon: 1, Delta: 1e-5}).Release(t.Context())
			return append(r.Value.Coef, r.Value.Intercept), err
		},
		"PoissonSampling": func(p Pipeline) ([]float64, error) {
			r, err := p.FitLogistic(ByGradient{Solver: PoissonSampling{Rate: 0.2}, Steps: 20, Epsilon: 1, Delta: 1e-5}).Release(t.Context())
			return append(r.Value.Coef, r.Value.Intercept), err
		},
	} {
		got, want := must(fit(held(1<<29))), must(fit(held(1<<10)))
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}

// hostileFrame has categories of which all rows have one level, that may miss, and of 300 levels, around numbers; some of those lie in the middle of their bounds, which is
// 0 when they are scaled.
func hostileFrame(n int) *frames.Frame {
	category := func(name string, levels int) frames.Column {
		var names []string
		for l := range levels {
			names = append(names, fmt.Sprint("l", l))
		}
		return frames.Category(name, names...)
	}
	s := must(frames.NewSchema(category("one", 2), category("wide", 300), frames.Numeric("a", 0, 10), category("three", 3).MayMiss(), category("once more", 2),
		category("odd", 17).MayMiss(), frames.Numeric("b", -3, 1), frames.Label("y", "no", "yes")))
	r := rand.New(rand.NewPCG(4, uint64(n)))
	missing := func(v float64) float64 {
		if r.IntN(9) == 0 {
			return math.NaN()
		}
		return v
	}
	var x, y []float64
	for range n {
		a, b := 10*r.Float64(), 4*r.Float64()-3
		if r.IntN(3) == 0 {
			a, b = 5, -1
		}
		x = append(x, 0, float64(r.IntN(300)), a, missing(float64(r.IntN(3))), 0, missing(float64(r.IntN(17))), b)
		y = append(y, float64(r.IntN(2)))
	}
	return must(frames.FromBlock(s, &frames.Block{Rows: n, Cols: 7, X: x, Y: y}))
}

// TestStreamedOneHotReleases: a release has the same bits whether rows are packed once or made anew in each pass, by any number of workers: where a
// category that was missing is filled by shares of all its levels, where rows have several sizes, or are removed.
func TestStreamedOneHotReleases(t *testing.T) {
	whole := func(p Pipeline) Pipeline { return p.Select("one", "wide", "a", "once more", "b") } // columns that do not miss
	for _, n := range []int{255, 1283} {
		f := hostileFrame(n)
		for name, chain := range map[string]func(p Pipeline) Pipeline{
			"shares":        func(p Pipeline) Pipeline { return p.OneHot().Impute(Mean{}).Scale().ClipNorm(1) },
			"whole":         func(p Pipeline) Pipeline { return whole(p).OneHot().Scale() },
			"some clipped":  func(p Pipeline) Pipeline { return whole(p).OneHot().Scale().ClipNorm(0.9) },
			"all clipped":   func(p Pipeline) Pipeline { return p.OneHot().Impute(Midpoint{}).Scale().ClipNorm(0.1) },
			"removed":       func(p Pipeline) Pipeline { return whole(p).Where(Between("a", 0, 4)).OneHot().Scale() },
			"indicators":    func(p Pipeline) Pipeline { return p.OneHot().Indicate().Impute(Midpoint{}).Scale() },
			"of the caller": func(p Pipeline) Pipeline { return whole(p).OneHot().With(struct{ scratch }{}).Scale() },
		} {
			var want []float64
			for _, bytes := range []int{1 << 29, 1 << 10} {
				for _, procs := range []int{1, 3} {
					old := runtime.GOMAXPROCS(procs)
					s := must(Demo(f, 1, ReplaceOne))
					if err := s.Memory(bytes); err != nil {
						t.Fatal(err)
					}
					r, err := chain(s.Data()).FitLogistic(ByGradient{Epsilon: 1, Delta: 1e-5, Steps: 8}).Release(t.Context())
					runtime.GOMAXPROCS(old)
					if err != nil {
						t.Fatalf("%s: %v", name, err)
					}
					got := append(r.Value.Coef, r.Value.Intercept)
					if want == nil {
						want = got
					}
					if !slices.Equal(got, want) {
						t.Errorf("%s, %d rows, %d bytes, %d workers: got %v, want %v", name, n, bytes, procs, got, want)
					}
				}
			}
		}
	}
}

// TestPackedGradientSum: the sum of clipped gradients of packed rows is that of the rows, for every loss, with empty rows and without, and with rows that
// are no one-hot rows.
func TestPackedGradientSum(t *testing.T) {
	r := rand.New(rand.NewPCG(9, 9))
	for _, l := range allLosses {
		label := labelFor(l)
		cols := []frames.Column{frames.Numeric("a", -1, 1)}
		for j := range 71 {
			cols = append(cols, frames.Column{Name: fmt.Sprint("c", j), Kind: frames.KindNumeric, Hi: 1, Block: []string{"c", "d", "e"}[(j+j/70*30)/50]})
		}
		cols = append(cols, frames.Numeric("b", -1, 1), label)
		schema := must(frames.NewSchema(cols...))
		const n = 600
		d := schema.Width()
		m := &rows.Matrix{Domain: schema, Cols: d, X: make([]float64, n*d), Y: make([]float64, n)}
		for i := range n {
			row := m.Row(i)
			size := r.Float64()
			row[0], row[1+r.IntN(50)], row[51+r.IntN(20)], row[71], row[72] = r.NormFloat64(), size, size, []float64{0, size}[i%2], r.NormFloat64()
			if i%50 == 17 { // as behind a category that was missing
				row[1+r.IntN(50)] = size / 2
			}
			if i%60 == 5 {
				clear(row)
			}
			if m.Y[i] = label.Lo + (label.Hi-label.Lo)*r.Float64(); len(label.Levels) > 0 {
				m.Y[i] = float64(r.IntN(len(label.Levels)))
			}
		}
		p := must(rows.HoldForPasses(t.Context(), &rows.Mapped{In: m, Domain: schema, Cols: d, T: rows.SameRow, Held: true}))
		for _, holes := range []bool{false, true} {
			if holes {
				m.Remove(3)
				m.Remove(n - 1)
				p = must(rows.HoldForPasses(t.Context(), &rows.Mapped{In: m, Domain: schema, Cols: d, T: rows.SameRow, Held: true}))
			}
			st := stage.Stage{In: schema, Out: schema, Before: must(pair.Start(n, 1, ReplaceOne))}
			pl := must(convexFit(convexOptions{Loss: l, Epsilon: 1, Delta: 1e-6}.apart()).Calibrate(st))
			w := make([]float64, pl.Coordinates)
			for step := range 3 {
				got, want := make([]int64, len(w)), make([]int64, len(w))
				squares := gradient.RowSquares{Of: make([]float64, n)}
				for range 2 { // which finds the norms
					if err := pl.GradientSum(t.Context(), got, rows.InProcess{In: p}, w, nil, squares); err != nil {
						t.Fatal(err)
					}
					squares.Known = true
				}
				if err := pl.GradientSum(t.Context(), want, rows.InProcess{In: m}, w, nil, gradient.RowSquares{}); err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(got, want) {
					t.Errorf("%v, step %d, holes %v: got %v, want %v", l, step, holes, got, want)
				}
				for j := range w {
					w[j] = r.NormFloat64()
				}
			}
		}
	}
}
