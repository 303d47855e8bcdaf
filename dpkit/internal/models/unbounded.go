package models

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"text/tabwriter"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/internal/origin"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/quad"
)

// UnboundedModel is a fitted linear model: Intercept + ⟨Coef, x⟩ predicts a numeric label, clamped to its bounds if it has
// any. Of two classes it tells the second where it is above 0: up to a positive factor, unless the scale was recovered.
type UnboundedModel struct {
	Label   string    `json:"label"`
	Classes []string  `json:"classes,omitempty"` // of a label of two classes; the second is the positive one
	Bounds  []float64 `json:"bounds,omitempty"`  // public bounds of a numeric label that has them
	Columns []string  `json:"columns"`
	Coef    []float64 `json:"coef"`
	// Privacy are the standard deviations of the coefficients by the noise, to first order, and Sampling those by the
	// rows being a sample, where residuals do not depend on the features.
	Privacy           []float64 `json:"privacy"`
	Sampling          []float64 `json:"sampling"`
	Intercept         float64   `json:"intercept"`
	InterceptPrivacy  float64   `json:"intercept_privacy,omitempty"`
	InterceptSampling float64   `json:"intercept_sampling,omitempty"`
	Residual          float64   `json:"residual"` // standard deviation of what the model leaves of the label, or of ±1
	// Noise bounds, but for 1 in 1000, the relative error of the noise on the moments of the features. First-order errors are
	// good while it is well below 1.
	Noise   float64 `json:"noise"`
	Refused string  `json:"refused,omitempty"` // why the coefficients are not to be used; empty if they are
	Link    Link    `json:"link,omitempty"`
	Scaled  bool    `json:"scaled,omitempty"` // the coefficients are those of the link, not their direction alone
	Noisy
	Reader
	origin.Provenance
}

func (m *UnboundedModel) usable(what string) error {
	if m.Refused != "" {
		return fmt.Errorf("dpkit: %s: %s: %w", what, m.Refused, ErrRefused)
	}
	return nil
}

// Predict returns for every row of src, in order, the label; of two classes the probability of the second if the
// scale was recovered, else the score, whose sign alone has a meaning. Predictions on private rows are private.
func (m *UnboundedModel) Predict(ctx context.Context, src *frames.PublicFrame) ([]float64, error) {
	return m.how().frame(ctx, src)
}

// PredictRow is [LinearModel.PredictRow] of a model of columns without bounds.
func (m *UnboundedModel) PredictRow(row any) (float64, error) { return m.how().row(&m.Reader, row) }

// PredictRows is [LinearModel.PredictRows] of a model of columns without bounds.
func (m *UnboundedModel) PredictRows(ctx context.Context, rows any) ([]float64, error) {
	return m.how().batch(ctx, &m.Reader, rows)
}

func (m *UnboundedModel) how() predictor[float64] {
	return func(ctx context.Context, in feed) ([]float64, error) {
		if err := m.usable("predict"); err != nil {
			return nil, err
		}
		link := func(v float64) float64 { return v }
		switch {
		case m.Scaled:
			link = m.Link.Probability
		case len(m.Bounds) == 2:
			link = func(v float64) float64 { return num.Clamp(v, m.Bounds[0], m.Bounds[1]) }
		}
		return m.evaluate(ctx, in, m.Coef, m.Intercept, link)
	}
}

// RMSE is the root of the mean squared error of the predictions of a numeric label, on public rows.
func (m *UnboundedModel) RMSE(ctx context.Context, test *frames.PublicFrame) (float64, error) {
	if err := m.usable("RMSE"); err != nil {
		return 0, err
	}
	l := LinearModel{Label: m.Label, Lo: math.Inf(-1), Hi: math.Inf(1), Coef: m.Coef, Intercept: m.Intercept, Reader: m.Reader}
	if len(m.Bounds) == 2 {
		l.Lo, l.Hi = m.Bounds[0], m.Bounds[1]
	}
	return l.RMSE(ctx, test)
}

// Accuracy is the share of public rows whose class the model predicts.
func (m *UnboundedModel) Accuracy(ctx context.Context, test *frames.PublicFrame) (float64, error) {
	if err := m.usable("accuracy"); err != nil {
		return 0, err
	}
	if len(m.Classes) != 2 {
		return 0, fmt.Errorf("dpkit: accuracy: the model is of a number, not of two classes; use RMSE: %w", stage.ErrColumn)
	}
	l := LogisticModel{Label: m.Label, Classes: [2]string(m.Classes), Coef: m.Coef, Intercept: m.Intercept, Reader: m.Reader}
	return l.Accuracy(ctx, test)
}

// Intervals returns a confidence interval for each coefficient of the best linear predictor of the population, and for the
// intercept, "(intercept)", last: normal ones, for noise and sampling together, to first order in both.
func (m *UnboundedModel) Intervals(level float64) ([]Interval, error) {
	if !(level > 0 && level < 1) {
		return nil, fmt.Errorf("dpkit: intervals: level: got %g, want a number in (0, 1): %w", level, kind.ErrParameter)
	}
	if err := m.usable("intervals"); err != nil {
		return nil, err
	}
	if m.Scaled || len(m.Privacy) != len(m.Coef) || len(m.Sampling) != len(m.Coef) || len(m.Columns) != len(m.Coef) {
		return nil, fmt.Errorf("dpkit: intervals: the errors of recovered scales are not known; fit without Link: %w", kind.ErrParameter)
	}
	q := -quad.NormalQuantile((1 - level) / 2)
	var out []Interval
	add := func(name string, at, a, b float64) {
		h := q * math.Hypot(a, b)
		out = append(out, Interval{Name: name, Lo: at - h, Hi: at + h})
	}
	for j, name := range m.Columns {
		add(name, m.Coef[j], m.Privacy[j], m.Sampling[j])
	}
	if m.InterceptSampling > 0 {
		add("(intercept)", m.Intercept, m.InterceptPrivacy, m.InterceptSampling)
	}
	return out, nil
}

// String is a plain table.
func (m UnboundedModel) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "linear model of %s on %d columns without bounds", m.Label, len(m.Coef))
	switch {
	case m.Refused != "":
		fmt.Fprintf(&b, "\nREFUSED: %s\n", m.Refused)
		return origin.Under(m.Provenance, b.String())
	case len(m.Classes) == 2 && m.Scaled:
		fmt.Fprintf(&b, ": %s, %s link", m.Classes[1], m.Link)
	case len(m.Classes) == 2:
		fmt.Fprintf(&b, ": %s where the score is above 0, up to a positive factor", m.Classes[1])
	}
	b.WriteString("\n")
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "column\tcoefficient\tsd by noise\tsd by sampling")
	for j, c := range m.Coef {
		fmt.Fprintf(w, "%s\t%.6g\t%.2g\t%.2g\n", m.Columns[j], c, m.Privacy[j], m.Sampling[j])
	}
	fmt.Fprintf(w, "(intercept)\t%.6g\t%.2g\t%.2g\n", m.Intercept, m.InterceptPrivacy, m.InterceptSampling)
	w.Flush() // a strings.Builder does not fail
	u, err := m.Uncertainty(0.95)
	return told(m.Provenance, b.String(), u, err)
}

type (
	plainUnbounded UnboundedModel // without its methods
	unboundedFile  struct {
		modelHeader
		plainUnbounded
	}
)

// MarshalJSON is [LinearModel.MarshalJSON] of a model of columns without bounds.
func (m UnboundedModel) MarshalJSON() ([]byte, error) {
	return json.Marshal(unboundedFile{modelHeader{unboundedKind, modelVersion}, plainUnbounded(m)})
}

// UnmarshalJSON is [LinearModel.UnmarshalJSON] of a model of columns without bounds.
func (m *UnboundedModel) UnmarshalJSON(data []byte) error {
	return readModel(data, unboundedKind, m, func(f unboundedFile) UnboundedModel { return UnboundedModel(f.plainUnbounded) })
}

func (m *UnboundedModel) Check() error {
	if m.Label == "" {
		return fmt.Errorf("got no name of the label")
	}
	for _, sd := range []struct {
		what string
		of   []float64
	}{{"noise", m.Privacy}, {"sampling", m.Sampling}} {
		if n := len(sd.of); n != 0 && n != len(m.Coef) {
			return fmt.Errorf("got %d errors by %s for %d coefficients", n, sd.what, len(m.Coef))
		}
	}
	if err := m.Law.Check(len(m.Coef) + 1); err != nil {
		return err
	}
	return m.Reader.check(m.Columns, &m.Provenance, m.Coef)
}
