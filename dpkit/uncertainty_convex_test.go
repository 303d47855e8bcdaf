package dpkit

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/gradient"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/frames/datasets"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// hostileClasses are rows that are hard on a classifier: columns that are constant, equal, at the ends, and one that tells the classes apart.
func hostileClasses(t testing.TB, n int) *frames.Frame {
	t.Helper()
	s := must(frames.NewSchema(frames.Numeric("constant", -1, 1), frames.Numeric("copy", -1, 1), frames.Numeric("copied", -1, 1),
		frames.Numeric("ends", -1, 1), frames.Numeric("tells", -1, 1), frames.Label("label", "no", "yes")))
	rng := noise.NewDemo(5)
	text := "constant,copy,copied,ends,tells,label\n"
	for range n {
		c := float64(rng.Uint64n(5))/4*2 - 1
		end, k := float64(rng.Uint64n(2))*2-1, rng.Uint64n(2)
		text += fmt.Sprintf("1,%g,%g,%g,%d,%s\n", c, c, end, 2*int(k)-1, []string{"no", "yes"}[k])
	}
	return must(frames.ParseCSV(strings.NewReader(text), "hostile", s, frames.CSVOptions{Header: true}))
}

// first are the first rows of a frame of a data set, in random order.
func first(t testing.TB, load func() (*frames.Frame, string, error), n int) *frames.Frame {
	t.Helper()
	f, _, err := load()
	if err != nil {
		t.Fatal(err)
	}
	if f.Rows() <= n {
		return f
	}
	_, some, err := frames.Split(f, 1-float64(n)/float64(f.Rows()), 1)
	if err != nil {
		t.Fatal(err)
	}
	return some
}

// classSets are real and hostile rows with a label of two classes.
func classSets(t testing.TB, n int) map[string]*frames.Frame {
	out := map[string]*frames.Frame{"hostile": hostileClasses(t, n), "tiny": tinyFrame(t, 200, 5)}
	if os.Getenv("DPNB_DATA") != "" {
		out["adult"], out["credit"] = first(t, datasets.Adult, n), first(t, datasets.Credit, n)
	}
	return out
}

// filledChain is the chain of a fit on any of the sets.
func filledChain(s *Session) Pipeline {
	p, missing := s.Data(), false
	for _, c := range s.schema.Features() {
		missing = missing || c.Missing
	}
	if hasCategories(s.schema) {
		p = p.OneHot()
	}
	if missing {
		p = p.Impute(Midpoint{})
	}
	return p.Scale()
}

func hasCategories(s frames.Schema) bool {
	for _, c := range s.Features() {
		if c.Kind == frames.KindCategory {
			return true
		}
	}
	return false
}

// heldReleases is how many releases of cheap fits are counted.
func heldReleases() int {
	if nightly() {
		return heldRuns
	}
	return 100
}

// objectiveRuns is how many releases of one kind are counted: few where each takes long.
func objectiveRuns() int {
	if nightly() {
		return heldRuns
	}
	return 20
}

// TestObjectiveUncertainty: intervals of fits by objective perturbation hold the minimiser with the same ridge without noise, which is what a
// session on public rows fits.
func TestObjectiveUncertainty(t *testing.T) {
	t.Parallel()
	o := ByObjective{Epsilon: 1, Delta: 1e-6, Lambda: 60}
	loose := ByObjective{Epsilon: 8, Delta: 1e-6, Lambda: 60, Alone: true}
	numbers := map[string]*frames.Frame{"hostile": hostileNumbers(t, 500)}
	if os.Getenv("DPNB_DATA") != "" {
		numbers["housing"], numbers["bike"] = first(t, datasets.Housing, 400), first(t, datasets.BikeHour, 400)
	}
	for name, f := range classSets(t, 400) {
		coverObjective(t, name+", logistic", f, func(p Pipeline) *plan { return p.FitLogistic(o).plan() })
		coverObjective(t, name+", logistic alone", f, func(p Pipeline) *plan { return p.FitLogistic(loose).plan() })
		coverObjective(t, name+", hinge", f, func(p Pipeline) *plan { return p.FitHinge(HingeLoss{}, o).plan() })
		coverObjective(t, name+", one against the rest", f, func(p Pipeline) *plan { return p.FitMultinomial(o).plan() })
	}
	for name, f := range numbers {
		coverObjective(t, name+", huber", f, func(p Pipeline) *plan { return p.FitHuber(HuberLoss{}, o).plan() })
		coverObjective(t, name+", poisson", f, func(p Pipeline) *plan { return p.FitPoisson(PoissonLoss{}, o).plan() })
	}
}

func coverObjective(t *testing.T, name string, f *frames.Frame, end func(Pipeline) *plan) {
	t.Run(name, func(t *testing.T) {
		exact := must(end(filledChain(must(OnPublic(frames.Public(f))))).release(t.Context()))
		truth := coefficientsOf(t, exact.Value)
		var h heldTally
		for seed := range objectiveRuns() {
			r := must(end(filledChain(must(Demo(f, uint64(seed), AddRemove)))).release(t.Context()))
			h.add(t, must(modelOf(r.Value).Uncertainty(0.95)), truth)
		}
		h.check(t, objectiveRuns())
	})
}

// coefficientsOf are those of a model of public rows, which are as its intervals say.
func coefficientsOf(t *testing.T, v any) (out []float64) {
	t.Helper()
	u := must(modelOf(v).Uncertainty(0.95))
	for _, i := range u.Intervals {
		if i.Lo != i.Hi {
			t.Fatalf("coefficients of public rows have intervals: %+v", i)
		}
		out = append(out, i.Lo)
	}
	if len(out) == 0 {
		t.Fatalf("nothing is known of public rows: %+v", u)
	}
	return out
}

// TestStepsUncertainty: intervals of gradient descent without momentum hold what the same steps give without noise, for each loss, rule of
// steps and average; with draws of rows, on the same draws.
func TestStepsUncertainty(t *testing.T) {
	t.Parallel()
	by := ByGradient{Epsilon: 2, Delta: 1e-6, Steps: 8, StepSize: 1.2}
	last := by
	last.Average, last.Rule = AverageLast, StepInverseSqrt
	sampled := by
	sampled.Solver, sampled.Average = PoissonSampling{Rate: 0.25}, AverageLast
	batches := by
	batches.Solver = WithoutReplacement{Batch: 50}
	for name, f := range classSets(t, 400) {
		uncertaintyOfSteps(t, name+", log loss", f, AddRemove, LogLoss{}, by)
		uncertaintyOfSteps(t, name+", hinge, last", f, AddRemove, SquaredHingeLoss{}, last)
		uncertaintyOfSteps(t, name+", sampled", f, AddRemove, LogLoss{}, sampled)
		uncertaintyOfSteps(t, name+", batches", f, ReplaceOne, LogLoss{}, batches)
	}
	uncertaintyOfSteps(t, "hostile, squared", hostileNumbers(t, 400), AddRemove, SquaredLoss{}, by)
	uncertaintyOfSteps(t, "hostile, huber", hostileNumbers(t, 400), AddRemove, HuberLoss{}, last)
}

func uncertaintyOfSteps(t *testing.T, name string, f *frames.Frame, rel accountant.Neighbours, loss Loss, by ByGradient) {
	t.Run(name, func(t *testing.T) {
		s := must(Demo(f, 1, rel))
		stages, st, err := filledChain(s).trace()
		if err != nil {
			t.Fatal(err)
		}
		table := must(quote{stages: stages, end: st}.apply(t.Context(), f, nil))
		in := rows.InProcess{In: table.rows}
		fit := must(gradient.GradientFit{Loss: loss, ByGradient: by}.Calibrate(st))
		var h heldTally
		for seed := range heldReleases() {
			w := must(fit.Descend(t.Context(), in, noise.NewDemo(uint64(seed))))
			model := fit.Model(st, w)
			exact := fit.Model(st, withoutNoise(t, fit.Descent, in, noise.NewDemo(uint64(seed))))
			var truth []float64
			for k := range exact.Coef {
				truth = append(append(truth, exact.Coef[k]...), exact.Intercept[k])
			}
			h.add(t, must(model.Uncertainty(0.95)), truth)
		}
		if h.none > 0 {
			t.Errorf("%d releases have no intervals: %s", h.none, h.reason)
		}
		h.check(t, heldReleases())
	})
}

// withoutNoise makes the steps of a descent on the same draws of rows, and adds nothing.
func withoutNoise(t *testing.T, pl *gradient.Descent, in rows.Driver, rng *noise.Source) []float64 {
	t.Helper()
	n := in.Rows()
	w, mean := make([]float64, pl.Coordinates), make([]float64, pl.Coordinates)
	batch := float64(n)
	var drawn rows.RowSet
	switch pl.Sampling.Kind {
	case accountant.Poisson:
		batch, drawn = pl.Sampling.Rate*float64(n), rows.NewRowSet(n)
	case accountant.WithoutReplacement:
		batch, drawn = float64(pl.Sampling.Batch), rows.NewRowSet(n)
	}
	averaged := 0.0
	for step := range pl.Draws {
		if drawn != nil {
			drawn.Draw(rng, pl.Sampling, n)
		}
		sums := make([]int64, pl.Coordinates)
		must(0, pl.GradientSum(t.Context(), sums, in, w, drawn, gradient.RowSquares{}))
		noise.AddGaussian(rng, make([]int64, pl.Coordinates), pl.GridSD)
		for j, v := range sums {
			w[j] -= pl.StepAt(step) / batch * pl.Grid.Value(v)
		}
		pl.Project(w)
		if pl.Takes(step) {
			averaged++
			for j := range w {
				mean[j] += (w[j] - mean[j]) / averaged
			}
		}
	}
	return mean
}

// TestPassUncertainty: intervals of a pass over the rows hold what the pass to the same row gives without noise.
func TestPassUncertainty(t *testing.T) {
	t.Parallel()
	for name, f := range classSets(t, 200) {
		t.Run(name, func(t *testing.T) {
			s := must(Demo(f, 1, ReplaceOne))
			stages, st, err := filledChain(s).trace()
			if err != nil {
				t.Fatal(err)
			}
			table := must(quote{stages: stages, end: st}.apply(t.Context(), f, nil))
			fit := must(gradient.GradientFit{Loss: LogLoss{}, ByGradient: ByGradient{Solver: ByIteration{}, Epsilon: 4, Delta: 1e-4}}.Calibrate(st))
			var x [][]float64
			var y []float64
			must(0, stage.ScanRows(t.Context(), table.rows, func(row []float64, label float64) {
				x, y = append(x, append(append([]float64{}, row...), fit.C)), append(y, label)
			}))
			var h heldTally
			for seed := range heldReleases() {
				w := must(fit.Iterate(t.Context(), rows.InProcess{In: table.rows}, noise.NewDemo(uint64(seed))))
				stop := noise.NewDemo(uint64(seed)).Uint64n(uint64(len(x)))
				exact := make([]float64, len(w))
				for i := range stop + 1 {
					var margin, square float64
					for j, v := range x[i] {
						margin, square = margin+v*exact[j], square+v*v
					}
					sign := 1 - 2*y[i]
					slope := sign * models.Sigmoid(sign*margin)
					slope *= min(1, fit.Clip/(math.Abs(slope)*math.Sqrt(square)))
					for j, v := range x[i] {
						exact[j] -= fit.Eta * slope * v
					}
					fit.Project(exact)
				}
				truth := fit.Model(st, exact)
				h.add(t, must(modelOf(fit.Model(st, w)).Uncertainty(0.95)), append(truth.Coef[0], truth.Intercept[0]))
			}
			if h.none > 0 {
				t.Errorf("%d passes have no intervals: %s", h.none, h.reason)
			}
			h.check(t, heldReleases())
		})
	}
}
