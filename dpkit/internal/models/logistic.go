package models

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/origin"
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
	Noisy
	Reader
	origin.Provenance
}

// NewLogisticModel makes the model of coefficients w on the features of s, then on the constant feature c; without one c is
// 0. The label has two classes.
func NewLogisticModel(s frames.Schema, w []float64, c float64) LogisticModel {
	d := s.Width()
	m := LogisticModel{Columns: domain.FeatureNames(s), Coef: w[:d:d]}
	if c > 0 {
		m.Intercept = w[d] * c
	}
	if label, ok := s.Label(); ok {
		m.Label, m.Classes = label.Name, [2]string{label.Levels[0], label.Levels[1]}
	}
	return m
}

// Predict returns the probability of the positive class for every row of src, in order. Missing
// cells are filled with public values. The probabilities of private rows are private: only a
// model's coefficients are released.
func (m *LogisticModel) Predict(ctx context.Context, src *frames.PublicFrame) ([]float64, error) {
	return m.how().frame(ctx, src)
}

// PredictRow is [LinearModel.PredictRow] of a logistic model: the probability of the positive class.
func (m *LogisticModel) PredictRow(row any) (float64, error) { return m.how().row(&m.Reader, row) }

// PredictRows is [LinearModel.PredictRows] of a logistic model.
func (m *LogisticModel) PredictRows(ctx context.Context, rows any) ([]float64, error) {
	return m.how().batch(ctx, &m.Reader, rows)
}

func (m *LogisticModel) how() predictor[float64] {
	return func(ctx context.Context, in feed) ([]float64, error) {
		return m.evaluate(ctx, in, m.Coef, m.Intercept, Sigmoid)
	}
}

// Accuracy is the share of rows whose class the model predicts. Evaluating on private rows would
// leak: it takes only data that its owner declared public.
func (m *LogisticModel) Accuracy(ctx context.Context, test *frames.PublicFrame) (float64, error) {
	return accuracy(ctx, test, m.Label, m.Classes[:], func(ctx context.Context, src *frames.PublicFrame) ([]int, error) {
		p, err := m.Predict(ctx, src)
		return codes(p, 0.5), err
	})
}

// String tells the model's shape.
func (m LogisticModel) String() string {
	u, err := m.Uncertainty(0.95)
	return told(m.Provenance, fmt.Sprintf("logistic model of %s = %s on %d columns", m.Label, m.Classes[1], len(m.Coef)), u, err)
}

type (
	plainLogistic LogisticModel // without its methods
	logisticFile  struct {
		modelHeader
		plainLogistic
	}
)

// MarshalJSON is [LinearModel.MarshalJSON] of a logistic model.
func (m LogisticModel) MarshalJSON() ([]byte, error) {
	return json.Marshal(logisticFile{modelHeader{LogisticKind, modelVersion}, plainLogistic(m)})
}

// UnmarshalJSON is [LinearModel.UnmarshalJSON] of a logistic model.
func (m *LogisticModel) UnmarshalJSON(data []byte) error {
	return readModel(data, LogisticKind, m, func(f logisticFile) LogisticModel { return LogisticModel(f.plainLogistic) })
}

func (m *LogisticModel) Check() error {
	if err := checkClasses(m.Label, m.Classes[:]); err != nil {
		return err
	}
	if err := m.Law.Check(len(m.Coef) + 1); err != nil {
		return err
	}
	return m.Reader.check(m.Columns, &m.Provenance, m.Coef)
}
