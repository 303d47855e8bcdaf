package models

import (
	"context"
	"slices"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"

	"github.com/dpkit-go/dpnb/dpkit/coefficient"
	"github.com/dpkit-go/dpnb/dpkit/internal/origin"
)

// interceptName is the constant among a model's coefficients.
const interceptName = coefficient.Intercept

// coefficients are the names and values of a vector of coefficients, the intercept last.
func coefficients(columns []string, coef []float64, intercept float64) (names []string, values []float64) {
	return append(slices.Clone(columns), interceptName), append(slices.Clone(coef), intercept)
}

// gotaOf is a vector of coefficients as a gota frame, with margins where they are known.
func gotaOf(o origin.Provenance, columns []string, coef []float64, intercept float64, margins []float64) dataframe.DataFrame {
	names, values := coefficients(columns, coef, intercept)
	low, high := origin.Around(values, margins)
	return origin.Gota(o, origin.Words("name", names), origin.Numbers("value", values), low, high)
}

// gotaByOutput is [gotaOf] for a vector of coefficients for each output, such as a class, which the column "of" names.
func gotaByOutput(o origin.Provenance, outputs, columns []string, coef [][]float64, intercept, margins []float64) dataframe.DataFrame {
	var of, names []string
	var values []float64
	for k := range min(len(outputs), len(coef), len(intercept)) { // a model that is half there is told as far as it goes
		n, v := coefficients(columns, coef[k], intercept[k])
		of, names, values = append(of, origin.Repeated(outputs[k], len(n))...), append(names, n...), append(values, v...)
	}
	if len(margins) != len(values) {
		margins = nil
	}
	low, high := origin.Around(values, margins)
	return origin.Gota(o, origin.Words("of", of), origin.Words("name", names), origin.Numbers("value", values), low, high)
}

// Gota is the coefficients as a gota frame of one row each, the intercept last: "name", "value", "low" and "high" of the interval of
// Uncertainty at 0.95 (gota's NaN where signs and sizes cannot be read), and what the release promises, in every row: "epsilon", "delta",
// "unit", "entry" of the ledger, and "promise", the guarantee in words.
func (m *LinearModel) Gota() dataframe.DataFrame {
	return gotaOf(m.Provenance, m.Columns, m.Coef, m.Intercept, margins95(m.Uncertainty(0.95)))
}

// Gota is the coefficients as a gota frame: "name", "value", "low", "high", and what the release promises, as [LinearModel.Gota] has it.
func (m *LogisticModel) Gota() dataframe.DataFrame {
	return gotaOf(m.Provenance, m.Columns, m.Coef, m.Intercept, margins95(m.Uncertainty(0.95)))
}

// Gota is the coefficients as a gota frame: "name", "value", "low", "high", and what the release promises, as [LinearModel.Gota] has it.
func (m *ClassModel) Gota() dataframe.DataFrame {
	return gotaOf(m.Provenance, m.Columns, m.Coef, m.Intercept, margins95(m.Uncertainty(0.95)))
}

// Gota is the coefficients as a gota frame: "name", "value", "low", "high", and what the release promises, as [LinearModel.Gota] has it.
func (m *RateModel) Gota() dataframe.DataFrame {
	return gotaOf(m.Provenance, m.Columns, m.Coef, m.Intercept, margins95(m.Uncertainty(0.95)))
}

// Gota is the coefficients of every class as a gota frame: "of" (the class), "name", "value", "low", "high", and what the release
// promises, as [LinearModel.Gota] has it.
func (m *MultinomialModel) Gota() dataframe.DataFrame {
	return gotaByOutput(m.Provenance, m.Classes, m.Columns, m.Coef, m.Intercepts, margins95(m.Uncertainty(0.95)))
}

// Gota is the coefficients of every score as a gota frame: "of" (the class, or the label where there is one score), "name",
// "value", "low", "high", and what the release promises, as [LinearModel.Gota] has it.
func (m *GradientModel) Gota() dataframe.DataFrame {
	outputs := m.Classes
	if len(m.Coef) == 1 {
		outputs = []string{m.Label}
	}
	return gotaByOutput(m.Provenance, outputs, m.Columns, m.Coef, m.Intercept, margins95(m.Uncertainty(0.95)))
}

// Gota is the coefficients as a gota frame: "name", "value", "privacy" and "sampling" (their standard deviations by the noise and by
// the rows being a sample), and what the release promises, as [LinearModel.Gota] has it.
func (m *UnboundedModel) Gota() dataframe.DataFrame {
	names, values := coefficients(m.Columns, m.Coef, m.Intercept)
	return origin.Gota(m.Provenance, origin.Words("name", names), origin.Numbers("value", values),
		origin.Numbers("privacy", append(slices.Clone(m.Privacy), m.InterceptPrivacy)),
		origin.Numbers("sampling", append(slices.Clone(m.Sampling), m.InterceptSampling)))
}

// gota is the predictions for a gota frame, and the promise of the model that made them.
func (p predictor[P]) gota(ctx context.Context, m *Reader, o origin.Provenance, df dataframe.DataFrame, column func([]P) series.Series) (dataframe.DataFrame, error) {
	found, err := p.batch(ctx, m, df)
	if err != nil {
		return dataframe.DataFrame{}, err
	}
	return origin.Gota(o, column(found)), nil
}

func predictedNumbers(v []float64) series.Series { return origin.Numbers("predicted", v) }

// predictedClasses names classes by their places.
func predictedClasses(classes []string) func([]int) series.Series {
	return func(at []int) series.Series {
		names := make([]string, len(at))
		for i, k := range at {
			names[i] = classes[k]
		}
		return origin.Words("predicted", names)
	}
}

// PredictGota predicts the rows of a gota frame, in order, as [LinearModel.PredictRows] does: a frame with "predicted" and what the
// model's release promises, to be bound to the rows by CBind. Rows that are private have private predictions.
func (m *LinearModel) PredictGota(ctx context.Context, df dataframe.DataFrame) (dataframe.DataFrame, error) {
	return m.how().gota(ctx, &m.Reader, m.Provenance, df, predictedNumbers)
}

// PredictGota is [LinearModel.PredictGota] of a logistic model: the probability of the positive class.
func (m *LogisticModel) PredictGota(ctx context.Context, df dataframe.DataFrame) (dataframe.DataFrame, error) {
	return m.how().gota(ctx, &m.Reader, m.Provenance, df, predictedNumbers)
}

// PredictGota is [LinearModel.PredictGota] of a Poisson model: the rate.
func (m *RateModel) PredictGota(ctx context.Context, df dataframe.DataFrame) (dataframe.DataFrame, error) {
	return m.how().gota(ctx, &m.Reader, m.Provenance, df, predictedNumbers)
}

// PredictGota is [LinearModel.PredictGota] of a linear classifier: the name of the class.
func (m *ClassModel) PredictGota(ctx context.Context, df dataframe.DataFrame) (dataframe.DataFrame, error) {
	return m.how().gota(ctx, &m.Reader, m.Provenance, df, predictedClasses(m.Classes[:]))
}

// PredictGota is [LinearModel.PredictGota] of a classifier into several classes: the name of the class.
func (m *MultinomialModel) PredictGota(ctx context.Context, df dataframe.DataFrame) (dataframe.DataFrame, error) {
	return m.how().gota(ctx, &m.Reader, m.Provenance, df, predictedClasses(m.Classes))
}

// PredictGota is [LinearModel.PredictGota] of what FitConvex fitted: a number, or the place of a class in Classes.
func (m *GradientModel) PredictGota(ctx context.Context, df dataframe.DataFrame) (dataframe.DataFrame, error) {
	return m.how().gota(ctx, &m.Reader, m.Provenance, df, predictedNumbers)
}

// PredictGota is [LinearModel.PredictGota] of a model of columns without bounds.
func (m *UnboundedModel) PredictGota(ctx context.Context, df dataframe.DataFrame) (dataframe.DataFrame, error) {
	return m.how().gota(ctx, &m.Reader, m.Provenance, df, predictedNumbers)
}
