package dpkit

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dpkit-go/dpnb/frames"
)

// Reader is how a model reads raw rows: the public maps that lead to its columns. It is part of
// the model; that of one which was released without prediction is empty.
type Reader struct {
	// Inputs are the raw features that a row to predict has, in order.
	Inputs []string `json:"inputs,omitempty"`
	// Levels are those of each raw feature, whose codes the maps read; none for a number.
	Levels [][]string `json:"levels,omitempty"`
	Maps   RowMap     `json:"maps,omitempty"`
}

func (m *Reader) deploy(raw frames.Schema, ops RowMap) {
	m.Maps, m.Inputs, m.Levels = ops, nil, nil
	for _, f := range raw.Features() {
		m.Inputs, m.Levels = append(m.Inputs, f.Name), append(m.Levels, f.Levels)
	}
}

// predict returns link(⟨coef, z⟩ + intercept) for every row z that the maps make of src, in order.
func (m *Reader) predict(ctx context.Context, src *frames.PublicFrame, coef []float64, intercept float64, link func(float64) float64) ([]float64, error) {
	var out []float64
	err := m.each(ctx, src, len(coef), func(z []float64) {
		s := intercept
		for j, v := range z {
			s += v * coef[j]
		}
		out = append(out, link(s))
	})
	return out, err
}

// each calls visit for every row that the maps make of src, in order. The row is visit's until it returns.
func (m *Reader) each(ctx context.Context, src *frames.PublicFrame, columns int, visit func(z []float64)) error {
	if src == nil {
		return fmt.Errorf("dpkit: predict: got no frame, want one that frames.Public returned: %w", ErrParameter)
	}
	t, err := m.reader(src.Schema(), columns)
	if err != nil {
		return err
	}
	z := make([]float64, columns)
	return src.Frame().Scan(ctx, func(b *frames.Block) error {
		for i := range b.Rows {
			t(z, b.Row(i))
			visit(z)
		}
		return nil
	})
}

// reader returns the map from raw rows of schema s to the model's columns.
func (m *Reader) reader(s frames.Schema, columns int) (Transform, error) {
	features := s.Features()
	if len(m.Inputs) == 0 {
		return nil, fmt.Errorf("dpkit: predict: the model was released without prediction: the fitted maps that lead to its columns stay secret; put a public or a privately released step in their place: %w", ErrOrder)
	}
	if len(m.Levels) != len(m.Inputs) {
		return nil, fmt.Errorf("dpkit: predict: the model lists %d features and the levels of %d; store and read all of it: %w", len(m.Inputs), len(m.Levels), ErrParameter)
	}
	if len(features) != len(m.Inputs) {
		return nil, fmt.Errorf("dpkit: predict: got rows of %d features, want %d: %s: %w", len(features), len(m.Inputs), strings.Join(m.Inputs, ", "), ErrColumn)
	}
	for j, f := range features {
		if f.Name != m.Inputs[j] {
			return nil, fmt.Errorf("dpkit: predict: feature %d: got %q, want %q: %w", j+1, f.Name, m.Inputs[j], ErrColumn)
		}
		if !slices.Equal(f.Levels, m.Levels[j]) {
			return nil, fmt.Errorf("dpkit: predict: feature %q: got levels %q, want %q in this order: load the rows with the schema of the training rows: %w", f.Name, f.Levels, m.Levels[j], ErrColumn)
		}
	}
	t, width, err := m.Maps.transform(len(features))
	if err != nil {
		return nil, err
	}
	if width != columns {
		return nil, fmt.Errorf("dpkit: predict: the model's maps make %d columns for %d coefficients", width, columns)
	}
	return t, nil
}
