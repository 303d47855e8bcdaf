package models

import (
	"context"
	"encoding/json"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/dpkit/internal/origin"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/frames"
	"gonum.org/v1/gonum/stat/distuv"
)

// LinearModel is a fitted linear regression: y = Intercept + ⟨Coef, x⟩, clamped to the label's bounds.
// Coefficients are in units of the label per unit of an encoded and scaled column; the public maps that
// lead there are part of the model, so that it reads raw rows.
type LinearModel struct {
	Label     string    `json:"label"`
	Lo        float64   `json:"lo"` // public bounds of the label
	Hi        float64   `json:"hi"`
	Method    string    `json:"method,omitempty"` // how it was fitted, such as "adassp"
	Columns   []string  `json:"columns"`          // encoded features, in the order of Coef
	Coef      []float64 `json:"coef"`
	Intercept float64   `json:"intercept"`
	// Errors are the scales of the coefficients' errors, as far as privacy is their cause; none where the law is not
	// known. See Intervals.
	Errors         []float64 `json:"errors,omitempty"`
	InterceptError float64   `json:"intercept_error,omitempty"`
	Freedom        int       `json:"freedom,omitempty"` // degrees of freedom of their t law; 0: normal
	// Strength is the lower bound on the least eigenvalue of the rows' mean second moments, ridge included and in units of R̃²,
	// that RelativeGaussianDescent asked for privately; 0: it did not.
	Strength float64 `json:"strength,omitempty"`
	Reader
	origin.Provenance
}

// Interval is a confidence interval.
type Interval struct {
	Name string  `json:"name"`
	Lo   float64 `json:"lo"`
	Hi   float64 `json:"hi"`
}

// Intervals returns one confidence interval for each coefficient, and one for the intercept, "(intercept)", last. Each
// covers with that probability, over the privacy noise, the coefficient that the same method would give on these rows
// without its randomness: least squares with the ridge that the method adds. It says nothing of how far the rows are
// from a population.
//
// For [LinearMixing] the law is exact: (w − w_ridge)/Errors has a t law with Freedom degrees of freedom. For [AdaSSP]
// it is the normal one of first order, good while the noise is small beside the ridge and the rows' moments. Other
// methods have none: the error wraps [kind.ErrParameter].
func (m *LinearModel) Intervals(level float64) ([]Interval, error) {
	if !(level > 0 && level < 1) {
		return nil, fmt.Errorf("dpkit: intervals: level: got %g, want a number in (0, 1): %w", level, kind.ErrParameter)
	}
	if len(m.Errors) != len(m.Coef) || len(m.Columns) != len(m.Coef) || len(m.Coef) == 0 {
		return nil, fmt.Errorf("dpkit: intervals: the model has no errors: fit it by LinearMixing (without CoefficientsOnly) or AdaSSP: %w", kind.ErrParameter)
	}
	q := -distuv.UnitNormal.Quantile((1 - level) / 2)
	if m.Freedom > 0 {
		q = -distuv.StudentsT{Sigma: 1, Nu: float64(m.Freedom)}.Quantile((1 - level) / 2)
	}
	var out []Interval
	add := func(name string, at, scale float64) { out = append(out, Interval{name, at - q*scale, at + q*scale}) }
	for j, name := range m.Columns {
		add(name, m.Coef[j], m.Errors[j])
	}
	if m.InterceptError > 0 {
		add("(intercept)", m.Intercept, m.InterceptError)
	}
	return out, nil
}

// Predict returns the predicted label of every row of src, in order, clamped to the label's public bounds. Missing
// cells are filled with public values. Predictions on private rows are private: only a model's coefficients are released.
func (m *LinearModel) Predict(ctx context.Context, src *frames.PublicFrame) ([]float64, error) {
	return m.how().frame(ctx, src)
}

// PredictRow predicts one row: what [LinearModel.Predict] says of it, to the bit. The row is a map by the names of columns, such as a
// map[string]any that encoding/json read; a struct or a pointer to one, whose fields are named by a tag (dpkit, json, dataframe) or by
// themselves, whatever their case; or a gota DataFrame or [frames.PublicFrame] of one row. It needs the columns of Inputs alone: a label
// and other columns are ignored.
//
// Cells are numbers, texts, booleans, json.Number, or what database/sql scans; levels are named by their text, so that 3 is the
// level "3". A cell is missing if it is nil, NaN, a null of database/sql, one of the texts "", "NA" and "?" where that is no level,
// or not in a map: the chain fills it as it did in training. Numbers outside the bounds of a clamped column are clamped. Where the
// chain has no rule, for a level that the schema lacks, a number outside the bounds, a missing cell that no step fills, the error
// says so; it wraps [frames.ErrLevel], [frames.ErrBounds], [frames.ErrNumber], [frames.ErrMissing], or [stage.ErrColumn] for a row
// without a column. Errors repeat cells of that row, and nothing of the training rows.
func (m *LinearModel) PredictRow(row any) (float64, error) { return m.how().row(&m.Reader, row) }

// PredictRows predicts many rows, in order: a slice of what [LinearModel.PredictRow] takes, a gota DataFrame, or a
// [frames.PublicFrame]. Errors count rows from 1.
func (m *LinearModel) PredictRows(ctx context.Context, rows any) ([]float64, error) {
	return m.how().batch(ctx, &m.Reader, rows)
}

func (m *LinearModel) how() predictor[float64] {
	return func(ctx context.Context, in feed) ([]float64, error) {
		return m.evaluate(ctx, in, m.Coef, m.Intercept, func(v float64) float64 { return num.Clamp(v, m.Lo, m.Hi) })
	}
}

// RMSE is the root of the mean squared error of the predictions. Evaluating on private rows would leak: it takes only
// data that its owner declared public.
func (m *LinearModel) RMSE(ctx context.Context, test *frames.PublicFrame) (float64, error) {
	return rmse(ctx, test, func(label frames.Column, ok bool) error {
		if !ok || label.Name != m.Label || len(label.Levels) > 0 {
			return fmt.Errorf("the data has no numeric label %q", m.Label)
		}
		return nil
	}, m.Predict)
}

// String tells the model's shape.
func (m LinearModel) String() string {
	return origin.Under(m.Provenance, fmt.Sprintf("linear model of %s on %d columns", m.Label, len(m.Coef)))
}

type (
	plainLinear LinearModel // without its methods
	linearFile  struct {
		modelHeader
		plainLinear
	}
)

// MarshalJSON writes the model with its kind, version and provenance, for UnmarshalJSON in another process.
func (m LinearModel) MarshalJSON() ([]byte, error) {
	return json.Marshal(linearFile{modelHeader{LinearKind, modelVersion}, plainLinear(m)})
}

// UnmarshalJSON reads what MarshalJSON writes. It checks everything that prediction rests on, and that the program knows
// every function of the row maps; errors wrap [ErrModelFile].
func (m *LinearModel) UnmarshalJSON(data []byte) error {
	return readModel(data, LinearKind, m, func(f linearFile) LinearModel { return LinearModel(f.plainLinear) })
}

func (m *LinearModel) Check() error {
	if m.Label == "" || !(m.Lo < m.Hi) || math.IsInf(m.Hi-m.Lo, 1) {
		return fmt.Errorf("label %q in [%g, %g], want a name and finite lo < hi", m.Label, m.Lo, m.Hi)
	}
	if err := KnownFit(m.Method); err != nil {
		return err
	}
	if n := len(m.Errors); n != 0 && n != len(m.Coef) {
		return fmt.Errorf("got %d errors for %d coefficients", n, len(m.Coef))
	}
	for j, v := range m.Errors {
		if !(v >= 0) {
			return fmt.Errorf("error %d: got %g, want at least 0", j+1, v)
		}
	}
	if !(m.InterceptError >= 0) || m.Freedom < 0 {
		return fmt.Errorf("got error %g of the intercept and %d degrees of freedom, want at least 0", m.InterceptError, m.Freedom)
	}
	return m.Reader.check(m.Columns, &m.Provenance, m.Coef)
}

// KnownFit reports a method that no fit names in its model.
func KnownFit(method string) error {
	switch method {
	case BestLinear, LinearMixing, AdaSSP, LabelMean, OutputPerturbation, RelativeGaussianDescent, Sheffet2017, Sheffet2017Exact,
		HuberByObjective, localClipped, localRelative:
		return nil
	}
	return fmt.Errorf("method: got %q, want one that dpkit's fits name in their models", method)
}
