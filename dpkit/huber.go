package dpkit

import (
	"context"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/frames"
)

// Huber is robust regression by objective perturbation ([ObjectivePerturbation]): the loss of a row is r²/2κ of its residual r up
// to |r| = κ, and linear beyond (Huber 1964), in units of half the label's public range. Rows with a label that is far off
// pull no more than others.
type Huber struct {
	Epsilon, Delta float64 // target; no defaults
	Lambda         float64 // as that of ObjectivePerturbation
	Alone          bool    // as that of ObjectivePerturbation
	// Knee is κ in units of half the label's range: the more, the closer to least squares, and the smaller the Λ that
	// privacy asks for. 0: 0.5.
	Knee float64
}

// FitHuber fits a linear model of the schema's numeric label on all features, which is robust against outliers. It is priced as the
// Gaussian pair that dominates it ([accountant.GLMPerturbation]), on rows that no step displaced. The model has no Intervals.
//
// Memory: as [Pipeline.FitLogisticByObjective].
func (p Pipeline) FitHuber(o Huber) Plan[LinearModel] { return newPlan[LinearModel](p, huber{o}) }

type huber struct {
	Huber `dp:"inline"`
}

func (h huber) settings() ObjectivePerturbation {
	return ObjectivePerturbation{Epsilon: h.Epsilon, Delta: h.Delta, Lambda: h.Lambda, Alone: h.Alone}
}

func (huber) kind() kind { return kind{"fit/huber", 1, "FitHuber", "dpkit.huber"} }

func (h huber) budget() accountant.Budget { return h.settings().budget() }

const defaultKnee = 0.5

func (h huber) loss(in frames.Schema) huberLoss {
	label, _ := in.Label()
	half := (label.Hi - label.Lo) / 2
	return huberLoss{mid: label.Lo + half, half: half, knee: orDefault(h.Knee, defaultKnee)}
}

func (h huber) task(in frames.Schema) objectiveTask {
	return objectiveTask{
		ObjectivePerturbation: h.settings(), name: describe(h), losses: []marginLoss{h.loss(in)},
		reference: glmReference, instead: "FitLinear",
	}
}

func (h huber) check(st Stage) error {
	if err := smoothing("Knee", h.Knee); err != nil {
		return err
	}
	return numericTarget(st)
}

// numericTarget reports a schema without a numeric label as it was read.
func numericTarget(st Stage) error {
	return numericLabel(st.In)
}

func (h huber) Settle(st Stage) (settled[LinearModel], error) {
	if err := h.check(st); err != nil {
		return settled[LinearModel]{}, err
	}
	return settleObjective(h.task(st.In), st, func(w [][]float64, c float64) LinearModel { return h.model(st.In, w[0], c) })
}

// Exact minimises without noise: with the Λ that was given, or a ridge that only makes the minimiser unique.
func (h huber) Exact(ctx context.Context, in driver, st Stage) (LinearModel, error) {
	if err := h.check(st); err != nil {
		return LinearModel{}, err
	}
	return exactObjective(ctx, h.task(st.In), in, st, func(w [][]float64, c float64) LinearModel { return h.model(st.In, w[0], c) })
}

// model turns coefficients of (x, c) for the scaled label into a model of the label.
func (h huber) model(in frames.Schema, w []float64, c float64) LinearModel {
	label, _ := in.Label()
	l := h.loss(in)
	m := LinearModel{Label: label.Name, Lo: label.Lo, Hi: label.Hi, Method: huberMethod, Intercept: l.mid + l.half*w[len(w)-1]*c}
	for j, f := range in.Features() {
		m.Columns = append(m.Columns, f.Name)
		m.Coef = append(m.Coef, l.half*w[j])
	}
	return m
}
