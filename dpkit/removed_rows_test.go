package dpkit

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/gradient"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/sums"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// removed marks every third row of a transformed frame as removed.
func removed(t *testing.T, rel accountant.Neighbours, n int, build func(Pipeline) Pipeline) (*rows.Matrix, stage.Stage) {
	t.Helper()
	p := build(must(Demo(tinyFrame(t, n, 5), 1, rel)).Data())
	stages, st, err := p.trace()
	if err != nil {
		t.Fatal(err)
	}
	out := must(quote{stages: stages, end: st}.apply(context.Background(), p.s.src, nil))
	m := must(rows.Materialise(context.Background(), out.rows, st.In, rows.SameRow))
	m.Empty = make([]bool, n)
	for i := range m.Empty {
		m.Empty[i] = i%3 == 0
	}
	st.Empty, st.Unordered = true, true
	return m, st
}

// TestRowsThatAreThere: behind a step that removes rows, means are those of the others, and sums and
// counts leave them out, at any order of the rows.
func TestRowsThatAreThere(t *testing.T) {
	ctx := context.Background()
	const n = 6000
	for _, rel := range []accountant.Neighbours{ReplaceOne, AddRemove} {
		for _, target := range []Target{gaussianTarget, laplaceTarget} {
			m, st := removed(t, rel, n, func(p Pipeline) Pipeline { return p.OneHot().Impute(Midpoint{}) })
			for name, mech := range map[string]mechanism.Mechanism[Estimates]{"means": sums.Mean{Target: target}, "sum": sums.Sum{Target: target}, "count": sums.Count{Target: target}, "histogram": sums.Histogram{Column: "income", Target: target}} {
				t.Run(name+"/"+rel.String()+"/"+string(target.Noise), func(t *testing.T) {
					got := drawnFrom(t, mech, m, st, noise.New())
					exact := must(mech.Exact(ctx, rows.InProcess{In: m}, st))
					for j := range got.Values {
						if !near(got.Values[j], exact.Values[j], got.Sigma[j]) || got.Values[j] == exact.Values[j] {
							t.Errorf("%s: got %v ± %v, exact %v", got.Names[j], got.Values[j], got.Sigma[j], exact.Values[j])
						}
					}
					if name == "means" && !strings.Contains(got.String(), "\nrows  ") {
						t.Errorf("the table does not tell the rows:\n%v", got)
					}
					if name == "means" && (exact.Rows != n*2/3 || !near(got.Rows, exact.Rows, got.RowsSigma) || !(got.RowsSigma > 0)) {
						t.Errorf("%v ± %v rows, exact %v", got.Rows, got.RowsSigma, exact.Rows)
					}
					if name == "count" && exact.Values[0] != n*2/3 {
						t.Errorf("exact count %v", exact.Values)
					}
				})
			}
		}
	}
}

// TestCountBesideMeansIsFree: in replace-one the number of rows costs no noise.
func TestCountBesideMeansIsFree(t *testing.T) {
	for _, target := range []Target{gaussianTarget, laplaceTarget} {
		_, st := removed(t, ReplaceOne, 300, func(p Pipeline) Pipeline { return p.OneHot().Impute(Midpoint{}) })
		with, _ := must(sums.Mean{Target: target}.Calibrate(st)).Sensitivity()
		st.Empty = false
		without, _ := must(sums.Mean{Target: target}.Calibrate(st)).Sensitivity()
		if !(with <= without*(1+1e-9)) {
			t.Errorf("%v: sensitivity %v with the count, %v without", target, with, without)
		}
	}
}

// TestMeansOfNoRows: the ratio stays in the column's bounds whatever the noise does.
func TestMeansOfNoRows(t *testing.T) {
	m, st := removed(t, ReplaceOne, 30, func(p Pipeline) Pipeline { return p.Select("age") })
	for i := range m.Empty {
		m.Empty[i] = true
	}
	for range 50 {
		e := drawnFrom(t, sums.Mean{Target: gaussianTarget}, m, st, noise.New())
		if v := e.Values[0]; !(v >= 17 && v <= 90) || math.IsNaN(e.Sigma[0]) {
			t.Fatalf("mean %v ± %v", v, e.Sigma[0])
		}
	}
}

// TestEmptyRowsSayNothing: whatever stands in the cells and the label of a removed row, every mechanism
// draws from the same numbers, at any place of the row.
func TestEmptyRowsSayNothing(t *testing.T) {
	ctx := context.Background()
	type draw func(m *rows.Matrix, st stage.Stage) []int64
	totals := func(plan func(stage.Stage) (*sums.ColumnSums, error)) draw {
		return func(m *rows.Matrix, st stage.Stage) []int64 {
			return must(must(plan(st)).Sums(ctx, rows.InProcess{In: m}))
		}
	}
	for name, f := range map[string]draw{
		"means": totals(sums.Mean{Target: laplaceTarget}.Calibrate),
		"sum":   totals(sums.Sum{Target: gaussianTarget}.Calibrate),
		"count": func(m *rows.Matrix, st stage.Stage) []int64 {
			return must(sums.Count{Target: gaussianTarget}.Counts(st)(ctx, rows.InProcess{In: m}))
		},
		"conditions": func(m *rows.Matrix, st stage.Stage) []int64 {
			c := sums.Count{Target: gaussianTarget, Where: []Condition{Between("age", 20, 60), Is("income", "low")}}
			return must(c.Counts(st)(ctx, rows.InProcess{In: m}))
		},
		"histogram": func(m *rows.Matrix, st stage.Stage) []int64 {
			return must(sums.Histogram{Column: "income", Target: gaussianTarget}.Counts(st, 2)(ctx, rows.InProcess{In: m}))
		},
		"quantile": func(m *rows.Matrix, st stage.Stage) []int64 {
			var out []int64
			for _, v := range must(must(sums.Quantile{Target: Target{Epsilon: 1}, Q: 0.3, Column: "age", Candidates: nil}.Calibrate(st)).Penalties(ctx, rows.InProcess{In: m})) {
				out = append(out, int64(v))
			}
			return out
		},
		"logistic": func(m *rows.Matrix, st stage.Stage) []int64 {
			pl := must(gradient.LogisticFit{ByGradient: ByGradient{Epsilon: 1, Delta: 1e-6}}.Calibrate(st))
			w := make([]float64, pl.D+1)
			for j := range w {
				w[j] = 0.1 * float64(j)
			}
			out := make([]int64, pl.D+1)
			partialSum(pl, out, must(designOf(ctx, m, pl.D)), w, 0, m.Rows())
			return out
		},
	} {
		t.Run(name, func(t *testing.T) {
			m, st := removed(t, ReplaceOne, 300, func(p Pipeline) Pipeline { return p.OneHot().Impute(Midpoint{}) })
			want := f(m, st)
			for i, gone := range m.Empty {
				if gone {
					for j := range m.Row(i) {
						m.Row(i)[j] = []float64{math.NaN(), 1e300, math.Inf(-1)}[(i+j)%3]
					}
					m.Y[i] = math.NaN()
				}
			}
			for i, j := 0, m.Rows()-1; i < j; i, j = i+1, j-1 {
				m.Empty[i], m.Empty[j] = m.Empty[j], m.Empty[i]
				m.Y[i], m.Y[j] = m.Y[j], m.Y[i]
				for k := range m.Cols {
					m.Row(i)[k], m.Row(j)[k] = m.Row(j)[k], m.Row(i)[k]
				}
			}
			if got := f(m, st); !slices.Equal(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}
