package models

import (
	"context"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// feed is rows to predict: blocks of raw rows of a schema, which need no label.
type feed struct {
	schema frames.Schema
	rows   int
	scan   func(ctx context.Context, fn func(*frames.Block) error) error
}

// opened feeds the rows of a frame that its caller declared public.
func opened(src *frames.PublicFrame) (feed, error) {
	if src == nil {
		return feed{}, fmt.Errorf("dpkit: predict: got no frame, want one that frames.Public returned: %w", kind.ErrParameter)
	}
	return feed{src.Schema(), src.Rows(), src.Frame().Scan}, nil
}

// predictor is how a model predicts, one number or class for each row of a feed.
type predictor[P any] func(ctx context.Context, in feed) ([]P, error)

// frame predicts the rows of a public frame.
func (p predictor[P]) frame(ctx context.Context, src *frames.PublicFrame) ([]P, error) {
	in, err := opened(src)
	if err != nil {
		return nil, err
	}
	return p(ctx, in)
}

// batch predicts rows as people have them: see [LinearModel.PredictRows].
func (p predictor[P]) batch(ctx context.Context, m *Reader, rows any) ([]P, error) {
	in, err := m.feedOf(ctx, rows)
	if err != nil {
		return nil, err
	}
	return p(ctx, in)
}

// row predicts one row as people have it: see [LinearModel.PredictRow].
func (p predictor[P]) row(m *Reader, row any) (P, error) {
	var none P
	ctx := context.Background() // one row is no work to stop
	in, err := m.feedOfOne(ctx, row)
	if err != nil {
		return none, err
	}
	out, err := p(ctx, in)
	if err != nil {
		return none, err
	}
	return out[0], nil
}

// evaluate returns link(⟨coef, z⟩ + intercept) for every row z that the maps make of the rows, in order.
func (m *Reader) evaluate(ctx context.Context, in feed, coef []float64, intercept float64, link func(float64) float64) ([]float64, error) {
	out := make([]float64, 0, in.rows)
	err := m.each(ctx, in, len(coef), func(z []float64) {
		s := intercept
		for j, v := range z {
			s += v * coef[j]
		}
		out = append(out, link(s))
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// each calls visit for every row that the maps make of the rows, in order. The row is visit's until it returns.
func (m *Reader) each(ctx context.Context, in feed, columns int, visit func(z []float64)) error {
	t, err := m.open(in.schema, columns)
	if err != nil {
		return err
	}
	z := make([]float64, columns)
	return in.scan(ctx, func(b *frames.Block) error {
		for i := range b.Rows {
			t.Map(z, b.Row(i), 1)
			for _, v := range z {
				if math.IsNaN(v) {
					return m.unfilled(in.schema, b.First+i+1, b.Row(i), columns)
				}
			}
			visit(z)
		}
		return nil
	})
}

// unfilled says why the maps make no numbers of a raw row of schema s, which counts from 1: the first missing cell that none
// of them fills.
func (m *Reader) unfilled(s frames.Schema, at int, row []float64, columns int) error {
	t, err := m.open(s, columns)
	if err != nil {
		return err
	}
	alone, z := make([]float64, len(row)), make([]float64, columns)
	domain := s.Features()
	for j, v := range row {
		if !math.IsNaN(v) {
			continue
		}
		for k, c := range domain {
			if alone[k] = inside(c); k == j {
				alone[k] = v
			}
		}
		t.Map(z, alone, 1)
		for _, v := range z {
			if math.IsNaN(v) {
				return fmt.Errorf("dpkit: predict: row %d: column %q: got no value, and no step of the model's chain fills one in: give a value, or declare the column MayMiss and put Impute into the chain before the fit: %w",
					at, domain[j].Name, frames.ErrMissing)
			}
		}
	}
	return fmt.Errorf("dpkit: predict: row %d: the model's chain makes no number of it: a function of a Mutate step has no value there, or the maps are not the schema's: give values that the training rows could have: %w",
		at, kind.ErrParameter)
}

// inside is a value of the column's domain.
func inside(c frames.Column) float64 {
	if len(c.Levels) > 0 || c.NoBounds {
		return 0
	}
	return c.Lo
}

// places finds the features that prediction uses among those of schema s: by position of the model's features, -1 for one that the
// chain drops; nil where they stand as in training.
func (m *Reader) places(s frames.Schema) ([]int, error) {
	want, features := m.Schema.Features(), s.Features()
	used := m.used()
	at := make([]int, len(want))
	same := len(want) == len(features)
	for j, w := range want {
		at[j] = -1
		if k, ok := s.FeatureIndex(w.Name); ok {
			if got := features[k]; !equalLevels(got, w) {
				if used[j] {
					return nil, fmt.Errorf("dpkit: predict: feature %q: got levels %q, want %q in this order: load the rows with the schema of the model, Inputs(): %w", w.Name, got.Levels, w.Levels, stage.ErrColumn)
				}
			} else {
				at[j] = k
			}
		}
		if at[j] < 0 && used[j] {
			return nil, fmt.Errorf("dpkit: predict: got rows without %q, want the features %s: load the rows with the schema of the model, Inputs(); a label is not needed: %w", w.Name, namesOf(m.Inputs()), stage.ErrColumn)
		}
		same = same && at[j] == j
	}
	if same {
		return nil, nil
	}
	return at, nil
}
