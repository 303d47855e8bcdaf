package gradient

import (
	"fmt"
	"strings"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
)

func (g GradientFit) WasText() string {
	args := []string{fmt.Sprintf("ε = %g", g.Epsilon), fmt.Sprintf("δ = %g", g.Delta)}
	if g.Loss != nil {
		args = append(args, g.Loss.String())
	}
	if g.Solver != nil {
		args = append(args, g.Solver.String())
	}
	for _, f := range []struct {
		name string
		v    float64
	}{{"MaxNorm", g.MaxNorm}, {"TaintedNorm", g.TaintedNorm}, {"Clip", g.Clip}, {"Steps", float64(g.Steps)}, {"StepSize", g.StepSize}} {
		if f.v != 0 {
			args = append(args, fmt.Sprintf("%s = %g", f.name, f.v))
		}
	}
	if g.Rule != StepConstant {
		args = append(args, fmt.Sprintf("steps as %s", string(g.Rule)))
	}
	if g.Average != AverageLastHalf {
		args = append(args, fmt.Sprintf("average %s", string(g.Average)))
	}
	if g.NoIntercept {
		args = append(args, "NoIntercept")
	}
	return kind.Call("FitByGradient", strings.Join(args, ", "))
}

func (l LogisticFit) WasText() string {
	args := []string{fmt.Sprintf("ε = %g", l.Epsilon), fmt.Sprintf("δ = %g", l.Delta)}
	for _, f := range []struct {
		name string
		v    float64
	}{{"MaxNorm", l.MaxNorm}, {"TaintedNorm", l.TaintedNorm}, {"Clip", l.Clip}, {"Steps", float64(l.Steps)}, {"StepSize", l.StepSize}} {
		if f.v != 0 {
			args = append(args, fmt.Sprintf("%s = %g", f.name, f.v))
		}
	}
	if l.NoIntercept {
		args = append(args, "NoIntercept")
	}
	return kind.Call("FitLogistic", strings.Join(args, ", "))
}

// IdentityText: the loss and the options were named arguments of one call.
func (g GradientFit) IdentityText() string {
	return kind.Named("FitByGradient", struct{ Loss any }{wasLoss(g.Loss)}, g.ByGradient)
}

// IdentityText: options were named arguments of the call; a solver, a rule and an average were none of them.
func (l LogisticFit) IdentityText() string {
	g := l.ByGradient
	was := struct {
		Epsilon, Delta, MaxNorm, TaintedNorm, Clip float64
		Steps                                      int
		StepSize                                   float64
		NoIntercept                                bool
		Solver                                     Solver
		Rule                                       StepRule
		Average                                    Averaging
	}{g.Epsilon, g.Delta, g.MaxNorm, g.TaintedNorm, g.Clip, g.Steps, g.StepSize, g.NoIntercept, g.Solver, g.Rule, g.Average}
	return kind.Named("FitLogistic", was)
}

// wasLoss is a loss under the names of its type and its parameter in identities.
func wasLoss(l Loss) any {
	type SquaredHinge struct{}
	switch l := l.(type) {
	case SquaredHingeLoss:
		return SquaredHinge{}
	case HuberLoss:
		type HuberLoss struct{ At float64 }
		return HuberLoss{l.Knee}
	}
	return l
}
