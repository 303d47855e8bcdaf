package glm

import (
	"fmt"
	"strings"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
)

func (h HingeFit) WasText() string {
	args := h.Settings().Was()
	if h.Width != 0 {
		args += fmt.Sprintf(", Width = %g", h.Width)
	}
	return kind.Call("FitHinge", args)
}

func (h HuberFit) WasText() string {
	args := h.Settings().Was()
	if h.Knee != 0 {
		args += fmt.Sprintf(", Knee = %g", h.Knee)
	}
	return kind.Call("FitHuber", args)
}

func (l MixingFit) WasText() string {
	args := []string{fmt.Sprintf("ε = %g", l.Epsilon), fmt.Sprintf("δ = %g", l.Delta)}
	if l.Range != 0 {
		args = append(args, fmt.Sprintf("Range = %g", l.Range))
	}
	if l.Rows != 0 {
		args = append(args, fmt.Sprintf("Rows = %d", l.Rows))
	}
	if l.LabelScale != 0 {
		args = append(args, fmt.Sprintf("LabelScale = %g", l.LabelScale))
	}
	if l.NoIntercept {
		args = append(args, "NoIntercept")
	}
	return kind.Call("FitLogisticByMixing", strings.Join(args, ", "))
}

func (m MultinomialFit) WasText() string { return kind.Call("FitMultinomial", m.Settings().Was()) }

func (o ObjectiveFit) WasText() string {
	return kind.Call("FitLogisticByObjective", o.Settings().Was())
}

func (p PoissonFit) WasText() string {
	args := p.Settings().Was()
	if p.MaxCount != 0 {
		args += fmt.Sprintf(", MaxCount = %g", p.MaxCount)
	}
	if p.Rate != 0 {
		args += fmt.Sprintf(", Rate = %g", p.Rate)
	}
	return kind.Call("FitPoisson", args)
}

// Was writes the settings that every objective perturbation has.
func (o ObjectivePerturbation) Was() string {
	args := fmt.Sprintf("ε = %g, δ = %g", o.Epsilon, o.Delta)
	if o.Lambda != 0 {
		args += fmt.Sprintf(", Lambda = %g", o.Lambda)
	}
	if o.Alone {
		args += ", Alone"
	}
	if o.Kifer {
		args += ", Kifer"
	}
	return args
}

// Identities: options were named arguments of one call.

func (h HingeFit) IdentityText() string { return objectiveText("FitHinge", h.ByObjective, h.HingeLoss) }

func (h HuberFit) IdentityText() string { return objectiveText("FitHuber", h.ByObjective, h.HuberLoss) }

func (l MixingFit) IdentityText() string { return kind.Named("FitLogisticByMixing", l.ByMixing) }

func (m MultinomialFit) IdentityText() string { return objectiveText("FitMultinomial", m.ByObjective) }

func (o ObjectiveFit) IdentityText() string {
	return kind.Named("FitLogisticByObjective", o.Settings())
}

func (p PoissonFit) IdentityText() string {
	return objectiveText("FitPoisson", p.ByObjective, p.PoissonLoss)
}

func objectiveText(call string, o ByObjective, beside ...any) string {
	return kind.Named(call, append([]any{o}, beside...)...)
}
