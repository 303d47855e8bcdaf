package dpkit

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// removed marks every third row of a transformed frame as removed.
func removed(t *testing.T, rel accountant.Neighbours, n int, build func(Pipeline) Pipeline) (*matrix, Stage) {
	t.Helper()
	p := build(must(Demo(tinyFrame(t, n, 5), 1, rel)).Data())
	stages, st, err := p.trace()
	if err != nil {
		t.Fatal(err)
	}
	out := must(quote{stages: stages, end: st}.apply(context.Background(), p.s.src, nil))
	m := must(materialise(context.Background(), out.rows, st.In, func(dst, src []float64) { copy(dst, src) }))
	m.empty = make([]bool, n)
	for i := range m.empty {
		m.empty[i] = i%3 == 0
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
			for name, mech := range map[string]mechanism[Estimates]{"means": means{target}, "sum": sum{target}, "count": count{Target: target}, "histogram": histogram{"income", target}} {
				t.Run(name+"/"+rel.String()+"/"+string(target.Noise), func(t *testing.T) {
					got := drawnFrom(t, mech, m, st, noise.New())
					exact := must(mech.Exact(ctx, inProcess{m}, st))
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
		with, _ := must(means{target}.plan(st)).sensitivity()
		st.Empty = false
		without, _ := must(means{target}.plan(st)).sensitivity()
		if !(with <= without*(1+1e-9)) {
			t.Errorf("%v: sensitivity %v with the count, %v without", target, with, without)
		}
	}
}

// TestMeansOfNoRows: the ratio stays in the column's bounds whatever the noise does.
func TestMeansOfNoRows(t *testing.T) {
	m, st := removed(t, ReplaceOne, 30, func(p Pipeline) Pipeline { return p.Select("age") })
	for i := range m.empty {
		m.empty[i] = true
	}
	for range 50 {
		e := drawnFrom(t, means{gaussianTarget}, m, st, noise.New())
		if v := e.Values[0]; !(v >= 17 && v <= 90) || math.IsNaN(e.Sigma[0]) {
			t.Fatalf("mean %v ± %v", v, e.Sigma[0])
		}
	}
}

// TestEmptyRowsSayNothing: whatever stands in the cells and the label of a removed row, every mechanism
// draws from the same numbers, at any place of the row.
func TestEmptyRowsSayNothing(t *testing.T) {
	ctx := context.Background()
	type draw func(m *matrix, st Stage) []int64
	sums := func(plan func(Stage) (*columnSums, error)) draw {
		return func(m *matrix, st Stage) []int64 { return must(must(plan(st)).sums(ctx, inProcess{m})) }
	}
	for name, f := range map[string]draw{
		"means": sums(means{laplaceTarget}.plan),
		"sum":   sums(sum{gaussianTarget}.plan),
		"count": func(m *matrix, st Stage) []int64 {
			return must(count{Target: gaussianTarget}.counts(st)(ctx, inProcess{m}))
		},
		"conditions": func(m *matrix, st Stage) []int64 {
			c := count{gaussianTarget, []Condition{Between("age", 20, 60), Is("income", "low")}}
			return must(c.counts(st)(ctx, inProcess{m}))
		},
		"histogram": func(m *matrix, st Stage) []int64 {
			return must(histogram{"income", gaussianTarget}.counts(st, 2)(ctx, inProcess{m}))
		},
		"quantile": func(m *matrix, st Stage) []int64 {
			var out []int64
			for _, v := range must(must(quantile{Target{Epsilon: 1}, 0.3, "age", nil}.plan(st)).penalties(ctx, inProcess{m})) {
				out = append(out, int64(v))
			}
			return out
		},
		"logistic": func(m *matrix, st Stage) []int64 {
			pl := must(logistic{Logistic{Epsilon: 1, Delta: 1e-6}}.plan(st))
			w := make([]float64, pl.d+1)
			for j := range w {
				w[j] = 0.1 * float64(j)
			}
			out := make([]int64, pl.d+1)
			partialSum(pl, out, must(designOf(ctx, m, pl.d)), w, 0, m.Rows())
			return out
		},
	} {
		t.Run(name, func(t *testing.T) {
			m, st := removed(t, ReplaceOne, 300, func(p Pipeline) Pipeline { return p.OneHot().Impute(Midpoint{}) })
			want := f(m, st)
			for i, gone := range m.empty {
				if gone {
					for j := range m.row(i) {
						m.row(i)[j] = []float64{math.NaN(), 1e300, math.Inf(-1)}[(i+j)%3]
					}
					m.y[i] = math.NaN()
				}
			}
			for i, j := 0, m.Rows()-1; i < j; i, j = i+1, j-1 {
				m.empty[i], m.empty[j] = m.empty[j], m.empty[i]
				m.y[i], m.y[j] = m.y[j], m.y[i]
				for k := range m.cols {
					m.row(i)[k], m.row(j)[k] = m.row(j)[k], m.row(i)[k]
				}
			}
			if got := f(m, st); !slices.Equal(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}
