package models

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/internal/origin"
	"github.com/dpkit-go/dpnb/frames"
)

// GradientModel is a fitted linear model: scores ⟨Coef[k], x⟩ + Intercept[k], one for a number or for the second of two classes,
// and one for each class by a SoftmaxLoss. Coefficients are in the units of the encoded and scaled rows; the public maps that lead there are part
// of the model, so that it reads raw rows.
type GradientModel struct {
	Label     string      `json:"label"`
	Loss      string      `json:"loss"`
	Classes   []string    `json:"classes,omitempty"` // of two, the second is the positive one; none for a number
	Lo        float64     `json:"lo,omitempty"`      // public bounds of a numeric label
	Hi        float64     `json:"hi,omitempty"`
	Columns   []string    `json:"columns"` // encoded features, in the order of each vector of Coef
	Coef      [][]float64 `json:"coef"`
	Intercept []float64   `json:"intercept"`
	Noisy
	Reader
	origin.Provenance
}

// Scores returns the scores of every row, Scores[k][i] that of row i for the k-th vector of coefficients. Rows are what
// [LinearModel.PredictRows] takes; of one row, a slice of it alone. Missing cells are filled with public values. Scores of private
// rows are private: only a model's coefficients are released.
func (m *GradientModel) Scores(ctx context.Context, rows any) ([][]float64, error) {
	in, err := m.feedOf(ctx, rows)
	if err != nil {
		return nil, err
	}
	return m.scores(ctx, in)
}

func (m *GradientModel) scores(ctx context.Context, in feed) ([][]float64, error) {
	if len(m.Coef) == 0 || len(m.Intercept) != len(m.Coef) {
		return nil, fmt.Errorf("dpkit: scores: the model has %d vectors of coefficients and %d intercepts; store and read all of it: %w", len(m.Coef), len(m.Intercept), kind.ErrParameter)
	}
	var out [][]float64
	for k, coef := range m.Coef {
		s, err := m.evaluate(ctx, in, coef, m.Intercept[k], func(v float64) float64 { return v })
		if err != nil {
			return nil, err
		}
		out = append(out, s)
	}
	return out, nil
}

// Predict returns the predicted label of every row of src, in order: a number within the label's public bounds, or the
// place of a class in Classes.
func (m *GradientModel) Predict(ctx context.Context, src *frames.PublicFrame) ([]float64, error) {
	return m.how().frame(ctx, src)
}

// PredictRow is [LinearModel.PredictRow] of a model by noisy gradients: a number, or the place of a class in Classes.
func (m *GradientModel) PredictRow(row any) (float64, error) { return m.how().row(&m.Reader, row) }

// PredictRows is [LinearModel.PredictRows] of a model by noisy gradients.
func (m *GradientModel) PredictRows(ctx context.Context, rows any) ([]float64, error) {
	return m.how().batch(ctx, &m.Reader, rows)
}

func (m *GradientModel) how() predictor[float64] {
	return func(ctx context.Context, in feed) ([]float64, error) {
		scores, err := m.scores(ctx, in)
		if err != nil {
			return nil, err
		}
		out := make([]float64, len(scores[0]))
		for i := range out {
			switch {
			case len(m.Classes) == 0:
				out[i] = num.Clamp(scores[0][i], m.Lo, m.Hi)
			case len(scores) == 1:
				if scores[0][i] > 0 {
					out[i] = 1
				}
			default:
				best := 0
				for k := range scores {
					if scores[k][i] > scores[best][i] {
						best = k
					}
				}
				out[i] = float64(best)
			}
		}
		return out, nil
	}
}

// Accuracy is the share of rows whose class the model predicts. Evaluating on private rows would leak: it takes only data that
// its owner declared public.
func (m *GradientModel) Accuracy(ctx context.Context, test *frames.PublicFrame) (float64, error) {
	if len(m.Classes) == 0 {
		return 0, fmt.Errorf("dpkit: accuracy: the model's label %q is a number; ask for RMSE: %w", m.Label, kind.ErrParameter)
	}
	return meanScore(ctx, test, "accuracy", m.fits, m.Predict, hit[float64])
}

// RMSE is the root of the mean squared error of the predictions of a numeric label, on data that its owner declared public.
func (m *GradientModel) RMSE(ctx context.Context, test *frames.PublicFrame) (float64, error) {
	if len(m.Classes) > 0 {
		return 0, fmt.Errorf("dpkit: RMSE: the model's label %q has classes; ask for Accuracy: %w", m.Label, kind.ErrParameter)
	}
	return rmse(ctx, test, m.fits, m.Predict)
}

func (m *GradientModel) fits(label frames.Column, ok bool) error {
	if !ok || label.Name != m.Label || !slices.Equal(label.Levels, m.Classes) {
		return fmt.Errorf("the data has no label %q with levels %q in this order; load the rows with the schema of the training rows", m.Label, m.Classes)
	}
	return nil
}

// String tells the model's shape.
func (m GradientModel) String() string {
	u, err := m.Uncertainty(0.95)
	return told(m.Provenance, fmt.Sprintf("linear model of %s by %s, %d × %d coefficients", m.Label, m.Loss, len(m.Coef), len(m.Columns)), u, err)
}

type (
	plainGradient GradientModel // without its methods
	gradientFile  struct {
		modelHeader
		plainGradient
	}
)

// MarshalJSON is [LinearModel.MarshalJSON] of a model by noisy gradients.
func (m GradientModel) MarshalJSON() ([]byte, error) {
	return json.Marshal(gradientFile{modelHeader{gradientKind, modelVersion}, plainGradient(m)})
}

// UnmarshalJSON is [LinearModel.UnmarshalJSON] of a model by noisy gradients.
func (m *GradientModel) UnmarshalJSON(data []byte) error {
	return readModel(data, gradientKind, m, func(f gradientFile) GradientModel { return GradientModel(f.plainGradient) })
}

func (m *GradientModel) Check() error {
	if m.Label == "" || len(m.Coef) == 0 || len(m.Intercept) != len(m.Coef) {
		return fmt.Errorf("label %q with %d rows of coefficients and %d intercepts, want a name and as many", m.Label, len(m.Coef), len(m.Intercept))
	}
	if rows := len(m.Classes); rows > 0 {
		if err := checkClasses(m.Label, m.Classes); err != nil {
			return err
		}
		if margin := rows == 2 && len(m.Coef) == 1; !margin && len(m.Coef) != rows { // a softmax has a score for each of two classes
			return fmt.Errorf("got %d rows of coefficients for %d classes", len(m.Coef), len(m.Classes))
		}
	}
	if err := m.Law.Check(len(m.Coef) * (len(m.Columns) + 1)); err != nil {
		return err
	}
	return m.Reader.check(m.Columns, &m.Provenance, m.Coef...)
}
