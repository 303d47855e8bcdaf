package mixing

import (
	"context"
	"fmt"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/dpkit/baseline"
	"github.com/dpkit-go/dpnb/frames"
)

// accurate stores the test accuracies of models (θ, intercept).
func (t *task) accurate(method string, epsilon float64, models [][]float64) Cell {
	values := make([]float64, len(models))
	for k, w := range models {
		for i, row := range t.test.x {
			at := dot(w[:len(row)], row)
			if len(w) > len(row) {
				at += w[len(row)]
			}
			if at*t.test.y[i] > 0 {
				values[k] += 1 / float64(t.set.Test)
			}
		}
	}
	return summarise(method, epsilon, values)
}

// classify measures logistic regression. θ of the paper's method is that of least squares on labels ±1 times a constant, which
// classes do not see.
func (t *task) classify(ctx context.Context) error {
	f, err := t.frame(frames.Label("y", "-1", "1"))
	if err != nil {
		return err
	}
	public, err := dpkit.OnPublic(frames.Public(f))
	if err != nil {
		return err
	}
	exact, err := public.Data().ClipNorm(1).FitLogistic(dpkit.ByObjective{}).Release(ctx)
	if err != nil {
		return err
	}
	t.set.Cells = append(t.set.Cells, t.accurate(NotPrivate, 0, [][]float64{append(exact.Value.Coef, exact.Value.Intercept)}))
	chain, err := t.pipeline(f)
	if err != nil {
		return err
	}
	// k is the best of a grid at the largest ε, by the test rows, as in the paper: not private.
	best := 0.0
	for half := 3; half <= 15; half++ {
		k := half * t.set.Columns / 2
		models, err := t.mixed(t.Logistic[len(t.Logistic)-1], k)
		if err != nil {
			return err
		}
		if c := t.accurate(PrintedLogistic, 0, models); c.Mean > best {
			best, t.set.Rank = c.Mean, k
		}
	}
	for _, eps := range t.Logistic {
		models, err := t.mixed(eps, t.set.Rank)
		if err != nil {
			return err
		}
		t.set.Cells = append(t.set.Cells, t.accurate(PrintedLogistic, eps, models))
		for _, way := range []struct {
			method string
			plan   dpkit.Plan[dpkit.LogisticModel]
		}{
			{ExactLogistic, chain.FitLogistic(dpkit.ByMixing{Epsilon: eps, Delta: t.set.Delta, NoIntercept: true})},
			{Kifer, chain.FitLogistic(baseline.Kifer2012{Epsilon: eps, Delta: t.set.Delta})},
			{Objective, chain.FitLogistic(dpkit.ByObjective{Epsilon: eps, Delta: t.set.Delta, Alone: true})},
		} {
			released, err := way.plan.Replicate(ctx, t.releases)
			if err != nil {
				return fmt.Errorf("%s at ε = %g: %w", way.method, eps, err)
			}
			models := make([][]float64, len(released))
			for i, m := range released {
				models[i] = append(m.Coef, m.Intercept)
			}
			t.set.Cells = append(t.set.Cells, t.accurate(way.method, eps, models))
		}
	}
	return nil
}

func (t *task) mixed(epsilon float64, k int) ([][]float64, error) {
	a, err := CalibrateLinearMixing(epsilon, t.set.Delta, k)
	if err != nil {
		return nil, err
	}
	return t.printed(a)
}
