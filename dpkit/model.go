package dpkit

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/dpkit-go/dpnb/frames"
)

// LogisticModel is a fitted logistic regression. Coefficients are in the units of the encoded and
// scaled rows; the public maps that lead there are part of the model, so that it reads raw rows.
type LogisticModel struct {
	Label     string    `json:"label"`
	Classes   [2]string `json:"classes"` // the second is the positive class
	Columns   []string  `json:"columns"` // encoded features, in the order of Coef
	Coef      []float64 `json:"coef"`
	Intercept float64   `json:"intercept"`
	// Inputs are the raw features that a row to predict has, in order.
	Inputs []string `json:"inputs,omitempty"`
	// Levels are those of each raw feature, whose codes the maps read; none for a number.
	Levels [][]string `json:"levels,omitempty"`
	Maps   RowMap     `json:"maps,omitempty"`
}

func newLogisticModel(s frames.Schema, w []float64, c float64) LogisticModel {
	d := len(w) - 1
	m := LogisticModel{Coef: w[:d:d], Intercept: w[d] * c}
	if label, ok := s.Label(); ok {
		m.Label, m.Classes = label.Name, [2]string{label.Levels[0], label.Levels[1]}
	}
	for _, f := range s.Features() {
		m.Columns = append(m.Columns, f.Name)
	}
	return m
}

func (m *LogisticModel) deploy(raw frames.Schema, ops RowMap) {
	m.Maps, m.Inputs, m.Levels = ops, nil, nil
	for _, f := range raw.Features() {
		m.Inputs, m.Levels = append(m.Inputs, f.Name), append(m.Levels, f.Levels)
	}
}

// Predict returns the probability of the positive class for every row of src, in order. Missing
// cells are filled with public values. The probabilities of private rows are private: only a
// model's coefficients are released.
func (m *LogisticModel) Predict(ctx context.Context, src *frames.PublicFrame) ([]float64, error) {
	if src == nil {
		return nil, fmt.Errorf("dpkit: predict: got no frame, want one that frames.Public returned: %w", ErrParameter)
	}
	t, err := m.reader(src.Schema())
	if err != nil {
		return nil, err
	}
	out := make([]float64, 0, src.Rows())
	z := make([]float64, len(m.Coef))
	err = src.Frame().Scan(ctx, func(b *frames.Block) error {
		for i := range b.Rows {
			t(z, b.Row(i))
			s := m.Intercept
			for j, v := range z {
				s += v * m.Coef[j]
			}
			out = append(out, sigmoid(s))
		}
		return nil
	})
	return out, err
}

// Accuracy is the share of rows whose class the model predicts. Evaluating on private rows would
// leak: it takes only data that its owner declared public.
func (m *LogisticModel) Accuracy(ctx context.Context, test *frames.PublicFrame) (float64, error) {
	if test == nil {
		return 0, fmt.Errorf("dpkit: accuracy: got no frame, want one that frames.Public returned: %w", ErrParameter)
	}
	label, ok := test.Schema().Label()
	if !ok || label.Name != m.Label {
		return 0, fmt.Errorf("dpkit: accuracy: the data has no label %q: %w", m.Label, ErrColumn)
	}
	if !slices.Equal(label.Levels, m.Classes[:]) {
		return 0, fmt.Errorf("dpkit: accuracy: label %q: got levels %q, want %q in this order: load the rows with the schema of the training rows: %w", m.Label, label.Levels, m.Classes, ErrColumn)
	}
	if test.Rows() == 0 {
		return 0, fmt.Errorf("dpkit: accuracy: got no rows: %w", ErrParameter)
	}
	p, err := m.Predict(ctx, test)
	if err != nil {
		return 0, err
	}
	right, at := 0, 0
	err = test.Frame().Scan(ctx, func(b *frames.Block) error {
		for _, y := range b.Y {
			if (p[at] > 0.5) == (y == 1) {
				right++
			}
			at++
		}
		return nil
	})
	return float64(right) / float64(len(p)), err
}

// reader returns the map from raw rows of schema s to the model's columns.
func (m *LogisticModel) reader(s frames.Schema) (Transform, error) {
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
	if width != len(m.Coef) {
		return nil, fmt.Errorf("dpkit: predict: the model's maps make %d columns for %d coefficients", width, len(m.Coef))
	}
	return t, nil
}

// String tells the model's shape.
func (m LogisticModel) String() string {
	return fmt.Sprintf("logistic model of %s = %s on %d columns", m.Label, m.Classes[1], len(m.Coef))
}
