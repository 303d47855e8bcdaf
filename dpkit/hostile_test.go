package dpkit

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/gradient"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// The programs below are legal in the types and hostile in the parameters. Each must be refused, or
// stay within the sensitivity that it is charged for.

// sumsDiffer returns the distance of the gradient sums of two transformed datasets in units of S.
func sumsDiffer(pl *gradient.Descent, x, y *rows.Matrix, w []float64) float64 {
	sx, sy := make([]int64, pl.D+1), make([]int64, pl.D+1)
	partialSum(pl, sx, design{Matrix: x}, w, 0, x.Rows())
	partialSum(pl, sy, design{Matrix: y}, w, 0, y.Rows())
	var ratio float64
	for j := range sx {
		ratio = math.Hypot(ratio, (float64(sx[j])-float64(sy[j]))*(pl.Grid.Step()/pl.S))
	}
	return ratio
}

// TestRowsKeepTheirNorm: no chain lets a row out of the ball that the pair state claims.
func TestRowsKeepTheirNorm(t *testing.T) {
	nan := math.NaN()
	block := func(name, of string) frames.Column {
		return frames.Column{Name: name, Kind: frames.KindNumeric, Lo: 0, Hi: 1, Missing: true, Block: of}
	}
	label := frames.Label("y", "no", "yes")
	for _, c := range []struct {
		name  string
		cols  []frames.Column
		rows  [][]float64
		build func(Pipeline) Pipeline
	}{
		{
			"a block that a number splits",
			[]frames.Column{block("u", "B"), frames.Numeric("x", -1e-6, 1e-6), block("v", "B"), label},
			[][]float64{{nan, 0, nan, 0}, {1, 0, 0, 1}, {0, 0, 1, 1}},
			func(p Pipeline) Pipeline { return p.Impute(Midpoint{}) },
		},
		{
			"a category named like a block",
			[]frames.Column{frames.Category("B", "p", "q"), {Name: "u", Kind: frames.KindNumeric, Lo: 0, Hi: 1, Block: "B"}, label},
			[][]float64{{0, 1, 0}, {1, 1, 1}, {0, 0, 1}},
			func(p Pipeline) Pipeline { return p.OneHot() },
		},
		{
			"a block that is missing in part",
			[]frames.Column{block("u", "B"), block("v", "B"), label},
			[][]float64{{nan, 1, 0}, {1, 0, 1}, {1, 0, 1}},
			func(p Pipeline) Pipeline { return p.Impute(Midpoint{}) },
		},
		{
			"a radius whose square underflows",
			[]frames.Column{frames.Numeric("x", -1, 1), label},
			[][]float64{{1e-170, 0}, {0, 1}, {0, 1}},
			func(p Pipeline) Pipeline { return p.ClipNorm(1e-200) },
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			x, q, ok := tryTransform(t, c.cols, c.rows, c.build)
			if !ok {
				return
			}
			for i := range x.Rows() {
				n := 0.0
				for _, v := range x.Row(i) {
					n = math.Hypot(n, v)
				}
				if !(n <= stage.Up(q.end.Before.R)) {
					t.Errorf("row %d has norm %v above R = %v", i, n, q.end.Before.R)
				}
			}
		})
	}
}

// tryTransform runs a chain, or reports that the schema, the rows or the chain was refused.
func tryTransform(t *testing.T, cols []frames.Column, table [][]float64, build func(Pipeline) Pipeline) (*rows.Matrix, quote, bool) {
	t.Helper()
	s, err := frames.NewSchema(cols...)
	if err != nil {
		t.Log(err)
		return nil, quote{}, false
	}
	d := len(s.Features())
	b := &frames.Block{Rows: len(table), Cols: d}
	for _, row := range table {
		b.X = append(b.X, row[:d]...)
		b.Y = append(b.Y, row[d])
	}
	f, err := frames.FromBlock(s, b)
	if err != nil {
		t.Log(err)
		return nil, quote{}, false
	}
	p := build(demo(t, f).Data())
	stages, end, err := p.trace()
	if err != nil {
		t.Log(err)
		return nil, quote{}, false
	}
	q := quote{stages: stages, end: end}
	fitted, err := q.apply(context.Background(), p.s.src, nil)
	if err != nil {
		t.Fatal(err)
	}
	return fitted.rows.(*rows.Matrix), q, true
}

// TestExtremeParametersKeepTheSensitivity: one row changes, and the sums may differ by S at most,
// whatever the parameters and the units of the rows.
func TestExtremeParametersKeepTheSensitivity(t *testing.T) {
	for _, c := range []struct {
		name string
		unit float64 // bounds of the column
		o    ByGradient
		w    []float64 // coefficients before the projection, as huge noise or a huge step makes them
	}{
		{"the smallest rows", frames.MinWidth, ByGradient{Clip: 0.01}, []float64{0, 0}},
		{"the largest rows", frames.MaxBound, ByGradient{Clip: 0.01}, []float64{1e-55, 1e-55}},
		{"a clip below the smallest grid", 1, ByGradient{Clip: 1e-300}, []float64{0, 0}},
		{"a step that overflows", 1, ByGradient{StepSize: 1e308}, []float64{math.Inf(1), math.Inf(-1)}},
		{"coefficients that are no numbers", 1, ByGradient{}, []float64{math.NaN(), 1}},
		{"a tiny W", 1, ByGradient{MaxNorm: 1e-300}, []float64{1, 1}},
		{"a huge W", 1, ByGradient{MaxNorm: 1e300}, []float64{1e200, 1e200}},
	} {
		t.Run(c.name, func(t *testing.T) {
			cols := []frames.Column{frames.Numeric("x", -c.unit, c.unit), frames.Label("y", "no", "yes")}
			a, b := [][]float64{{c.unit, 0}}, [][]float64{{0, 1}}
			for range 5 {
				a, b = append(a, []float64{c.unit, 1}), append(b, []float64{c.unit, 1})
			}
			x, q, ok := tryTransform(t, cols, a, func(p Pipeline) Pipeline { return p.ClipNorm(2 * c.unit) })
			if !ok {
				return
			}
			y, _, _ := tryTransform(t, cols, b, func(p Pipeline) Pipeline { return p.ClipNorm(2 * c.unit) })
			o := c.o
			o.Epsilon, o.Delta, o.Steps = 1, 1e-6, 10
			pl, err := gradient.LogisticFit{ByGradient: o}.Calibrate(q.end)
			if err != nil {
				t.Log(err)
				return
			}
			pl.Project(c.w)
			if n := math.Hypot(c.w[0], c.w[1]); !(n <= stage.Up(pl.W)) {
				t.Errorf("after the projection ‖w‖ = %v, want at most W = %v", n, pl.W)
			}
			if r := sumsDiffer(pl, x, y, c.w); !(r <= 1) {
				t.Errorf("the sums differ by %v S", r)
			}
			w, err := pl.Descend(context.Background(), rows.InProcess{In: x}, noise.NewDemo(1))
			if err != nil {
				t.Fatal(err)
			}
			for _, v := range w {
				if math.IsNaN(v) || math.IsInf(v, 0) {
					t.Fatalf("the release holds %v", v)
				}
			}
		})
	}
}

// step is a step of a user's own.
type step struct {
	custom
	pair  func(pair.State) pair.State
	taint stage.Taint
	name  string
}

func (s step) String() string { return s.name }

func (s step) Propagate(st stage.Stage) (stage.Propagation, error) {
	pr, err := s.custom.Propagate(st)
	if s.pair != nil {
		pr.Pair = s.pair(pr.Pair)
	}
	pr.Taint = s.taint
	return pr, err
}

func (s step) Deploy(stage.Stage) (stage.RowMap, error) { return nil, nil }

func displaced(p pair.State) pair.State {
	p.M, p.T1, p.TF, p.TInf = 3, 1, 1, 1
	return p.Close()
}

// TestTaintFailsClosed: a step of a user's own that displaces rows must say which columns, or the
// Lipschitz constant at the end would be that of rows that nothing moves.
func TestTaintFailsClosed(t *testing.T) {
	for _, c := range []struct {
		name  string
		build func(Pipeline) Pipeline
		want  string
	}{
		{"no taint", func(p Pipeline) Pipeline { return p.OneHot().Impute(Midpoint{}).With(step{pair: displaced, name: "s"}) }, "taint"},
		{"taint that is false", func(p Pipeline) Pipeline {
			return p.OneHot().Impute(Midpoint{}).With(step{pair: displaced, taint: stage.Taint{"age": false}, name: "s"})
		}, "taint"},
		{"taint of a column that is not there", func(p Pipeline) Pipeline {
			return p.OneHot().Impute(Midpoint{}).With(step{pair: displaced, taint: stage.Taint{"nope": true}, name: "s"})
		}, "nope"},
		{"taint that a later step drops", func(p Pipeline) Pipeline {
			return p.OneHot().Impute(Mean{}).With(step{name: "s"})
		}, "taint"},
		{"a category that a step displaced", func(p Pipeline) Pipeline {
			return p.With(step{pair: displaced, taint: stage.Taint{"work": true}, name: "s"}).OneHot().Impute(Midpoint{})
		}, "work"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := c.build(demo(t, tinyFrame(t, 20, 1)).Data()).FitLogistic(ByGradient{Epsilon: 1, Delta: 1e-6}).Cost()
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want an error about %q", err, c.want)
			}
		})
	}
}

// TestPairsFailClosed: a step of a user's own that reports an impossible pair state is refused,
// also where it is the last one.
func TestPairsFailClosed(t *testing.T) {
	for name, change := range map[string]func(pair.State) pair.State{
		"NaN displacement": func(p pair.State) pair.State { p.M, p.T1 = 3, math.NaN(); return p },
		"no state":         func(pair.State) pair.State { return pair.State{} },
		"relation":         func(p pair.State) pair.State { p.Neighbours = AddRemove; return p },
		"more rows":        func(p pair.State) pair.State { p.N *= 10; return p },
		"no free row":      func(p pair.State) pair.State { p.F = 0; return p },
	} {
		t.Run(name, func(t *testing.T) {
			p := demo(t, tinyFrame(t, 20, 1)).Data().OneHot().Impute(Midpoint{}).With(step{pair: change, taint: stage.Taint{"age": true}, name: "s"})
			if c, err := p.FitLogistic(ByGradient{Epsilon: 1, Delta: 1e-6}).Cost(); err == nil {
				t.Errorf("priced at S = %v, want an error", c.Release.Sensitivity)
			}
		})
	}
}

// TestQuantizeKeepsTheDomain: a value that rounding took below its bound stays in the first cell,
// and a grid whose cells overflow is refused.
func TestQuantizeKeepsTheDomain(t *testing.T) {
	f, _, err := stage.RowMap{{Grid: &stage.GridOp{Columns: []int{0}, Lo: []float64{-50.1}, Hi: []float64{0}, Width: 10}}}.Transform(1)
	if err != nil {
		t.Fatal(err)
	}
	y := []float64{0}
	if f.Map(y, []float64{math.Nextafter(-50.1, -100)}, 1); y[0] != -50.1+5 {
		t.Errorf("got %v, want the centre of the first cell", y[0])
	}
	if f.Map(y, []float64{math.NaN()}, 1); !math.IsNaN(y[0]) {
		t.Errorf("a missing cell became %v", y[0])
	}
	_, err = demo(t, tinyFrame(t, 20, 1)).Data().Quantize(1e-307, "age").Schema()
	if !errors.Is(err, ErrParameter) {
		t.Errorf("cells beyond float64: got %v, want ErrParameter", err)
	}
}

// TestHistogramOfADisplacedCategory: every displaced row could change its level.
func TestHistogramOfADisplacedCategory(t *testing.T) {
	p := demo(t, tinyFrame(t, 20, 1)).Data().With(step{pair: displaced, taint: stage.Taint{"work": true}, name: "s"})
	if _, err := p.Histogram("work", Target{Epsilon: 1, Delta: 1e-6}).Cost(); !errors.Is(err, ErrOrder) {
		t.Errorf("got %v, want ErrOrder", err)
	}
}

// TestStepsOfAUsersOwnHaveAnIdentity: two steps that differ must not replay each other's value.
func TestStepsOfAUsersOwnHaveAnIdentity(t *testing.T) {
	s := private(t, tinyFrame(t, 20, 1), ledgerPath(t), Budget{Epsilon: 5, Delta: 1e-5})
	release := func(p stage.Preprocessor) (Result[LogisticModel], error) {
		return s.Data().OneHot().Impute(Midpoint{}).With(p).FitLogistic(ByGradient{Epsilon: 1, Delta: 1e-6}).Release(context.Background())
	}
	if _, err := release(halve{1}); err != nil {
		t.Fatal(err)
	}
	if r, err := release(halve{1}); err != nil || !r.Replayed {
		t.Errorf("the same step: got %v, %v, want a replay", r.Replayed, err)
	}
	if r, err := release(halve{2}); err != nil || r.Replayed {
		t.Errorf("another parameter: got %v, %v, want a new draw", r.Replayed, err)
	}
	if err := stage.Register[otherHalve]("test.dpnb/other/halve", 1); err != nil {
		t.Fatal(err)
	}
	if r, err := release(otherHalve{Times: 1}); err != nil || r.Replayed {
		t.Errorf("another kind with the same parameters: got %v, %v, want a new draw", r.Replayed, err)
	}
	if _, err := release(nameless{}); !errors.Is(err, ErrParameter) {
		t.Errorf("a step that is not registered: got %v, want it refused", err)
	}
}

// otherHalve is a step of another module that is like halve.
type otherHalve struct{ Times int }

func (h otherHalve) Check(in frames.Schema) (frames.Schema, error) { return halve(h).Check(in) }

func (h otherHalve) Propagate(st stage.Stage) (stage.Propagation, error) {
	return halve(h).Propagate(st)
}

func (h otherHalve) Deploy(st stage.Stage) (stage.RowMap, error) { return halve(h).Deploy(st) }

func (h otherHalve) Fit(ctx context.Context, in frames.Source, st stage.Stage) (stage.Transform, error) {
	return halve(h).Fit(ctx, in, st)
}

// nameless is not registered.
type nameless struct{ custom }

func (nameless) Deploy(stage.Stage) (stage.RowMap, error) { return nil, nil }
