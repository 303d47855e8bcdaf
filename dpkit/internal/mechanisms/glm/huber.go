package glm

import (
	"cmp"
	"context"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/linear"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// HuberLoss is r²/2κ of a row's residual r up to |r| = κ, and linear beyond (Huber 1964), in units of half the label's public range.
// Rows with a label that is far off pull no more than others.
type HuberLoss struct {
	// Knee is κ in units of half the label's range: the more, the closer to least squares, and the smaller the Λ that
	// privacy asks for. 0: 0.5.
	Knee float64
}

// HuberFit is robust regression by objective perturbation.
type HuberFit struct {
	HuberLoss
	ByObjective
}

func (HuberFit) Kind() kind.Kind {
	return kind.Kind{Name: "fit/huber", Law: 1, Call: "FitHuber", Was: "dpkit.huber"}
}

func (h HuberFit) Budget() accountant.Budget { return h.Settings().Budget() }

const defaultKnee = 0.5

func (h HuberFit) loss(in frames.Schema) scaledHuber {
	label, _ := in.Label()
	half := (label.Hi - label.Lo) / 2
	return scaledHuber{mid: label.Lo + half, half: half, knee: cmp.Or(h.Knee, defaultKnee)}
}

func (h HuberFit) task(in frames.Schema) ObjectiveTask {
	return ObjectiveTask{
		ObjectivePerturbation: h.Settings(), Name: kind.Describe(h), Losses: []marginLoss{h.loss(in)},
		reference: glmReference, instead: "FitLinear or FitConvex",
	}
}

func (h HuberFit) check(st stage.Stage) error {
	if err := smoothing("Knee", h.Knee); err != nil {
		return err
	}
	return numericTarget(st)
}

// numericTarget reports a schema without a numeric label as it was read.
func numericTarget(st stage.Stage) error {
	return linear.NumericLabel(st.In)
}

func (h HuberFit) Settle(st stage.Stage) (mechanism.Settled[models.LinearModel], error) {
	if err := h.check(st); err != nil {
		return mechanism.Settled[models.LinearModel]{}, err
	}
	return settleObjective(h.task(st.In), st, h.loss(st.In).half, func(w [][]float64, c float64) models.LinearModel { return h.model(st.In, w[0], c) })
}

// Exact minimises without noise: with the Λ that was given, or a ridge that only makes the minimiser unique.
func (h HuberFit) Exact(ctx context.Context, in rows.Driver, st stage.Stage) (models.LinearModel, error) {
	if err := h.check(st); err != nil {
		return models.LinearModel{}, err
	}
	return exactObjective(ctx, h.task(st.In), in, st, func(w [][]float64, c float64) models.LinearModel { return h.model(st.In, w[0], c) })
}

// model turns coefficients of (x, c) for the scaled label into a model of the label.
func (h HuberFit) model(in frames.Schema, w []float64, c float64) models.LinearModel {
	label, _ := in.Label()
	l := h.loss(in)
	m := models.LinearModel{Label: label.Name, Lo: label.Lo, Hi: label.Hi, Method: models.HuberByObjective, Intercept: l.mid + l.half*w[len(w)-1]*c}
	for j, f := range in.Features() {
		m.Columns = append(m.Columns, f.Name)
		m.Coef = append(m.Coef, l.half*w[j])
	}
	return m
}
