package decisions

import (
	"context"
	"math"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/notebooks/studies/decisions/others"
	"github.com/dpkit-go/dpnb/notebooks/studies/lab"
)

// design is both parts of a set behind public steps: features of norm at most 1, and labels: classes as 0 and 1, numbers in [−1, 1].
type design struct {
	task        string
	train, test others.Rows
	spread      float64 // variance of the test rows' labels
	exact       float64 // score of the fit without noise
}

func newDesign(ctx context.Context, chain, task string, train, test *frames.Frame) (design, error) {
	d := design{task: task}
	public, err := dpkit.OnPublic(frames.Public(train))
	if err != nil {
		return d, err
	}
	var reads dpkit.LinearModel // its maps lead from rows to columns
	var coef []float64
	var intercept float64
	label, _ := train.Schema().Label()
	mid, half := 0.0, 1.0
	if task == Numbers {
		mid, half = (label.Lo+label.Hi)/2, (label.Hi-label.Lo)/2
		plan, err := dpkit.Parse[dpkit.LinearModel](public, chain+".FitLinear(AdaSSP{})")
		if err != nil {
			return d, err
		}
		r, err := plan.Release(ctx)
		if err != nil {
			return d, err
		}
		reads, coef, intercept = r.Value, r.Value.Coef, r.Value.Intercept
	} else {
		plan, err := dpkit.Parse[dpkit.LogisticModel](public, chain+".FitLogistic(ByObjective{})")
		if err != nil {
			return d, err
		}
		r, err := plan.Release(ctx)
		if err != nil {
			return d, err
		}
		reads.Columns, reads.Reader = r.Value.Columns, r.Value.Reader
		coef, intercept = r.Value.Coef, r.Value.Intercept
	}
	for _, part := range []struct {
		from *frames.Frame
		to   *others.Rows
	}{{train, &d.train}, {test, &d.test}} {
		if *part.to, err = rowsThrough(ctx, reads, frames.Public(part.from), mid, half); err != nil {
			return d, err
		}
	}
	mean := 0.0
	for _, y := range d.test.Y {
		mean += y / float64(d.test.N)
	}
	for _, y := range d.test.Y {
		d.spread += (y - mean) * (y - mean) / float64(d.test.N)
	}
	scaled := make([]float64, len(coef))
	for j, c := range coef {
		scaled[j] = c / half
	}
	d.exact = lab.Round(d.score(scaled, (intercept-mid)/half))
	return d, nil
}

// rowsThrough applies the public row maps of a model, a column at a time: it predicts with 1 for that coefficient.
func rowsThrough(ctx context.Context, of dpkit.LinearModel, rows *frames.PublicFrame, mid, half float64) (others.Rows, error) {
	out := others.Rows{N: rows.Rows(), D: len(of.Columns)}
	out.X = make([]float64, out.N*out.D)
	for j := range out.D {
		m := dpkit.LinearModel{Columns: of.Columns, Coef: make([]float64, out.D), Lo: math.Inf(-1), Hi: math.Inf(1), Reader: of.Reader}
		m.Coef[j] = 1
		column, err := m.Predict(ctx, rows)
		if err != nil {
			return out, err
		}
		for i, v := range column {
			out.X[i*out.D+j] = v
		}
	}
	_, labels, err := rowsOf(ctx, rows)
	for _, y := range labels {
		out.Y = append(out.Y, (y-mid)/half)
	}
	return out, err
}

// scores are those of so many fits on the test rows.
func (d design) scores(fits int, fit func() ([]float64, float64, error)) ([]float64, error) {
	out := make([]float64, fits)
	for i := range out {
		coef, intercept, err := fit()
		if err != nil {
			return nil, err
		}
		out[i] = d.score(coef, intercept)
	}
	return out, nil
}

// score is an accuracy, or a mean squared error over the variance, of predictions that are cut to the label's bounds.
func (d design) score(coef []float64, intercept float64) float64 {
	sum := 0.0
	for i, y := range d.test.Y {
		s := intercept
		for j, v := range d.test.X[i*d.test.D : (i+1)*d.test.D] {
			s += coef[j] * v
		}
		if d.task == Numbers {
			e := min(max(s, -1), 1) - y
			sum += e * e / d.spread
		} else if (s > 0) == (y == 1) {
			sum++
		}
	}
	return sum / float64(d.test.N)
}
