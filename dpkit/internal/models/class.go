package models

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/dpkit-go/dpnb/dpkit/internal/origin"
	"github.com/dpkit-go/dpnb/frames"
)

// ClassModel is a fitted linear classifier. Coefficients are in the units of the encoded and scaled rows; the public maps that lead
// there are part of the model, so that it reads raw rows.
type ClassModel struct {
	Label     string    `json:"label"`
	Classes   [2]string `json:"classes"` // the second is the positive class
	Columns   []string  `json:"columns"` // encoded features, in the order of Coef
	Coef      []float64 `json:"coef"`
	Intercept float64   `json:"intercept"`
	Noisy
	Reader
	origin.Provenance
}

// NewClassModel makes the model of coefficients w on the features of s, then on the constant feature c. The label has two
// classes.
func NewClassModel(s frames.Schema, w []float64, c float64) ClassModel {
	return ClassModel(NewLogisticModel(s, w, c))
}

// Margins returns the margin of every row, in order: above 0 for the positive class. They are no probabilities. Rows are what
// [LinearModel.PredictRows] takes; of one row, a slice of it alone. Missing cells are filled with public values. The margins of
// private rows are private: only a model's coefficients are released.
func (m *ClassModel) Margins(ctx context.Context, rows any) ([]float64, error) {
	return predictor[float64](m.margins).batch(ctx, &m.Reader, rows)
}

func (m *ClassModel) margins(ctx context.Context, in feed) ([]float64, error) {
	return m.evaluate(ctx, in, m.Coef, m.Intercept, func(v float64) float64 { return v })
}

// Predict returns the class of every row of src, in order, as an index into Classes. See Margins.
func (m *ClassModel) Predict(ctx context.Context, src *frames.PublicFrame) ([]int, error) {
	return m.how().frame(ctx, src)
}

// PredictRow is [LinearModel.PredictRow] of a linear classifier: the class, as an index into Classes.
func (m *ClassModel) PredictRow(row any) (int, error) { return m.how().row(&m.Reader, row) }

// PredictRows is [LinearModel.PredictRows] of a linear classifier.
func (m *ClassModel) PredictRows(ctx context.Context, rows any) ([]int, error) {
	return m.how().batch(ctx, &m.Reader, rows)
}

func (m *ClassModel) how() predictor[int] {
	return func(ctx context.Context, in feed) ([]int, error) {
		margins, err := m.margins(ctx, in)
		if err != nil {
			return nil, err
		}
		return codes(margins, 0), nil
	}
}

// Accuracy is the share of rows whose class the model predicts. Evaluating on private rows would
// leak: it takes only data that its owner declared public.
func (m *ClassModel) Accuracy(ctx context.Context, test *frames.PublicFrame) (float64, error) {
	return accuracy(ctx, test, m.Label, m.Classes[:], m.Predict)
}

// String tells the model's shape.
func (m ClassModel) String() string {
	u, err := m.Uncertainty(0.95)
	return told(m.Provenance, fmt.Sprintf("linear classifier of %s = %s on %d columns", m.Label, m.Classes[1], len(m.Coef)), u, err)
}

type (
	plainClass ClassModel // without its methods
	classFile  struct {
		modelHeader
		plainClass
	}
)

// MarshalJSON is [LinearModel.MarshalJSON] of a linear classifier.
func (m ClassModel) MarshalJSON() ([]byte, error) {
	return json.Marshal(classFile{modelHeader{classKind, modelVersion}, plainClass(m)})
}

// UnmarshalJSON is [LinearModel.UnmarshalJSON] of a linear classifier.
func (m *ClassModel) UnmarshalJSON(data []byte) error {
	return readModel(data, classKind, m, func(f classFile) ClassModel { return ClassModel(f.plainClass) })
}

func (m *ClassModel) Check() error {
	return (*LogisticModel)(m).Check()
}
