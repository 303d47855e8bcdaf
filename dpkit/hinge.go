package dpkit

import (
	"context"
	"fmt"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/frames"
)

// Hinge is a linear support vector machine by objective perturbation ([ObjectivePerturbation]): the loss of a row is the squared
// hinge (1 − z)²₊/2h of its signed margin z, continued by its tangent from z = 1 − h down, where its slope is −1. Rows beyond
// margin 1 do not pull on the boundary.
type Hinge struct {
	Epsilon, Delta float64 // target; no defaults
	Lambda         float64 // as that of ObjectivePerturbation
	Alone          bool    // as that of ObjectivePerturbation
	// Width is h: the more, the smoother, and the smaller the Λ that privacy asks for. 0: 2, at which the quadratic part ends at
	// margin −1.
	Width float64
}

// FitHinge fits a linear classifier of the schema's two-class label on all features. It is priced as the Gaussian pair that
// dominates it ([accountant.GLMPerturbation]), on rows that no step displaced.
//
// Memory: as [Pipeline.FitLogisticByObjective].
func (p Pipeline) FitHinge(o Hinge) Plan[ClassModel] { return newPlan[ClassModel](p, hinge{o}) }

type hinge struct {
	Hinge `dp:"inline"`
}

func (h hinge) settings() ObjectivePerturbation {
	return ObjectivePerturbation{Epsilon: h.Epsilon, Delta: h.Delta, Lambda: h.Lambda, Alone: h.Alone}
}

func (hinge) kind() kind { return kind{"fit/hinge", 1, "FitHinge", "dpkit.hinge"} }

func (h hinge) budget() accountant.Budget { return h.settings().budget() }

const defaultWidth = 2

func (h hinge) task() objectiveTask {
	return objectiveTask{
		ObjectivePerturbation: h.settings(), name: describe(h), losses: []marginLoss{hingeLoss{orDefault(h.Width, defaultWidth)}},
		reference: glmReference, instead: "FitLogistic",
	}
}

// glmReference is where the price of a general loss is from.
const glmReference = "objective perturbation as the Gaussian pair that dominates it, for a convex loss with a Lipschitz gradient; Kifer, Smith, Thakurta 2012, sharpened"

func (h hinge) check(in frames.Schema) error {
	if err := smoothing("Width", h.Width); err != nil {
		return err
	}
	return classifiable(in)
}

// smoothing reports a width of the quadratic part of a loss that is out of range.
func smoothing(name string, v float64) error {
	if v != 0 && !(v >= 0.01 && v <= 100) {
		return fmt.Errorf("%s: got %g, want a number in [0.01, 100], or 0 for the default: %w", name, v, ErrParameter)
	}
	return nil
}

func (h hinge) Settle(st Stage) (settled[ClassModel], error) {
	if err := h.check(st.In); err != nil {
		return settled[ClassModel]{}, err
	}
	return settleObjective(h.task(), st, func(w [][]float64, c float64) ClassModel { return newClassModel(st.In, w[0], c) })
}

// Exact minimises without noise: with the Λ that was given, or a ridge that only makes the minimiser unique.
func (h hinge) Exact(ctx context.Context, in driver, st Stage) (ClassModel, error) {
	if err := h.check(st.In); err != nil {
		return ClassModel{}, err
	}
	return exactObjective(ctx, h.task(), in, st, func(w [][]float64, c float64) ClassModel { return newClassModel(st.In, w[0], c) })
}
