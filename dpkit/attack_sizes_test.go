package dpkit

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/linear"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/sums"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// The attacks here are on sizes: columns at the ends of the legal range beside each other, and cells that are structured to
// under- or overflow, to cancel or to tie.

// hostileCell draws a value of the column: an end, an ulp or a subnormal from one, 0, tiny numbers, the middle, anything.
func hostileCell(r *rand.Rand, c frames.Column) float64 {
	if c.Missing && r.IntN(3) == 0 {
		return math.NaN()
	}
	if len(c.Levels) > 0 {
		return float64(r.IntN(len(c.Levels)))
	}
	tiny := []float64{5e-324, 1e-310, 1e-200, 1e-162, 1e-123, 1e-90, 1e-62, 1e-30, 1e-8}[r.IntN(9)]
	var v float64
	switch r.IntN(9) {
	case 0, 1:
		v = c.Lo
	case 2, 3:
		v = c.Hi
	case 4:
		v = math.Nextafter(c.Lo, math.Inf(1))
	case 5:
		v = math.Nextafter(c.Hi, math.Inf(-1))
	case 6:
		v = tiny * float64(1-2*r.IntN(2))
	case 7:
		v = c.Lo + tiny
	default:
		v = c.Lo + (c.Hi-c.Lo)*[]float64{0, 0.5, 1. / 3, r.Float64()}[r.IntN(4)]
	}
	return num.Clamp(v, c.Lo, c.Hi)
}

func hostileRow(s frames.Schema) func(*rand.Rand) []float64 {
	cols := s.Features()
	if l, ok := s.Label(); ok {
		cols = append(cols, l)
	}
	return func(r *rand.Rand) []float64 {
		row := make([]float64, len(cols))
		for j, c := range cols {
			row[j] = hostileCell(r, c)
		}
		return row
	}
}

// sizedSteps are steps without a size of their own; those for holes impute.
func sizedSteps() map[string]struct {
	step  stage.Preprocessor
	holes bool
} {
	type one = struct {
		step  stage.Preprocessor
		holes bool
	}
	return map[string]one{
		"means":             {steps.MeanImpute{}, true},
		"means, low floor":  {steps.MeanImpute{Mean: Mean{Pad: 1}}, true},
		"trimmed means":     {steps.TrimmedImpute{TrimmedMean: TrimmedMean{Trim: 0.25, Pad: 1}}, true},
		"medians":           {steps.MedianImpute{}, true},
		"regressions":       {steps.RidgeImpute{Ridge: Ridge{Lambda: 1e-6, Pad: 1}}, true},
		"regressions, firm": {steps.RidgeImpute{Ridge: Ridge{Lambda: 1}}, true},
		"scaled":            {steps.Scale{}, false},
		"centred":           {steps.Centering{}, false},
		"standardised":      {steps.Standardize{How: Standard{Floor: 0.2, Gain: 0.1}, Columns: nil}, false},
		"standardised, low": {steps.Standardize{How: Standard{Floor: 1e-9}, Columns: nil}, false},
		"rms":               {steps.Standardize{How: RMS{Floor: 0.3, Gain: 0.1}, Columns: nil}, false},
		"selected":          {steps.SoftSelection{SoftSelect: SoftSelect{Lambda: 0.05}}, false},
		"selected, low":     {steps.SoftSelection{SoftSelect: SoftSelect{Lambda: 1e-18}}, false},
		"winsorised":        {steps.SmoothWinsor{SmoothedQuantile: SmoothedQuantile{Q: 0.25, Window: 0.4}, Columns: steps.ColumnSet{"x"}}, false},
		"ranks":             {steps.RankTransform{Columns: []string{"x"}}, false},
		"bins":              {steps.QuantileBin{Bins: 3, Columns: []string{"x"}}, false},
	}
}

// TestAttackSizes climbs towards pairs of datasets that break a step's bounds, or the sensitivity of what is released behind it.
func TestAttackSizes(t *testing.T) {
	t.Parallel()
	mixes, steps := mixedColumns(), sizedSteps()
	r := rand.New(rand.NewPCG(60, 60))
	reached := map[string]float64{}
	for _, mix := range slices.Sorted(maps.Keys(mixes)) {
		if strings.Contains(mix, "category") {
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(steps)) {
			s := steps[name]
			t.Run(mix+"/"+name, func(t *testing.T) {
				cols := append(slices.Clone(mixes[mix]), frames.NumericLabel("y", frames.MinWidth, frames.MaxBound))
				for j := range cols {
					cols[j].Missing = cols[j].Missing && s.holes
				}
				schema := must(frames.NewSchema(cols...))
				u := stepUnderAttack{step: s.step, schema: schema, row: hostileRow(schema), empty: r.IntN(3) == 0}
				if _, err := u.step.Check(schema); err != nil {
					return // it would widen the largest column, or there is nothing to regress on
				}
				for _, n := range []int{2, 7} {
					for goal := range 2 {
						rows := u.start(r, n)
						best := 0.0
						for range 40 {
							next := u.mutate(r, rows)
							bounds := u.ratios(t, next)
							released := u.released(t, next)
							worst := slices.Max(bounds[:])
							if !(worst <= 1) {
								t.Fatalf("bound broken: %v by %v", bounds, next)
							}
							for what, v := range released {
								reached[what] = max(reached[what], v)
								if !(v <= 1) {
									t.Fatalf("%s moves by %v of its sensitivity, by %v", what, v, next)
								}
								if goal == 1 {
									worst = max(worst, v)
								}
							}
							reached[name] = max(reached[name], bounds[0], bounds[1], bounds[2])
							if worst >= best {
								rows, best = next, worst
							}
						}
					}
				}
			})
		}
	}
	for _, what := range slices.Sorted(maps.Keys(reached)) {
		t.Logf("%s: worst observed/bound %.4f", what, reached[what])
		if reached[what] < 0.1 && !strings.Contains(what, "low") && what != "scaled" { // a public map displaces nothing
			t.Errorf("%s: the attacks reach %.3f of the bound: they have lost their teeth", what, reached[what])
		}
	}
}

// released returns how far statistics move that are released behind the step, in units of their sensitivities.
func (s stepUnderAttack) released(t *testing.T, table []attackedRow) map[string]float64 {
	t.Helper()
	st := s.stage(t, table)
	pr, err := s.step.Propagate(st)
	if err != nil {
		t.Fatal(err)
	}
	end := stageBehind(s.step, st, pr)
	end.Before.Neighbours = accountant.ReplaceOne
	x, y := s.fitted(t, st, table, 0), s.fitted(t, st, table, 1)
	out := map[string]float64{}
	for law, target := range map[Noise]Target{NoiseGaussian: {Epsilon: 1, Delta: 1e-6}, NoiseLaplace: {Epsilon: 1, Noise: NoiseLaplace}} {
		for name, plan := range map[string]func(stage.Stage) (*sums.ColumnSums, error){"means": sums.Mean{Target: target}.Calibrate, "sums": sums.Sum{Target: target}.Calibrate} {
			c, err := plan(end)
			if err != nil {
				t.Fatal(err)
			}
			total, _ := c.Sensitivity()
			out[fmt.Sprintf("%s, %s", name, law)] = latticeDistance(must(c.Sums(t.Context(), rows.InProcess{In: x})), must(c.Sums(t.Context(), rows.InProcess{In: y})), law) * (c.Lattice().Step() / total)
		}
	}
	g, err := linear.GramRelease{Target: Target{Epsilon: 1, Delta: 1e-6}}.Calibrate(end)
	if err != nil {
		t.Fatal(err)
	}
	out["Gram"] = apart(must(g.NormalEquations(t.Context(), rows.InProcess{In: x})).Leading(g.D), must(g.NormalEquations(t.Context(), rows.InProcess{In: y})).Leading(g.D)) / g.Sensitivity
	f, err := linear.LeastSquares{Settings: linear.Settings{Epsilon: 1, Delta: 1e-6, LabelScale: 1, Method: models.AdaSSP}}.Prepare(end)
	if err != nil {
		t.Fatal(err)
	}
	a := f.(*linear.AdaSSPFit)
	out["AdaSSP"] = apart(a.Statistic(must(a.NormalEquations(t.Context(), rows.InProcess{In: x}))), a.Statistic(must(a.NormalEquations(t.Context(), rows.InProcess{In: y})))) / a.Sensitivity
	pl, err := convexFit(convexOptions{Epsilon: 1, Delta: 1e-6, Steps: 1}.apart()).Calibrate(end)
	if err != nil {
		t.Fatal(err)
	}
	w := make([]float64, pl.Coordinates)
	for j := range w {
		w[j] = pl.W * float64(1-2*(j%2))
	}
	pl.Project(w)
	sums := [2][]int64{make([]int64, pl.Coordinates), make([]int64, pl.Coordinates)}
	for k, m := range []*rows.Matrix{x, y} {
		if err := sumOf(t.Context(), pl.Descent, sums[k], must(designOf(t.Context(), m, pl.D)), w, nil); err != nil {
			t.Fatal(err)
		}
	}
	out["gradient"] = latticeDistance(sums[0], sums[1], NoiseGaussian) * (pl.Grid.Step() / pl.S)
	return out
}

func apart(x, y []float64) (d float64) {
	for j := range x {
		d = math.Hypot(d, x[j]-y[j])
	}
	return d
}
