package linear

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"slices"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/dpkit/baseline"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/notebooks/studies/lab"
	"github.com/dpkit-go/dpnb/notebooks/studies/mixing"
)

// Run measures. It needs the files below DPNB_DATA: without the variable the error wraps [fs.ErrNotExist]. Each
// finished set is told to progress, which may be nil.
func Run(ctx context.Context, s Settings, progress func(string)) (Results, error) {
	if os.Getenv("DPNB_DATA") == "" {
		return Results{}, fmt.Errorf("linear study: DPNB_DATA is not set, want the folder of the real data sets: %w", fs.ErrNotExist)
	}
	out := Results{Settings: s}
	for _, name := range s.Sets {
		if !slices.ContainsFunc(sources, func(src source) bool { return src.name == name }) {
			return out, fmt.Errorf("linear study: no set %q", name)
		}
	}
	for _, src := range sources {
		if len(s.Sets) > 0 && !slices.Contains(s.Sets, src.name) {
			continue
		}
		set, err := src.run(ctx, s)
		if err != nil {
			return out, fmt.Errorf("linear study: %s: %w", src.name, err)
		}
		out.Sets = append(out.Sets, set)
		if progress != nil {
			progress(src.name)
		}
	}
	return out, nil
}

// task is a set that was read and parted.
type task struct {
	source
	Settings
	set         Set
	train       *frames.Frame
	rows, tests design
}

func (src source) run(ctx context.Context, s Settings) (Set, error) {
	t := task{source: src, Settings: s, set: Set{Name: src.name, File: src.file, Task: "linear", Delta: src.delta}}
	var err error
	if t.set.SHA256, err = lab.Digest(src.file); err != nil {
		return t.set, err
	}
	f, _, err := src.load()
	if err != nil {
		return t.set, err
	}
	train, test, err := frames.Split(f, 0.8, 1)
	if err != nil {
		return t.set, err
	}
	t.train, t.set.Train, t.set.Test = train, train.Rows(), test.Rows()
	if t.set.Delta == 0 {
		t.set.Delta = 1 / math.Pow(float64(train.Rows()), 2)
	}
	public, err := dpkit.OnPublic(frames.Public(train))
	if err != nil {
		return t.set, err
	}
	var reads dpkit.LinearModel // its maps lead from rows to columns
	var exact dpkit.LogisticModel
	if src.logistic {
		t.set.Task = "logistic"
		r, err := src.chain(public.Data()).FitLogistic(dpkit.ByObjective{}).Release(ctx)
		if err != nil {
			return t.set, err
		}
		exact = r.Value
		reads.Columns, reads.Reader = exact.Columns, exact.Reader
	} else {
		r, err := src.chain(public.Data()).FitLinear(dpkit.BestLinear{}).Release(ctx)
		if err != nil {
			return t.set, err
		}
		reads = r.Value
	}
	t.set.Columns = len(reads.Columns)
	if t.tests, err = designOf(ctx, reads, frames.Public(test)); err != nil {
		return t.set, err
	}
	if src.logistic {
		return t.classify(ctx, exact)
	}
	if t.rows, err = designOf(ctx, reads, frames.Public(train)); err != nil {
		return t.set, err
	}
	return t.regress(ctx)
}

func (t *task) demo() (dpkit.Pipeline, error) {
	s, err := dpkit.Demo(t.train, t.Seed, dpkit.AddRemove)
	if err != nil {
		return dpkit.Pipeline{}, err
	}
	return t.chain(s.Data()), nil
}

// regress measures linear regression.
func (t *task) regress(ctx context.Context) (Set, error) {
	label, _ := t.train.Schema().Label()
	m := momentsOf(t.rows, label.Lo, label.Hi)
	mean := 0.0
	for _, y := range t.rows.y {
		mean += y / float64(t.rows.n)
	}
	t.set.Spread = t.tests.squaredError(make([]float64, t.tests.d), mean, label.Lo, label.Hi)
	w, err := m.NotPrivate()
	if err != nil {
		return t.set, err
	}
	coef, intercept := m.model(w)
	t.set.Cells = append(t.set.Cells, Cell{Method: NotPrivate, Releases: 1, Mean: t.tests.squaredError(coef, intercept, label.Lo, label.Hi)})

	chain, err := t.demo()
	if err != nil {
		return t.set, err
	}
	paperRows := max(5*m.Columns/2, m.Columns+2)
	for _, eps := range t.Linear {
		chosen, err := chain.FitLinear(dpkit.BestLinear{Epsilon: eps, Delta: t.set.Delta}).Replicate(ctx, 1)
		if err != nil {
			return t.set, err
		}
		best := Cell{Method: Best, Epsilon: eps}
		for _, way := range []struct {
			method string
			fits   string // as models tell it
			how    dpkit.LinearMethod
		}{
			// The coefficients have the same law without the sketch behind them, and are drawn faster.
			{Mixing, "mixing", dpkit.LinearMixing{Epsilon: eps, Delta: t.set.Delta, CoefficientsOnly: true}},
			{MixingPaperRows, "", dpkit.LinearMixing{Epsilon: eps, Delta: t.set.Delta, CoefficientsOnly: true, Rows: paperRows}},
			{AdaSSP, "", dpkit.AdaSSP{Epsilon: eps, Delta: t.set.Delta}},
			{OutputNoise, "output perturbation", dpkit.OutputPerturbation{Epsilon: eps, Delta: t.set.Delta}},
		} {
			pick := way.fits == chosen[0].Method
			if way.method == OutputNoise && !pick {
				continue
			}
			models, err := chain.FitLinear(way.how).Replicate(ctx, t.Releases)
			if errors.Is(err, dpkit.ErrParameter) && (way.method == Mixing || way.method == MixingPaperRows) {
				t.set.Refused = append(t.set.Refused, Refusal{way.method, eps})
				continue
			}
			if err != nil {
				return t.set, err
			}
			c := summarise(way.method, eps, t.errors(models))
			if pick { // the default is the chosen method: the same releases
				best = c
				best.Method, best.Chosen = Best, way.method
			}
			t.set.Cells = append(t.set.Cells, c)
		}
		if best.Releases == 0 { // a mean, or AdaSSP with a ridge that shrinks to the mean: none of the methods above
			models, err := chain.FitLinear(dpkit.BestLinear{Epsilon: eps, Delta: t.set.Delta}).Replicate(ctx, t.Releases)
			if err != nil {
				return t.set, err
			}
			best = summarise(Best, eps, t.errors(models))
			if best.Chosen = chosen[0].Method; best.Chosen == "adassp" {
				best.Chosen = AdaSSP
			}
		}
		t.set.Cells = append(t.set.Cells, best)

		mix, err := mixing.CalibrateLinearMixing(eps, t.set.Delta, paperRows)
		if err != nil {
			return t.set, err
		}
		for _, way := range []struct {
			method string
			draw   func(*rand.Rand) ([]float64, error)
		}{{PrintedMixing, mix.On(m.Moments)}, {PrintedAdaSSP, mixing.CalibrateAdaSSP(eps, t.set.Delta, 0.05).On(m.Moments)}} {
			values := make([]float64, t.Releases)
			for i := range values {
				w, err := way.draw(rand.New(rand.NewPCG(t.Seed+uint64(i), 0)))
				if err != nil {
					return t.set, err
				}
				coef, intercept := m.model(w)
				values[i] = t.tests.squaredError(coef, intercept, label.Lo, label.Hi)
			}
			t.set.Cells = append(t.set.Cells, summarise(way.method, eps, values))
		}
	}
	return t.set, nil
}

// errors are those of models on the test rows.
func (t *task) errors(models []dpkit.LinearModel) []float64 {
	values := make([]float64, len(models))
	for i, v := range models {
		values[i] = t.tests.squaredError(v.Coef, v.Intercept, v.Lo, v.Hi)
	}
	return values
}

// classify measures logistic regression.
func (t *task) classify(ctx context.Context, exact dpkit.LogisticModel) (Set, error) {
	ones := 0.0
	for _, y := range t.tests.y {
		ones += y / float64(t.tests.n)
	}
	t.set.Spread = max(ones, 1-ones)
	t.set.Cells = append(t.set.Cells, Cell{Method: NotPrivate, Releases: 1, Mean: t.tests.accuracy(exact.Coef, exact.Intercept)})
	chain, err := t.demo()
	if err != nil {
		return t.set, err
	}
	releases := t.LogisticReleases
	if t.large {
		releases = min(releases, t.Large)
	}
	for _, eps := range t.Logistic {
		for _, way := range []struct {
			method string
			plan   dpkit.Plan[dpkit.LogisticModel]
		}{
			{ObjectiveAlone, chain.FitLogistic(dpkit.ByObjective{Epsilon: eps, Delta: t.set.Delta, Alone: true})},
			{LogisticMixing, chain.FitLogistic(dpkit.ByMixing{Epsilon: eps, Delta: t.set.Delta})},
			{PrintedKifer, chain.FitLogistic(baseline.Kifer2012{Epsilon: eps, Delta: t.set.Delta})},
			{Descent, chain.FitLogistic(dpkit.ByGradient{Epsilon: eps, Delta: t.set.Delta})},
		} {
			models, err := way.plan.Replicate(ctx, releases)
			if err != nil {
				return t.set, fmt.Errorf("%s at ε = %g: %w", way.method, eps, err)
			}
			values := make([]float64, len(models))
			for i, v := range models {
				values[i] = t.tests.accuracy(v.Coef, v.Intercept)
			}
			t.set.Cells = append(t.set.Cells, summarise(way.method, eps, values))
		}
	}
	return t.set, nil
}
