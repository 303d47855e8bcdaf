package dpkit

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
)

func (m means) wasText() string { return call("Means", m.was()) }

func (s sum) wasText() string { return call("Sum", s.was()) }

func (c count) wasText() string {
	args := []string{c.was()}
	for _, w := range c.Where {
		args = append(args, w.was())
	}
	return call("Count", args...)
}

func (h histogram) wasText() string { return call("Histogram", fmt.Sprintf("%q", h.Column), h.was()) }

func (q quantile) wasText() string {
	args := []string{q.Target.was(), fmt.Sprintf("%g", q.Q), fmt.Sprintf("%q", q.Column)}
	if n := len(q.Candidates); n > 0 {
		h := sha256.New()
		for _, v := range q.Candidates {
			_ = binary.Write(h, binary.BigEndian, math.Float64bits(v)) // a hash takes all
		}
		args = append(args, fmt.Sprintf("%d candidates in [%g, %g], hash %x", n, q.Candidates[0], q.Candidates[n-1], h.Sum(nil)[:8]))
	}
	return call("Quantile", args...)
}

func (s secondMomentRelease) wasText() string { return call("Gram", s.was()) }

func (s sketching) wasText() string {
	args := []string{fmt.Sprintf("ε = %g", s.Epsilon), fmt.Sprintf("δ = %g", s.Delta)}
	if s.Rows != 0 {
		args = append(args, fmt.Sprintf("Rows = %d", s.Rows))
	}
	if s.LabelScale != 0 {
		args = append(args, fmt.Sprintf("LabelScale = %g", s.LabelScale))
	}
	if s.ReleaseEigenvalue {
		args = append(args, "ReleaseEigenvalue")
	}
	return call("GaussMix", strings.Join(args, ", "))
}

func (g gradient) wasText() string {
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
	return call("FitByGradient", strings.Join(args, ", "))
}

func (h hinge) wasText() string {
	args := h.settings().was()
	if h.Width != 0 {
		args += fmt.Sprintf(", Width = %g", h.Width)
	}
	return call("FitHinge", args)
}

func (h huber) wasText() string {
	args := h.settings().was()
	if h.Knee != 0 {
		args += fmt.Sprintf(", Knee = %g", h.Knee)
	}
	return call("FitHuber", args)
}

func (l linear) wasText() string {
	args := []string{fmt.Sprintf("ε = %g", l.Epsilon), fmt.Sprintf("δ = %g", l.Delta)}
	if l.Method != BestLinear {
		args = append(args, string(l.Method))
	}
	for _, f := range []struct {
		name string
		v    float64
	}{{"LabelScale", l.LabelScale}, {"Rows", float64(l.Rows)}, {"Ridge", l.Ridge}, {"MaxNorm", l.MaxNorm}} {
		if f.v != 0 {
			args = append(args, fmt.Sprintf("%s = %g", f.name, f.v))
		}
	}
	if l.Steps != 0 {
		args = append(args, fmt.Sprintf("Steps = %d", l.Steps))
	}
	if l.Strength.given() {
		args = append(args, fmt.Sprintf("Strength = %s", l.Strength.was()))
	}
	for _, f := range []struct {
		name string
		on   bool
	}{{"NoIntercept", l.NoIntercept}, {"ReleaseEigenvalue", l.ReleaseEigenvalue}, {"CoefficientsOnly", l.CoefficientsOnly}} {
		if f.on {
			args = append(args, f.name)
		}
	}
	return call("FitLinear", strings.Join(args, ", "))
}

func (l logistic) wasText() string {
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
	return call("FitLogistic", strings.Join(args, ", "))
}

func (l logisticMixing) wasText() string {
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
	return call("FitLogisticByMixing", strings.Join(args, ", "))
}

func (m multinomial) wasText() string { return call("FitMultinomial", m.settings().was()) }

func (o objectivePerturbation) wasText() string { return call("FitLogisticByObjective", o.was()) }

func (r reportedLogistic) wasText() string {
	args := []string{r.Fit.ObjectivePerturbation.was(), fmt.Sprintf("Rho = %g", r.Rho)}
	for _, f := range []struct {
		name string
		v    float64
	}{{"Share", r.Share}, {"Gradient", r.Gradient}, {"Hessian", r.Hessian}, {"Eigenvalue", r.Eigenvalue}} {
		if f.v != 0 {
			args = append(args, fmt.Sprintf("%s = %g", f.name, f.v))
		}
	}
	return call("FitLogisticWithReport", strings.Join(args, ", "))
}

func (p poisson) wasText() string {
	args := p.settings().was()
	if p.MaxCount != 0 {
		args += fmt.Sprintf(", MaxCount = %g", p.MaxCount)
	}
	if p.Rate != 0 {
		args += fmt.Sprintf(", Rate = %g", p.Rate)
	}
	return call("FitPoisson", args)
}

func (l localTraining) wasText() string {
	args := []string{
		fmt.Sprintf("ε = %g", l.Epsilon), fmt.Sprintf("δ = %g", l.Delta), fmt.Sprintf("Rounds = %d", l.Rounds),
		string(l.Noise), fmt.Sprintf("Ridge = %g", l.Ridge), fmt.Sprintf("MaxNorm = %g", l.maxNorm()),
	}
	if l.Clip != 0 {
		args = append(args, fmt.Sprintf("Clip = %g", l.Clip))
	}
	if l.Strength.given() {
		args = append(args, fmt.Sprintf("Strength = %s", l.Strength.was()))
	}
	if l.NoIntercept {
		args = append(args, "NoIntercept")
	}
	return call("TrainLocally", strings.Join(args, ", "))
}

func (l unboundedLinear) wasText() string {
	args := l.was()
	if l.NoIntercept {
		args = append(args, "NoIntercept")
	}
	if l.Link != UnknownLink {
		args = append(args, string(l.Link)+" link")
	}
	return call("FitUnbounded", args...)
}

func (u unboundedMean) wasText() string {
	args := []string{fmt.Sprintf("ε = %g, δ = %g", u.Epsilon, u.Delta)}
	if u.Locator != GaussianBins {
		args = append(args, string(u.Locator))
	}
	if u.Failure != 0 {
		args = append(args, fmt.Sprintf("Failure = %g", u.Failure))
	}
	return call("UnboundedMean", args...)
}

func (s secondMoment) wasText() string {
	if s.Central {
		return call("Covariance", s.was()...)
	}
	return call("SecondMoment", s.was()...)
}
