package glm

import (
	"cmp"
	"context"
	"fmt"

	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/linear"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/quad"
)

// ByMixing is logistic regression by least squares on a Gaussian sketch of the rows (Lev et al. 2025, § 5.2).
// The loss ln(1 + e^−s) of the signed margin s is replaced by the parabola b₀ + b₁s + b₂s² that meets it at the three Chebyshev
// nodes of [−Q, Q]; then the best coefficients are those of least squares on labels ±1, times −b₁/2b₂.
//
// Departures: b₁ = −½ and b₂ are coefficients of monomials, where the authors' code takes those of Chebyshev polynomials, so that its
// coefficients are 3 times too small at Q = 6; the loss is minimised, where the text maximises it; noise is (γ − 1)C² by the exact
// profile. Classes do not depend on the scale, probabilities do. Prefer [ByObjective].
type ByMixing struct {
	Epsilon, Delta float64 // target; no defaults
	Range          float64 // Q, a public guess of the largest margin; 0: 3
	Rows           int     // k: rows of the sketch; 0: 8 for each coefficient and the label
	LabelScale     float64 // bound on the scaled label beside the features, in units of R̃; 0: chosen for the predicted error
	NoIntercept    bool    // leave the constant feature out
}

// Logistic is the fit with the logistic loss.
func (m ByMixing) Logistic() mechanism.Mechanism[models.LogisticModel] { return MixingFit{m} }

// MixingFit is logistic regression by a Gaussian sketch.
type MixingFit struct {
	ByMixing
}

func (MixingFit) Kind() kind.Kind {
	return kind.Kind{Name: "fit/logistic-mixing", Law: 1, Call: "FitLogistic", Was: "dpkit.logisticMixing"}
}

func (l MixingFit) linear() linear.Fit {
	return linear.Fit{How: linear.Sketched{LinearMixing: linear.LinearMixing{
		Epsilon: l.Epsilon, Delta: l.Delta, NoIntercept: l.NoIntercept, LabelScale: l.LabelScale, Rows: l.Rows,
	}}}
}

const defaultRange = 3

// Scale is −b₁/2b₂.
func (l MixingFit) Scale() float64 {
	_, b1, b2 := quad.LogisticQuadratic(cmp.Or(l.Range, defaultRange))
	return -b1 / (2 * b2)
}

// numeric checks the settings and returns the stage with the label's codes 0 and 1 as numbers.
func (l MixingFit) numeric(st stage.Stage) (stage.Stage, error) {
	if l.Range != 0 && !(l.Range >= 1e-3 && l.Range <= 1e3) {
		return st, fmt.Errorf("range Q of the margins, Range: got %g, want a number in [1e-3, 1e3], or 0 for the default: %w", l.Range, kind.ErrParameter)
	}
	if err := domain.Classifiable(st.In); err != nil {
		return st, err
	}
	cols := st.In.Columns()
	for i, c := range cols {
		if c.Kind == frames.KindLabel {
			cols[i] = frames.NumericLabel(c.Name, 0, 1)
		}
	}
	in, err := frames.NewSchema(cols...)
	st.In = in
	return st, err
}

func (l MixingFit) Settle(st stage.Stage) (mechanism.Settled[models.LogisticModel], error) {
	as, err := l.numeric(st)
	if err != nil {
		return mechanism.Settled[models.LogisticModel]{}, err
	}
	codes, err := l.linear().Settle(as)
	if err != nil {
		return mechanism.Settled[models.LogisticModel]{}, err
	}
	b := codes.Bill
	b.Cost.Name = kind.Describe(l)
	b.Cost.Constants = append(b.Cost.Constants, stage.Constant{Symbol: "Q", Value: cmp.Or(l.Range, defaultRange), Origin: stage.FromParameter, Meaning: "range of margins on which a parabola stands for the loss"})
	out := mechanism.Settled[models.LogisticModel]{Bill: b, Once: codes.Once, Read: mechanism.DrawnAs(codes.Read, func(m models.LinearModel) models.LogisticModel { return l.model(st.In, m) })}
	out.Predicted, err = l.predicted(as)
	return out, err
}

// Exact fits the parabola without noise.
func (l MixingFit) Exact(ctx context.Context, in rows.Driver, st stage.Stage) (models.LogisticModel, error) {
	as, err := l.numeric(st)
	if err != nil {
		return models.LogisticModel{}, err
	}
	m, err := l.linear().Exact(ctx, in, as)
	if err != nil {
		return models.LogisticModel{}, err
	}
	return l.model(st.In, m), nil
}

// model takes a linear model of the codes y = (1 + s)/2 of the signs s to margins.
func (l MixingFit) model(in frames.Schema, y models.LinearModel) models.LogisticModel {
	k := 2 * l.Scale()
	w := make([]float64, len(y.Coef)+1)
	for j, v := range y.Coef {
		w[j] = k * v
	}
	if w[len(y.Coef)] = k * (y.Intercept - 0.5); l.NoIntercept {
		w[len(y.Coef)] = 0
	}
	return models.WithLaw(models.NewLogisticModel(in, w, 1), y.ScaledLaw(k))
}
