package glm

import (
	"math"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/noise"
	"github.com/dpkit-go/dpnb/internal/quad"
)

// TestGLMAudit trains every model by objective perturbation on worst-case neighbours, tells them apart by the released margins of the
// row that differs, and compares the μ that this certifies with the one that was charged, as TestObjectiveAudit does: rates are
// bounded by Chernoff's inequality, at 4e-12 for each of 140 bounds. What it has to certify at least is eight standard deviations
// below what it certifies in the mean (those of 20 runs are below 0.025 of the charged μ).
func TestGLMAudit(t *testing.T) {
	schema := func(label frames.Column) frames.Schema {
		return must(frames.NewSchema(frames.Numeric("a", -1, 1), label))
	}
	number, count := frames.NumericLabel("y", -1, 1), frames.NumericLabel("y", 0, 10)
	two, three := frames.Label("y", "no", "yes"), frames.Label("y", "a", "b", "c")
	const eps, delta = 8, 1e-3
	for _, c := range []struct {
		name  string
		label frames.Column
		task  func(in frames.Schema) ObjectiveTask
		row   float64   // label of the row that differs
		other float64   // of the row in its place, under replace-one
		signs []float64 // of the models' margins in the statistic
		rel   accountant.Neighbours
		least float64 // of the charged μ
	}{
		{"hinge", two, func(frames.Schema) ObjectiveTask {
			return HingeFit{ByObjective: ByObjective{Epsilon: eps, Delta: delta}}.task()
		}, 1, 0, []float64{1}, accountant.AddRemove, 0.12},
		{"sharp hinge", two, func(frames.Schema) ObjectiveTask {
			return HingeFit{HingeLoss{Width: 0.3}, ByObjective{Epsilon: eps, Delta: delta}}.task()
		}, 1, 0, []float64{1}, accountant.AddRemove, 0.45},
		{"sharp hinge, replace-one", two, func(frames.Schema) ObjectiveTask {
			return HingeFit{HingeLoss{Width: 0.3}, ByObjective{Epsilon: eps, Delta: delta}}.task()
		}, 1, 0, []float64{1}, accountant.ReplaceOne, 0.45},
		{"Huber", number, func(in frames.Schema) ObjectiveTask {
			return HuberFit{ByObjective: ByObjective{Epsilon: eps, Delta: delta}}.task(in)
		}, 1, -1, []float64{1}, accountant.AddRemove, 0.45},
		{"Huber, replace-one", number, func(in frames.Schema) ObjectiveTask {
			return HuberFit{ByObjective: ByObjective{Epsilon: eps, Delta: delta}}.task(in)
		}, 1, -1, []float64{1}, accountant.ReplaceOne, 0.45},
		{"Poisson", count, func(in frames.Schema) ObjectiveTask {
			return PoissonFit{PoissonLoss{Rate: 0.1}, ByObjective{Epsilon: eps, Delta: delta}}.task(in)
		}, 10, 0, []float64{1}, accountant.AddRemove, 0.45},
		{"three classes", three, func(in frames.Schema) ObjectiveTask {
			return MultinomialFit{ByObjective{Epsilon: eps, Delta: delta}}.task(in)
		}, 0, 1, []float64{1, -1, -1}, accountant.AddRemove, 0.05},
	} {
		t.Run(c.name, func(t *testing.T) {
			in := schema(c.label)
			side := func(labels ...float64) *rows.Matrix {
				m := &rows.Matrix{Domain: in, Cols: 1, Y: labels}
				for range labels {
					m.X = append(m.X, 1)
				}
				return m
			}
			with, without := side(c.row), side(c.row)
			if without.Remove(0); c.rel == accountant.ReplaceOne {
				without = side(c.other)
			}
			st := stage.Stage{In: in, Out: in}
			st.Before.N, st.Before.R, st.Before.F, st.Before.Neighbours = 1, 1, 1, c.rel
			task := c.task(in)
			pl := must(task.Calibrate(st))
			claimed := must(st.Spent.Mu(task.Budget()))
			rng := noise.New()
			draws := 2500
			if pl.Models > 1 {
				draws = 1600
			}
			statistic := func(w [][]float64) (s float64) {
				for k, w := range w {
					s += c.signs[k] * (w[0] + pl.C*w[1])
				}
				return s
			}
			released := func(table *rows.Matrix) []float64 {
				draw := must(pl.Reader(task.Losses)(t.Context(), rows.InProcess{In: table}))
				s := make([]float64, draws)
				for i := range s {
					w, err := draw(t.Context(), rng)
					if err != nil {
						t.Fatal(err)
					}
					s[i] = statistic(w)
				}
				return s
			}
			a, b := released(with), released(without)
			scale := pl.Sigma * pl.C2 / pl.Lambda * math.Sqrt(float64(pl.Models))
			best := 0.0
			for k := range 10 {
				threshold := scale * float64(k-4) / 3
				share := func(m []float64) float64 {
					n := 0
					for _, v := range m {
						if v > threshold {
							n++
						}
					}
					return float64(n) / float64(draws)
				}
				best = max(best, quad.NormalQuantile(rateBound(share(a), draws, false))-quad.NormalQuantile(rateBound(share(b), draws, true)))
			}
			t.Logf("certifies μ %.3f of the charged %.3f", best, claimed)
			if !(best <= claimed) {
				t.Errorf("the releases differ by μ ≥ %v, charged %v", best, claimed)
			}
			if best < c.least*claimed {
				t.Errorf("the audit certifies μ = %v of %v only: it has lost its teeth", best, claimed)
			}
		})
	}
}
