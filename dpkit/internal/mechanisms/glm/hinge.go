package glm

import (
	"cmp"
	"context"
	"fmt"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// HingeLoss is the squared hinge (1 − z)²₊/2h of the signed margin z, continued by its tangent from z = 1 − h down, where its slope
// is −1: that of a linear support vector machine, smoothed. Rows beyond margin 1 do not pull on the boundary.
type HingeLoss struct {
	// Width is h: the more, the smoother, and the smaller the Λ that privacy asks for. 0: 2, at which the quadratic part ends at
	// margin −1.
	Width float64
}

// HingeFit is a linear support vector machine by objective perturbation.
type HingeFit struct {
	HingeLoss
	ByObjective
}

func (HingeFit) Kind() kind.Kind {
	return kind.Kind{Name: "fit/hinge", Law: 1, Call: "FitHinge", Was: "dpkit.hinge"}
}

func (h HingeFit) Budget() accountant.Budget { return h.Settings().Budget() }

const defaultWidth = 2

func (h HingeFit) task() ObjectiveTask {
	return ObjectiveTask{
		ObjectivePerturbation: h.Settings(), Name: kind.Describe(h), Losses: []marginLoss{smoothedHinge{cmp.Or(h.Width, defaultWidth)}},
		reference: glmReference, instead: "FitLogistic(ByGradient{…}) or FitConvex",
	}
}

// glmReference is where the price of a general loss is from.
const glmReference = "objective perturbation as the Gaussian pair that dominates it, for a convex loss with a Lipschitz gradient; Kifer, Smith, Thakurta 2012, sharpened"

func (h HingeFit) check(in frames.Schema) error {
	if err := smoothing("Width", h.Width); err != nil {
		return err
	}
	return domain.Classifiable(in)
}

// smoothing reports a width of the quadratic part of a loss that is out of range.
func smoothing(name string, v float64) error {
	if v != 0 && !(v >= 0.01 && v <= 100) {
		return fmt.Errorf("%s: got %g, want a number in [0.01, 100], or 0 for the default: %w", name, v, kind.ErrParameter)
	}
	return nil
}

func (h HingeFit) Settle(st stage.Stage) (mechanism.Settled[models.ClassModel], error) {
	if err := h.check(st.In); err != nil {
		return mechanism.Settled[models.ClassModel]{}, err
	}
	return settleObjective(h.task(), st, 1, func(w [][]float64, c float64) models.ClassModel { return models.NewClassModel(st.In, w[0], c) })
}

// Exact minimises without noise: with the Λ that was given, or a ridge that only makes the minimiser unique.
func (h HingeFit) Exact(ctx context.Context, in rows.Driver, st stage.Stage) (models.ClassModel, error) {
	if err := h.check(st.In); err != nil {
		return models.ClassModel{}, err
	}
	return exactObjective(ctx, h.task(), in, st, func(w [][]float64, c float64) models.ClassModel { return models.NewClassModel(st.In, w[0], c) })
}
