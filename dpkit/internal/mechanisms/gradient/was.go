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
	if g.Rule != ConstantStep {
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
