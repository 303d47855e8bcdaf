package mixing

import (
	"context"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/notebooks/studies/lab"
)

// Run measures. Real sets need the files below DPNB_DATA: without the variable the error wraps [fs.ErrNotExist]. Each finished set
// is told to progress, which may be nil.
func Run(ctx context.Context, s Settings, progress func(string)) (Results, error) {
	out := Results{Settings: s}
	for _, name := range s.Sets {
		if !slices.ContainsFunc(sources, func(src source) bool { return src.name == name }) {
			return out, fmt.Errorf("mixing: no set %q", name)
		}
	}
	for _, src := range sources {
		if len(s.Sets) > 0 && !slices.Contains(s.Sets, src.name) {
			continue
		}
		if src.file != "" && os.Getenv("DPNB_DATA") == "" {
			return out, fmt.Errorf("mixing: %s: DPNB_DATA is not set, want the folder of the real data sets: %w", src.name, fs.ErrNotExist)
		}
		set, err := src.run(ctx, s)
		if err != nil {
			return out, fmt.Errorf("mixing: %s: %w", src.name, err)
		}
		out.Sets = append(out.Sets, set)
		if progress != nil {
			progress(src.name)
		}
	}
	return out, nil
}

// task is a set that was read and normalised.
type task struct {
	source
	Settings
	set         Set
	train, test table
	moments     *Moments
	releases    int
}

func (src source) run(ctx context.Context, s Settings) (Set, error) {
	t := task{source: src, Settings: s, set: Set{Name: src.name, Figure: src.figure, File: src.file}, releases: s.Releases}
	var err error
	if src.file == "" {
		t.releases = s.Large
	} else if t.set.SHA256, err = lab.Digest(src.file); err != nil {
		return t.set, err
	}
	if t.train, t.test, err = src.load(s); err != nil {
		return t.set, err
	}
	normalise(t.train, t.test, src.file != "")
	n, d := len(t.train.y), len(t.train.x[0])
	z := mat.NewDense(n, d+1, nil)
	for i, row := range t.train.x {
		z.SetRow(i, append(slices.Clone(row), t.train.y[i]))
	}
	t.moments = MomentsOf(z)
	t.set.Train, t.set.Test, t.set.Columns, t.set.Delta, t.set.Smallest = n, len(t.test.y), d, Delta(n), t.moments.Smallest
	t.set.Rank = max(5*d/2, d+2)
	t.set.Spread = dot(t.test.y, t.test.y) / float64(len(t.test.y))
	if src.logistic {
		t.set.Spread, t.set.Rank = 0, 0
		err = t.classify(ctx)
	} else {
		err = t.regress(ctx)
	}
	return t.set, err
}

// frame has the training rows and a label, of which a class is its sign.
func (t *task) frame(label frames.Column) (*frames.Frame, error) {
	var columns []frames.Column
	b := &frames.Block{Rows: t.set.Train, Cols: t.set.Columns}
	for j := range t.set.Columns {
		columns = append(columns, frames.Numeric(fmt.Sprint("x", j+1), -1, 1))
	}
	for i, row := range t.train.x {
		for _, v := range row {
			b.X = append(b.X, min(max(v, -1), 1))
		}
		y := t.train.y[i]
		if len(label.Levels) > 0 {
			y = indicator(y > 0)
		}
		b.Y = append(b.Y, y)
	}
	schema, err := frames.NewSchema(append(columns, label)...)
	if err != nil {
		return nil, err
	}
	return frames.FromBlock(schema, b)
}

// pipeline is the chain of dpkit's methods. Rows are in the unit ball already.
func (t *task) pipeline(f *frames.Frame) (dpkit.Pipeline, error) {
	session, err := dpkit.Demo(f, t.Seed, accountant.AddRemove)
	if err != nil {
		return dpkit.Pipeline{}, err
	}
	return session.Data().ClipNorm(1), nil
}

// printed makes releases of an algorithm.
func (t *task) printed(a Algorithm) ([][]float64, error) {
	release, out := a.On(t.moments), make([][]float64, t.releases)
	for i := range out {
		w, err := release(rand.New(rand.NewPCG(t.Seed+uint64(i), 0)))
		if err != nil {
			return nil, err
		}
		out[i] = w
	}
	return out, nil
}

// add stores the test errors of models.
func (t *task) add(method string, epsilon float64, models [][]float64) {
	errors, clamped := make([]float64, len(models)), 0.0
	for k, w := range models {
		for i, row := range t.test.x {
			p, n := dot(w, row), float64(t.set.Test)
			e, c := p-t.test.y[i], min(max(p, -1), 1)-t.test.y[i]
			errors[k] += e * e / n
			clamped += c * c / n / float64(len(models))
		}
	}
	c := summarise(method, epsilon, errors)
	c.Clamped = clamped
	t.set.Cells = append(t.set.Cells, c)
}

// regress measures linear regression.
func (t *task) regress(ctx context.Context) error {
	notPrivate, err := t.moments.NotPrivate()
	if err != nil {
		return err
	}
	t.add(NotPrivate, 0, [][]float64{notPrivate})
	f, err := t.frame(frames.NumericLabel("y", -1, 1))
	if err != nil {
		return err
	}
	chain, err := t.pipeline(f)
	if err != nil {
		return err
	}
	delta, k := t.set.Delta, t.set.Rank
	for _, eps := range t.Linear {
		mixing, err := CalibrateLinearMixing(eps, delta, k)
		if err != nil {
			return err
		}
		test, err := CalibrateSheffet(eps, delta, k, false)
		if err != nil {
			return err
		}
		lemma, err := CalibrateSheffet(eps, delta, k, true)
		if err != nil {
			return err
		}
		for _, way := range []struct {
			method string
			a      Algorithm
		}{{PrintedMixing, mixing}, {PrintedAdaSSP, CalibrateAdaSSP(eps, delta, 1e-4)}, {WangAdaSSP, CalibrateAdaSSP(eps, delta, 0.05)}, {PrintedTest, test}, {LemmaTest, lemma}} {
			models, err := t.printed(way.a)
			if err != nil {
				return fmt.Errorf("%s at ε = %g: %w", way.method, eps, err)
			}
			t.add(way.method, eps, models)
		}
		for _, way := range []struct {
			method string
			how    dpkit.LinearMethod
		}{
			{ExactMixing, dpkit.LinearMixing{Epsilon: eps, Delta: delta, NoIntercept: true, Rows: k, CoefficientsOnly: true}},
			{MoreRows, dpkit.LinearMixing{Epsilon: eps, Delta: delta, NoIntercept: true, CoefficientsOnly: true}},
			{ExactAdaSSP, dpkit.AdaSSP{Epsilon: eps, Delta: delta, NoIntercept: true}},
		} {
			releases := t.releases
			if t.file == "" && way.method == ExactAdaSSP {
				releases = min(releases, t.Slow)
			}
			released, err := chain.FitLinear(way.how).Replicate(ctx, releases)
			if err != nil {
				return fmt.Errorf("%s at ε = %g: %w", way.method, eps, err)
			}
			models := make([][]float64, len(released))
			for i, m := range released {
				models[i] = m.Coef
			}
			t.add(way.method, eps, models)
		}
	}
	return nil
}
