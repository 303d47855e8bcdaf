package models

import (
	"context"
	"encoding/json"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/dpkit/internal/origin"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/frames"
)

// RateModel is a fitted Poisson regression: the rate of a row is exp(Intercept + ⟨Coef, x⟩), at most MaxCount. Coefficients are in
// the units of the encoded and scaled rows; the public maps that lead there are part of the model, so that it reads raw rows.
type RateModel struct {
	Label     string    `json:"label"`
	MaxCount  float64   `json:"max_count"`
	Columns   []string  `json:"columns"` // encoded features, in the order of Coef
	Coef      []float64 `json:"coef"`
	Intercept float64   `json:"intercept"`
	Noisy
	Reader
	origin.Provenance
}

// Predict returns the rate of every row of src, in order. Missing cells are filled with public values. Rates of private rows are
// private: only a model's coefficients are released.
func (m *RateModel) Predict(ctx context.Context, src *frames.PublicFrame) ([]float64, error) {
	return m.how().frame(ctx, src)
}

// PredictRow is [LinearModel.PredictRow] of a Poisson model: the rate.
func (m *RateModel) PredictRow(row any) (float64, error) { return m.how().row(&m.Reader, row) }

// PredictRows is [LinearModel.PredictRows] of a Poisson model.
func (m *RateModel) PredictRows(ctx context.Context, rows any) ([]float64, error) {
	return m.how().batch(ctx, &m.Reader, rows)
}

func (m *RateModel) how() predictor[float64] {
	return func(ctx context.Context, in feed) ([]float64, error) {
		return m.evaluate(ctx, in, m.Coef, m.Intercept, func(v float64) float64 { return min(math.Exp(v), m.MaxCount) })
	}
}

// Deviance is the mean Poisson deviance 2(y ln(y/μ) − y + μ) of the rates μ, at least 1e-300. Evaluating on private rows would
// leak: it takes only data that its owner declared public.
func (m *RateModel) Deviance(ctx context.Context, test *frames.PublicFrame) (float64, error) {
	fits := func(label frames.Column, ok bool) error {
		if !ok || label.Name != m.Label || len(label.Levels) > 0 || label.Lo < 0 {
			return fmt.Errorf("the data has no count %q", m.Label)
		}
		return nil
	}
	return meanScore(ctx, test, "deviance", fits, m.Predict, func(sum *rows.Neumaier, rate, y float64) {
		mu := max(rate, 1e-300)
		if y > 0 {
			sum.Add(2 * y * math.Log(y/mu))
		}
		sum.Add(2 * (mu - y))
	})
}

// String tells the model's shape.
func (m RateModel) String() string {
	u, err := m.Uncertainty(0.95)
	return told(m.Provenance, fmt.Sprintf("Poisson model of %s on %d columns", m.Label, len(m.Coef)), u, err)
}

type (
	plainRate RateModel // without its methods
	rateFile  struct {
		modelHeader
		plainRate
	}
)

// MarshalJSON is [LinearModel.MarshalJSON] of a Poisson model.
func (m RateModel) MarshalJSON() ([]byte, error) {
	return json.Marshal(rateFile{modelHeader{rateKind, modelVersion}, plainRate(m)})
}

// UnmarshalJSON is [LinearModel.UnmarshalJSON] of a Poisson model.
func (m *RateModel) UnmarshalJSON(data []byte) error {
	return readModel(data, rateKind, m, func(f rateFile) RateModel { return RateModel(f.plainRate) })
}

func (m *RateModel) Check() error {
	if m.Label == "" || !(m.MaxCount > 0) {
		return fmt.Errorf("label %q of at most %g, want a name and a count above 0", m.Label, m.MaxCount)
	}
	if err := m.Law.Check(len(m.Coef) + 1); err != nil {
		return err
	}
	return m.Reader.check(m.Columns, &m.Provenance, m.Coef)
}
