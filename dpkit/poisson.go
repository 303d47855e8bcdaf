package dpkit

import (
	"context"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/frames"
)

// Poisson is Poisson regression of a count by objective perturbation ([ObjectivePerturbation]): the loss of a row with the count y,
// clipped to M, is μ − y ln μ for the rate μ = ρ·e^⟨w, x̃⟩, divided by M, and linear in the exponent from μ = M up, so that its slopes
// are bounded by 1.
type Poisson struct {
	Epsilon, Delta float64 // target; no defaults
	Lambda         float64 // as that of ObjectivePerturbation
	Alone          bool    // as that of ObjectivePerturbation
	// MaxCount is M: larger counts count as M, and no rate beyond it is predicted. Noise is in proportion to M: choose it near the
	// largest counts that matter, from public knowledge. 0: the label's upper bound.
	MaxCount float64
	// Rate is ρ, the rate that noise and ridge pull to, in (0, M]: a public guess of the mean. 0: 1, or M where that is less.
	Rate float64
}

// FitPoisson fits a log-linear model of the rate of the schema's numeric label, a count, on all features. It is priced as the
// Gaussian pair that dominates it ([accountant.GLMPerturbation]), on rows that no step displaced.
//
// Memory: as [Pipeline.FitLogisticByObjective].
func (p Pipeline) FitPoisson(o Poisson) Plan[RateModel] { return newPlan[RateModel](p, poisson{o}) }

type poisson struct {
	Poisson `dp:"inline"`
}

func (p poisson) settings() ObjectivePerturbation {
	return ObjectivePerturbation{Epsilon: p.Epsilon, Delta: p.Delta, Lambda: p.Lambda, Alone: p.Alone}
}

func (poisson) kind() kind { return kind{"fit/poisson", 1, "FitPoisson", "dpkit.poisson"} }

func (p poisson) budget() accountant.Budget { return p.settings().budget() }

func (p poisson) loss(in frames.Schema) poissonLoss {
	label, _ := in.Label()
	l := poissonLoss{most: orDefault(p.MaxCount, label.Hi)}
	l.rate = orDefault(p.Rate, min(1, l.most))
	return l
}

func (p poisson) task(in frames.Schema) objectiveTask {
	return objectiveTask{
		ObjectivePerturbation: p.settings(), name: describe(p), losses: []marginLoss{p.loss(in)},
		reference: glmReference, instead: "FitLinear",
	}
}

func (p poisson) check(st Stage) error {
	if err := numericTarget(st); err != nil {
		return err
	}
	label, _ := st.In.Label()
	if label.Lo < 0 {
		return fmt.Errorf("label %q has values from %g, want counts: a lower bound of 0 or more: %w", label.Name, label.Lo, ErrColumn)
	}
	l := p.loss(st.In)
	if !inRange(l.most) || l.most > label.Hi {
		return fmt.Errorf("MaxCount: got %g, want a number in [%g, %g], at most the label's upper bound, or 0 for it: %w", l.most, minSize, label.Hi, ErrParameter)
	}
	if !inRange(l.rate) || l.rate > l.most {
		return fmt.Errorf("rate ρ, Rate: got %g, want a number in [%g, %g], at most MaxCount, or 0 for the default: %w", l.rate, minSize, l.most, ErrParameter)
	}
	return nil
}

func (p poisson) Settle(st Stage) (settled[RateModel], error) {
	if err := p.check(st); err != nil {
		return settled[RateModel]{}, err
	}
	return settleObjective(p.task(st.In), st, func(w [][]float64, c float64) RateModel { return p.model(st.In, w[0], c) })
}

// Exact minimises without noise: with the Λ that was given, or a ridge that only makes the minimiser unique.
func (p poisson) Exact(ctx context.Context, in driver, st Stage) (RateModel, error) {
	if err := p.check(st); err != nil {
		return RateModel{}, err
	}
	return exactObjective(ctx, p.task(st.In), in, st, func(w [][]float64, c float64) RateModel { return p.model(st.In, w[0], c) })
}

func (p poisson) model(in frames.Schema, w []float64, c float64) RateModel {
	label, _ := in.Label()
	l := p.loss(in)
	d := len(w) - 1
	return RateModel{Label: label.Name, MaxCount: l.most, Columns: featureNames(in), Coef: w[:d:d], Intercept: math.Log(l.rate) + w[d]*c}
}
