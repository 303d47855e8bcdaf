package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/baseline"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/linear"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
)

// Tables of tests hold the options of every way of a fit in one struct.

// linearBy is the method of FitLinear with the settings. A setting that the method has no option for is lost.
func linearBy(o linear.Settings) LinearMethod {
	switch o.Method {
	case models.BestLinear:
		return BestLinear{Epsilon: o.Epsilon, Delta: o.Delta, NoIntercept: o.NoIntercept, LabelScale: o.LabelScale}
	case models.AdaSSP:
		return AdaSSP{Epsilon: o.Epsilon, Delta: o.Delta, NoIntercept: o.NoIntercept, LabelScale: o.LabelScale}
	case models.LinearMixing:
		return LinearMixing{
			Epsilon: o.Epsilon, Delta: o.Delta, NoIntercept: o.NoIntercept, LabelScale: o.LabelScale,
			Rows: o.Rows, ReleaseEigenvalue: o.ReleaseEigenvalue, CoefficientsOnly: o.CoefficientsOnly,
		}
	case models.OutputPerturbation:
		return OutputPerturbation{Epsilon: o.Epsilon, Delta: o.Delta, NoIntercept: o.NoIntercept, LabelScale: o.LabelScale, Ridge: o.Ridge, MaxNorm: o.MaxNorm}
	case models.RelativeGaussianDescent:
		return RelativeGaussianDescent{
			Epsilon: o.Epsilon, Delta: o.Delta, NoIntercept: o.NoIntercept, LabelScale: o.LabelScale,
			Ridge: o.Ridge, Steps: o.Steps, Strength: o.Strength,
		}
	case models.Sheffet2017, models.Sheffet2017Exact:
		return baseline.Sheffet2017{
			Epsilon: o.Epsilon, Delta: o.Delta, NoIntercept: o.NoIntercept, LabelScale: o.LabelScale,
			Rows: o.Rows, Exact: o.Method == models.Sheffet2017Exact,
		}
	}
	panic("no method " + o.Method)
}

// convexOptions are a loss and how it is minimised.
type convexOptions struct {
	Loss   Loss
	Solver Solver

	Epsilon, Delta             float64
	MaxNorm, TaintedNorm, Clip float64
	Steps                      int
	StepSize                   float64
	Rule                       StepRule
	Average                    Averaging
	NoIntercept                bool
}

// apart is what FitConvex takes.
func (o convexOptions) apart() (Loss, ByGradient) {
	return o.Loss, ByGradient{
		Solver: o.Solver, Epsilon: o.Epsilon, Delta: o.Delta, MaxNorm: o.MaxNorm, TaintedNorm: o.TaintedNorm, Clip: o.Clip,
		Steps: o.Steps, StepSize: o.StepSize, Rule: o.Rule, Average: o.Average, NoIntercept: o.NoIntercept,
	}
}
