package dpkit

import (
	"context"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// Multinomial is classification into K classes by K logistic regressions, each class against the rest, by objective perturbation
// ([ObjectivePerturbation]). A row takes part in all of them. They are Gaussian mechanisms of μ/√K each, released together, and cost
// exactly the target: the noise is √K times that of two classes.
type Multinomial struct {
	Epsilon, Delta float64 // target; no defaults
	Lambda         float64 // Λ of each regression, as that of ObjectivePerturbation
}

// FitMultinomial fits a classifier of the schema's class label, of two or more levels, on all features, on rows that no step displaced.
//
// Memory: as [Pipeline.FitLogisticByObjective], with as many readings for every class.
func (p Pipeline) FitMultinomial(o Multinomial) Plan[MultinomialModel] {
	return newPlan[MultinomialModel](p, multinomial{o})
}

type multinomial struct {
	Multinomial `dp:"inline"`
}

func (m multinomial) settings() ObjectivePerturbation {
	return ObjectivePerturbation{Epsilon: m.Epsilon, Delta: m.Delta, Lambda: m.Lambda}
}

func (multinomial) kind() kind {
	return kind{"fit/multinomial", 1, "FitMultinomial", "dpkit.multinomial"}
}

func (m multinomial) budget() accountant.Budget { return m.settings().budget() }

func (m multinomial) task(in frames.Schema) objectiveTask {
	t := objectiveTask{
		ObjectivePerturbation: m.settings(), name: describe(m),
		reference: "one logistic regression for each class against the rest, composed as Gaussians; Kifer, Smith, Thakurta 2012, sharpened",
		instead:   "FitLogistic on two classes",
	}
	label, _ := in.Label()
	for k := range label.Levels {
		t.losses = append(t.losses, logisticLoss{positive: float64(k)})
	}
	return t
}

// maxClasses bounds K.
const maxClasses = 1 << 10

func (m multinomial) check(in frames.Schema) error {
	label, ok := in.Label()
	if !ok || len(label.Levels) < 2 {
		return fmt.Errorf("the schema has no label with classes; declare one with frames.Label(name, first, second, …): %w", ErrColumn)
	}
	if len(label.Levels) > maxClasses {
		return fmt.Errorf("label %q has %d levels, want at most %d: %w", label.Name, len(label.Levels), maxClasses, ErrColumn)
	}
	return encodedFeatures(in, "")
}

func (m multinomial) Price(st Stage) (bill, error) {
	if err := m.check(st.In); err != nil {
		return bill{}, err
	}
	return m.task(st.In).price(st)
}

func (m multinomial) Run(ctx context.Context, in frames.Source, st Stage, _ bill, rng *noise.Source) (MultinomialModel, error) {
	if err := m.check(st.In); err != nil {
		return MultinomialModel{}, err
	}
	w, c, err := m.task(st.In).run(ctx, in, st, rng)
	if err != nil {
		return MultinomialModel{}, err
	}
	return newMultinomialModel(st.In, w, c), nil
}

// RunPublic minimises without noise: with the Λ that was given, or a ridge that only makes the minimisers unique.
func (m multinomial) RunPublic(ctx context.Context, in frames.Source, st Stage) (MultinomialModel, error) {
	if err := m.check(st.In); err != nil {
		return MultinomialModel{}, err
	}
	w, c, err := m.task(st.In).runPublic(ctx, in, st)
	if err != nil {
		return MultinomialModel{}, err
	}
	return newMultinomialModel(st.In, w, c), nil
}

// MultinomialModel is a fitted classifier into several classes. Coefficients are in the units of the encoded and scaled rows; the
// public maps that lead there are part of the model, so that it reads raw rows.
type MultinomialModel struct {
	Label      string      `json:"label"`
	Classes    []string    `json:"classes"`
	Columns    []string    `json:"columns"`    // encoded features, in the order of each row of Coef
	Coef       [][]float64 `json:"coef"`       // one row for each class
	Intercepts []float64   `json:"intercepts"` // one for each class
	Reader
	Provenance
}

func newMultinomialModel(s frames.Schema, w [][]float64, c float64) MultinomialModel {
	label, _ := s.Label()
	m := MultinomialModel{Label: label.Name, Classes: label.Levels}
	for _, f := range s.Features() {
		m.Columns = append(m.Columns, f.Name)
	}
	d := len(m.Columns)
	for _, w := range w {
		m.Coef, m.Intercepts = append(m.Coef, w[:d:d]), append(m.Intercepts, w[d]*c)
	}
	return m
}

// Probabilities returns those of the classes for every row of src, in order: what the regressions say, divided by its sum. Missing
// cells are filled with public values. The probabilities of private rows are private: only a model's coefficients are
// released.
func (m *MultinomialModel) Probabilities(ctx context.Context, src *frames.PublicFrame) ([][]float64, error) {
	if len(m.Coef) != len(m.Classes) || len(m.Intercepts) != len(m.Classes) {
		return nil, fmt.Errorf("dpkit: predict: the model has %d classes, %d rows of coefficients and %d intercepts; store and read all of it: %w",
			len(m.Classes), len(m.Coef), len(m.Intercepts), ErrParameter)
	}
	for k, coef := range m.Coef {
		if len(coef) != len(m.Columns) {
			return nil, fmt.Errorf("dpkit: predict: class %q has %d coefficients for %d columns; store and read all of it: %w", m.Classes[k], len(coef), len(m.Columns), ErrParameter)
		}
	}
	var out [][]float64
	err := m.each(ctx, src, len(m.Columns), func(z []float64) {
		p := make([]float64, len(m.Coef))
		largest := math.Inf(-1)
		for k, coef := range m.Coef { // ln σ(margin), as all may be tiny
			margin := m.Intercepts[k]
			for j, v := range z {
				margin += v * coef[j]
			}
			p[k] = -softplus(-margin)
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
		out = append(out, p)
	})
	return out, err
}

// Predict returns the most probable class of every row of src, in order, as an index into Classes. See Probabilities.
func (m *MultinomialModel) Predict(ctx context.Context, src *frames.PublicFrame) ([]int, error) {
	p, err := m.Probabilities(ctx, src)
	if err != nil {
		return nil, err
	}
	out := make([]int, len(p))
	for i, row := range p {
		for k, v := range row {
			if v > row[out[i]] {
				out[i] = k
			}
		}
	}
	return out, nil
}

// Accuracy is the share of rows whose class the model predicts. Evaluating on private rows would
// leak: it takes only data that its owner declared public.
func (m *MultinomialModel) Accuracy(ctx context.Context, test *frames.PublicFrame) (float64, error) {
	return accuracy(ctx, test, m.Label, m.Classes, m.Predict)
}

// String tells the model's shape.
func (m MultinomialModel) String() string {
	return fmt.Sprintf("model of the %d classes of %s on %d columns", len(m.Classes), m.Label, len(m.Columns))
}
