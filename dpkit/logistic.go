package dpkit

import (
	"fmt"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/glm"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
)

// A LogisticMethod says how [Pipeline.FitLogistic] spends its budget: [ByGradient], which takes rows that earlier steps displaced,
// [ByObjective], with less noise where no row is displaced, or [ByMixing]. Package baseline has another, for comparison.
type LogisticMethod interface {
	// Logistic is the fit.
	Logistic() mechanism.Mechanism[LogisticModel]
}

// FitLogistic fits a logistic model of the schema's two-class label on all features: FitLogistic(ByGradient{Epsilon: 1, Delta: 1e-6}).
//
// Memory: every step of [ByGradient] reads all rows. Up to 2^25 cells (256 MB) they are held; a larger table is
// read anew for each of the T steps, from its file and through the chain, in constant memory.
//
//go:noinline
func (p Pipeline) FitLogistic(how LogisticMethod) Plan[LogisticModel] {
	how = kind.PointedTo(how)
	if g, ok := how.(ByGradient); ok {
		g.Solver = kind.PointedTo(g.Solver)
		how = g
	}
	if how == nil {
		return newPlan[LogisticModel](p, mechanism.Broken[LogisticModel]{Call: "FitLogistic", Err: fmt.Errorf("got no method, want dpkit.ByGradient{…}, ByObjective{…} or ByMixing{…}: %w", ErrParameter)})
	}
	return newPlanAmong(p, how.Logistic(), logisticEnds)
}

// ByMixing is logistic regression by least squares on a Gaussian sketch of the rows (Lev et al. 2025, § 5.2).
// The loss ln(1 + e^−s) of the signed margin s is replaced by the parabola b₀ + b₁s + b₂s² that meets it at the three Chebyshev
// nodes of [−Q, Q]; then the best coefficients are those of least squares on labels ±1, times −b₁/2b₂.
//
// Departures: b₁ = −½ and b₂ are coefficients of monomials, where the authors' code takes those of Chebyshev polynomials, so that its
// coefficients are 3 times too small at Q = 6; the loss is minimised, where the text maximises it; noise is (γ − 1)C² by the exact
// profile. Classes do not depend on the scale, probabilities do. Prefer [ByObjective].
//
// Its fields:
//
//	Epsilon, Delta float64 // target; no defaults
//	Range          float64 // Q, a public guess of the largest margin; 0: 3
//	Rows           int     // k: rows of the sketch; 0: 8 for each coefficient and the label
//	LabelScale     float64 // bound on the scaled label beside the features, in units of R̃; 0: chosen for the predicted error
//	NoIntercept    bool    // leave the constant feature out
type ByMixing = glm.ByMixing

// LogisticModel is a fitted logistic regression. Coefficients are in the units of the encoded and
// scaled rows; the public maps that lead there are part of the model, so that it reads raw rows.
//
// Its fields:
//
//	Label     string
//	Classes   [2]string // the second is the positive class
//	Columns   []string  // encoded features, in the order of Coef
//	Coef      []float64
//	Intercept float64
//	// Law is what bounds the noise in the coefficients; nil of a model that an earlier version stored. See Uncertainty.
//	Law *coefficient.Law
//	// Schema is that of the training rows: a row to predict has its features, in order, with the same levels.
//	Schema frames.Schema
//	Maps   stage.RowMap
//	Provenance
//
// Its methods:
//
//	Accuracy(ctx context.Context, test *frames.PublicFrame) (float64, error)
//		Accuracy is the share of rows whose class the model predicts.
//	Gota() dataframe.DataFrame
//		Gota is the coefficients as a gota frame: "name", "value", "low", "high", and what the release promises, as
//		LinearModel.Gota has it.
//	Inputs() frames.Schema
//		Inputs is the schema of the columns that prediction reads, without the label and without features that the chain drops.
//	Predict(ctx context.Context, src *frames.PublicFrame) ([]float64, error)
//		Predict returns the probability of the positive class for every row of src, in order.
//	PredictGota(ctx context.Context, df dataframe.DataFrame) (dataframe.DataFrame, error)
//		PredictGota is LinearModel.PredictGota of a logistic model: the probability of the positive class.
//	PredictRow(row any) (float64, error)
//		PredictRow is LinearModel.PredictRow of a logistic model: the probability of the positive class.
//	PredictRows(ctx context.Context, rows any) ([]float64, error)
//		PredictRows is LinearModel.PredictRows of a logistic model.
//	Uncertainty(level float64) (coefficient.Uncertainty, error)
//		Uncertainty is LinearModel.Uncertainty of a logistic model.
type LogisticModel = models.LogisticModel
