package models

import (
	"context"
	"encoding/json"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/origin"
	"github.com/dpkit-go/dpnb/frames"
)

// MultinomialModel is a fitted classifier into several classes. Coefficients are in the units of the encoded and scaled rows; the
// public maps that lead there are part of the model, so that it reads raw rows.
type MultinomialModel struct {
	Label      string      `json:"label"`
	Classes    []string    `json:"classes"`
	Columns    []string    `json:"columns"`    // encoded features, in the order of each row of Coef
	Coef       [][]float64 `json:"coef"`       // one row for each class
	Intercepts []float64   `json:"intercepts"` // one for each class
	Noisy
	Reader
	origin.Provenance
}

// NewMultinomialModel makes the model of coefficients w[k] of class k on the features of s, then on the constant feature c.
func NewMultinomialModel(s frames.Schema, w [][]float64, c float64) MultinomialModel {
	label, _ := s.Label()
	m := MultinomialModel{Label: label.Name, Classes: label.Levels, Columns: domain.FeatureNames(s)}
	d := len(m.Columns)
	for _, w := range w {
		m.Coef, m.Intercepts = append(m.Coef, w[:d:d]), append(m.Intercepts, w[d]*c)
	}
	return m
}

// Probabilities returns those of the classes for every row, in order: what the regressions say, divided by its sum. Rows are what
// [LinearModel.PredictRows] takes; of one row, a slice of it alone. Missing cells are filled with public values. The probabilities of
// private rows are private: only a model's coefficients are released.
func (m *MultinomialModel) Probabilities(ctx context.Context, rows any) ([][]float64, error) {
	return predictor[[]float64](m.probabilities).batch(ctx, &m.Reader, rows)
}

func (m *MultinomialModel) probabilities(ctx context.Context, in feed) ([][]float64, error) {
	if len(m.Coef) != len(m.Classes) || len(m.Intercepts) != len(m.Classes) {
		return nil, fmt.Errorf("dpkit: predict: the model has %d classes, %d rows of coefficients and %d intercepts; store and read all of it: %w",
			len(m.Classes), len(m.Coef), len(m.Intercepts), kind.ErrParameter)
	}
	for k, coef := range m.Coef {
		if len(coef) != len(m.Columns) {
			return nil, fmt.Errorf("dpkit: predict: class %q has %d coefficients for %d columns; store and read all of it: %w", m.Classes[k], len(coef), len(m.Columns), kind.ErrParameter)
		}
	}
	var out [][]float64
	err := m.each(ctx, in, len(m.Columns), func(z []float64) {
		p := make([]float64, len(m.Coef))
		for k, coef := range m.Coef {
			margin := m.Intercepts[k]
			for j, v := range z {
				margin += v * coef[j]
			}
			p[k] = margin
		}
		probable(p)
		out = append(out, p)
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// probable makes probabilities of margins, in place: σ of each, divided by their sum.
func probable(p []float64) {
	largest := math.Inf(-1)
	for k, margin := range p { // ln σ(margin), as all may be tiny
		p[k] = -Softplus(-margin)
		largest = max(largest, p[k])
	}
	sum := 0.0
	for k, v := range p {
		p[k] = math.Exp(v - largest)
		sum += p[k]
	}
	for k := range p {
		p[k] /= sum
	}
}

// Predict returns the most probable class of every row of src, in order, as an index into Classes. See Probabilities.
func (m *MultinomialModel) Predict(ctx context.Context, src *frames.PublicFrame) ([]int, error) {
	return m.how().frame(ctx, src)
}

// PredictRow is [LinearModel.PredictRow] of a classifier into several classes: the most probable class, as an index into Classes.
func (m *MultinomialModel) PredictRow(row any) (int, error) { return m.how().row(&m.Reader, row) }

// PredictRows is [LinearModel.PredictRows] of a classifier into several classes.
func (m *MultinomialModel) PredictRows(ctx context.Context, rows any) ([]int, error) {
	return m.how().batch(ctx, &m.Reader, rows)
}

func (m *MultinomialModel) how() predictor[int] {
	return func(ctx context.Context, in feed) ([]int, error) {
		p, err := m.probabilities(ctx, in)
		if err != nil {
			return nil, err
		}
		out := make([]int, len(p))
		for i, row := range p {
			out[i] = first(row)
		}
		return out, nil
	}
}

// Accuracy is the share of rows whose class the model predicts. Evaluating on private rows would
// leak: it takes only data that its owner declared public.
func (m *MultinomialModel) Accuracy(ctx context.Context, test *frames.PublicFrame) (float64, error) {
	return accuracy(ctx, test, m.Label, m.Classes, m.Predict)
}

// String tells the model's shape.
func (m MultinomialModel) String() string {
	u, err := m.Uncertainty(0.95)
	return told(m.Provenance, fmt.Sprintf("model of the %d classes of %s on %d columns", len(m.Classes), m.Label, len(m.Columns)), u, err)
}

type (
	plainMultinomial MultinomialModel // without its methods
	multinomialFile  struct {
		modelHeader
		plainMultinomial
	}
)

// MarshalJSON is [LinearModel.MarshalJSON] of a classifier into several classes.
func (m MultinomialModel) MarshalJSON() ([]byte, error) {
	return json.Marshal(multinomialFile{modelHeader{multinomialKind, modelVersion}, plainMultinomial(m)})
}

// UnmarshalJSON is [LinearModel.UnmarshalJSON] of a classifier into several classes.
func (m *MultinomialModel) UnmarshalJSON(data []byte) error {
	return readModel(data, multinomialKind, m, func(f multinomialFile) MultinomialModel { return MultinomialModel(f.plainMultinomial) })
}

func (m *MultinomialModel) Check() error {
	if err := checkClasses(m.Label, m.Classes); err != nil {
		return err
	}
	if len(m.Coef) != len(m.Classes) || len(m.Intercepts) != len(m.Classes) {
		return fmt.Errorf("got %d rows of coefficients and %d intercepts for %d classes", len(m.Coef), len(m.Intercepts), len(m.Classes))
	}
	if err := m.Law.Check(len(m.Coef) * (len(m.Columns) + 1)); err != nil {
		return err
	}
	return m.Reader.check(m.Columns, &m.Provenance, m.Coef...)
}
