package decisions

import (
	"context"
	"errors"
	"math"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/notebooks/studies/lab"
)

// scorer tells how good models are on public rows.
type scorer struct {
	task   string
	rows   *frames.PublicFrame
	labels []float64
	spread float64 // variance of the labels
}

func newScorer(ctx context.Context, task string, rows *frames.PublicFrame) (scorer, error) {
	s := scorer{task: task, rows: rows}
	_, labels, err := rowsOf(ctx, rows)
	s.labels = labels
	mean := 0.0
	for _, y := range labels {
		mean += y / float64(len(labels))
	}
	for _, y := range labels {
		s.spread += (y - mean) * (y - mean) / float64(len(labels))
	}
	return s, err
}

// idle is what a model without features reaches.
func (s scorer) idle() float64 {
	if s.task == Numbers {
		return 1
	}
	ones := 0.0
	for _, y := range s.labels {
		ones += y / float64(len(s.labels))
	}
	return max(ones, 1-ones)
}

func (s scorer) classes(ctx context.Context, m dpkit.LogisticModel) (float64, error) {
	return m.Accuracy(ctx, s.rows)
}

func (s scorer) numbers(ctx context.Context, m dpkit.LinearModel) (float64, error) {
	values, err := m.Predict(ctx, s.rows)
	if err != nil {
		return 0, err
	}
	sum := 0.0
	for i, v := range values {
		sum += (v - s.labels[i]) * (v - s.labels[i]) / float64(len(values))
	}
	return sum / s.spread, nil
}

// score draws releases of a way and tells their scores.
func (s scorer) score(ctx context.Context, on *dpkit.Session, w *Way, releases int) error {
	if s.task == Classes {
		return scoreBy(ctx, on, w, releases, s.classes)
	}
	return scoreBy(ctx, on, w, releases, s.numbers)
}

func scoreBy[V any](ctx context.Context, on *dpkit.Session, w *Way, releases int, score func(context.Context, V) (float64, error)) error {
	plan, err := dpkit.Parse[V](on, w.Plan)
	if err != nil {
		return err
	}
	v := cost.Of(w.Change, plan)
	if w.Refused = v.Refused; w.Refused != "" {
		return nil
	}
	w.Noise = lab.Round(v.Noise)
	if p, err := plan.Error(CoverLevel); err == nil && p.Classes != nil {
		taken := lab.Round(p.Classes.Exact - p.Classes.Accuracy)
		w.Taken = &taken
	}
	models, err := plan.Replicate(ctx, releases)
	if err != nil {
		if errors.Is(err, dpkit.ErrTestFailed) || errors.Is(err, dpkit.ErrOrder) {
			w.Refused = err.Error()
			return nil
		}
		return err
	}
	scores := make([]float64, len(models))
	for i, m := range models {
		if scores[i], err = score(ctx, m); err != nil {
			return err
		}
	}
	w.summarise(scores, nil)
	return nil
}

// at is the quantile q of sorted numbers, between two of them in proportion.
func at(sorted []float64, q float64) float64 {
	place := q * float64(len(sorted)-1)
	low := int(math.Floor(place))
	high := min(low+1, len(sorted)-1)
	return sorted[low] + (place-float64(low))*(sorted[high]-sorted[low])
}
