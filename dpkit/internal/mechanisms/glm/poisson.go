package glm

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// PoissonLoss is that of Poisson regression of a count y, clipped to M: μ − y ln μ for the rate μ = ρ·e^⟨w, x̃⟩, divided by M, and
// linear in the exponent from μ = M up, so that its slopes are bounded by 1.
type PoissonLoss struct {
	// MaxCount is M: larger counts count as M, and no rate beyond it is predicted. Noise is in proportion to M: choose it near the
	// largest counts that matter, from public knowledge. 0: the label's upper bound.
	MaxCount float64
	// Rate is ρ, the rate that noise and ridge pull to, in (0, M]: a public guess of the mean. 0: 1, or M where that is less.
	Rate float64
}

// PoissonFit is Poisson regression by objective perturbation.
type PoissonFit struct {
	PoissonLoss
	ByObjective
}

func (PoissonFit) Kind() kind.Kind {
	return kind.Kind{Name: "fit/poisson", Law: 1, Call: "FitPoisson", Was: "dpkit.poisson"}
}

func (p PoissonFit) Budget() accountant.Budget { return p.Settings().Budget() }

func (p PoissonFit) loss(in frames.Schema) cappedPoisson {
	label, _ := in.Label()
	l := cappedPoisson{most: cmp.Or(p.MaxCount, label.Hi)}
	l.rate = cmp.Or(p.Rate, min(1, l.most))
	return l
}

func (p PoissonFit) task(in frames.Schema) ObjectiveTask {
	return ObjectiveTask{
		ObjectivePerturbation: p.Settings(), Name: kind.Describe(p), Losses: []marginLoss{p.loss(in)},
		reference: glmReference, instead: "FitLinear or FitConvex",
	}
}

func (p PoissonFit) check(st stage.Stage) error {
	if err := numericTarget(st); err != nil {
		return err
	}
	label, _ := st.In.Label()
	if label.Lo < 0 {
		return fmt.Errorf("label %q has values from %g, want counts: a lower bound of 0 or more: %w", label.Name, label.Lo, stage.ErrColumn)
	}
	l := p.loss(st.In)
	if !num.InRange(l.most) || l.most > label.Hi {
		return fmt.Errorf("MaxCount: got %g, want a number in [%g, %g], at most the label's upper bound, or 0 for it: %w", l.most, num.MinSize, label.Hi, kind.ErrParameter)
	}
	if !num.InRange(l.rate) || l.rate > l.most {
		return fmt.Errorf("rate ρ, Rate: got %g, want a number in [%g, %g], at most MaxCount, or 0 for the default: %w", l.rate, num.MinSize, l.most, kind.ErrParameter)
	}
	return nil
}

func (p PoissonFit) Settle(st stage.Stage) (mechanism.Settled[models.RateModel], error) {
	if err := p.check(st); err != nil {
		return mechanism.Settled[models.RateModel]{}, err
	}
	return settleObjective(p.task(st.In), st, 1, func(w [][]float64, c float64) models.RateModel { return p.model(st.In, w[0], c) })
}

// Exact minimises without noise: with the Λ that was given, or a ridge that only makes the minimiser unique.
func (p PoissonFit) Exact(ctx context.Context, in rows.Driver, st stage.Stage) (models.RateModel, error) {
	if err := p.check(st); err != nil {
		return models.RateModel{}, err
	}
	return exactObjective(ctx, p.task(st.In), in, st, func(w [][]float64, c float64) models.RateModel { return p.model(st.In, w[0], c) })
}

func (p PoissonFit) model(in frames.Schema, w []float64, c float64) models.RateModel {
	label, _ := in.Label()
	l := p.loss(in)
	d := len(w) - 1
	return models.RateModel{Label: label.Name, MaxCount: l.most, Columns: domain.FeatureNames(in), Coef: w[:d:d], Intercept: math.Log(l.rate) + w[d]*c}
}
