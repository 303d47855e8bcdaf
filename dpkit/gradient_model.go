package dpkit

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/frames"
)

// GradientModel is a fitted linear model: scores ⟨Coef[k], x⟩ + Intercept[k], one for a label of two classes or a number and one for
// each class otherwise. Coefficients are in the units of the encoded and scaled rows; the public maps that lead there are part
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
	Reader
	Provenance
}

// Scores returns the scores of every row of src, Scores[k][i] that of row i for the k-th vector of coefficients. Missing cells are
// filled with public values. Scores of private rows are private: only a model's coefficients are released.
func (m *GradientModel) Scores(ctx context.Context, src *frames.PublicFrame) ([][]float64, error) {
	if len(m.Coef) == 0 || len(m.Intercept) != len(m.Coef) {
		return nil, fmt.Errorf("dpkit: scores: the model has %d vectors of coefficients and %d intercepts; store and read all of it: %w", len(m.Coef), len(m.Intercept), ErrParameter)
	}
	var out [][]float64
	for k, coef := range m.Coef {
		s, err := m.predict(ctx, src, coef, m.Intercept[k], func(v float64) float64 { return v })
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
	scores, err := m.Scores(ctx, src)
	if err != nil {
		return nil, err
	}
	out := make([]float64, len(scores[0]))
	for i := range out {
		switch {
		case len(m.Classes) == 0:
			out[i] = clamp(scores[0][i], m.Lo, m.Hi)
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

// Accuracy is the share of rows whose class the model predicts. Evaluating on private rows would leak: it takes only data that
// its owner declared public.
func (m *GradientModel) Accuracy(ctx context.Context, test *frames.PublicFrame) (float64, error) {
	if len(m.Classes) == 0 {
		return 0, fmt.Errorf("dpkit: accuracy: the model's label %q is a number; ask for RMSE: %w", m.Label, ErrParameter)
	}
	right, n, err := m.compare(ctx, test, "accuracy", func(predicted, y float64) float64 {
		if predicted == y {
			return 1
		}
		return 0
	})
	return right / n, err
}

// RMSE is the root of the mean squared error of the predictions of a numeric label, on data that its owner declared public.
func (m *GradientModel) RMSE(ctx context.Context, test *frames.PublicFrame) (float64, error) {
	if len(m.Classes) > 0 {
		return 0, fmt.Errorf("dpkit: RMSE: the model's label %q has classes; ask for Accuracy: %w", m.Label, ErrParameter)
	}
	squares, n, err := m.compare(ctx, test, "RMSE", func(predicted, y float64) float64 { return (predicted - y) * (predicted - y) })
	return math.Sqrt(squares / n), err
}

// compare sums a score of predictions over the rows of test.
func (m *GradientModel) compare(ctx context.Context, test *frames.PublicFrame, what string, score func(predicted, y float64) float64) (sum, n float64, err error) {
	if test == nil {
		return 0, 1, fmt.Errorf("dpkit: %s: got no frame, want one that frames.Public returned: %w", what, ErrParameter)
	}
	label, ok := test.Schema().Label()
	if !ok || label.Name != m.Label || !slices.Equal(label.Levels, m.Classes) {
		return 0, 1, fmt.Errorf("dpkit: %s: the data has no label %q with levels %q in this order; load the rows with the schema of the training rows: %w", what, m.Label, m.Classes, ErrColumn)
	}
	if test.Rows() == 0 {
		return 0, 1, fmt.Errorf("dpkit: %s: got no rows: %w", what, ErrParameter)
	}
	p, err := m.Predict(ctx, test)
	if err != nil {
		return 0, 1, err
	}
	var total neumaier
	at := 0
	err = test.Frame().Scan(ctx, func(b *frames.Block) error {
		for _, y := range b.Y {
			total.add(score(p[at], y))
			at++
		}
		return nil
	})
	return total.sum(), float64(len(p)), err
}

// String tells the model's shape.
func (m GradientModel) String() string {
	return fmt.Sprintf("linear model of %s by %s, %d × %d coefficients", m.Label, m.Loss, len(m.Coef), len(m.Columns))
}

// plainGradient is the model without its methods.
type plainGradient GradientModel

type gradientFile struct {
	modelHeader
	plainGradient
}

// MarshalJSON is [LinearModel.MarshalJSON] of a model by noisy gradients.
func (m GradientModel) MarshalJSON() ([]byte, error) {
	return json.Marshal(gradientFile{modelHeader{gradientKind, modelVersion}, plainGradient(m)})
}

// UnmarshalJSON is [LinearModel.UnmarshalJSON] of a model by noisy gradients.
func (m *GradientModel) UnmarshalJSON(data []byte) error {
	var f gradientFile
	if err := readModel(data, gradientKind, &f); err != nil {
		return err
	}
	return takeModel(m, GradientModel(f.plainGradient), f.Version, (*GradientModel).check)
}

func (m *GradientModel) check() error {
	if m.Label == "" || len(m.Coef) == 0 || len(m.Intercept) != len(m.Coef) {
		return fmt.Errorf("label %q with %d rows of coefficients and %d intercepts, want a name and as many", m.Label, len(m.Coef), len(m.Intercept))
	}
	if rows := len(m.Classes); rows > 0 {
		if err := checkClasses(m.Label, m.Classes); err != nil {
			return err
		}
		if rows == 2 {
			rows = 1
		}
		if len(m.Coef) != rows {
			return fmt.Errorf("got %d rows of coefficients for %d classes", len(m.Coef), len(m.Classes))
		}
	}
	for _, coef := range m.Coef {
		if err := m.Reader.check(m.Columns, coef, &m.Provenance); err != nil {
			return err
		}
	}
	return nil
}
