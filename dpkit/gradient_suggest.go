package dpkit

import (
	"fmt"
	"math"
	"strings"
)

// Suggestion is a choice of the parameters that were left open, and why.
type Suggestion struct {
	Gradient Gradient // every parameter set, but for a step size that comes with momentum
	Why      []string
}

// SuggestGradient settles the parameters of g that are 0 as [Pipeline.FitByGradient] does, from public facts alone: n, d, the
// bounds and the target. No row is read, and nothing is charged. The rules were chosen on simulated populations.
func (p Pipeline) SuggestGradient(g Gradient) (Suggestion, error) {
	g.Loss, g.Solver = pointedTo(g.Loss), pointedTo(g.Solver)
	q, err := p.FitByGradient(g).plan().quote()
	if err != nil {
		return Suggestion{}, err
	}
	if p.s.mode == modePublic {
		return Suggestion{}, fmt.Errorf("dpkit: suggest: the data was declared public: there is nothing to choose: %w", ErrParameter)
	}
	f, err := gradient{g}.plan(q.end)
	if err != nil {
		return Suggestion{}, fmt.Errorf("dpkit: suggest: %w", err)
	}
	return f.suggestion(g, q.end), nil
}

func (f *gradientPlan) suggestion(g Gradient, st Stage) Suggestion {
	pl, r, n := f.descent, st.Before.R, float64(st.Before.N)
	out := Suggestion{Gradient: g}
	why := func(set bool, format string, args ...any) {
		by := ": "
		if set {
			by = " (as asked): "
		}
		name, reason, _ := strings.Cut(fmt.Sprintf(format, args...), ": ")
		out.Why = append(out.Why, name+by+reason)
	}
	o := &out.Gradient
	o.Loss, o.Solver = pl.loss, gradient{g}.solver()
	why(g.Loss != nil, "loss %v: read off the label", pl.loss)
	full := up(pl.s*math.Sqrt(float64(pl.draws))/pl.mu) / n // noise on a mean gradient
	switch s := o.Solver.(type) {
	case FullBatch:
		why(g.Solver != nil, "%v: for equal privacy and steps the least noise, %.3g on a coordinate of a mean gradient; each of %d steps reads all rows", s, pl.sigma/n, pl.draws)
	case PoissonSampling:
		set := s.Rate != 0
		s.Rate = pl.sampling.Rate
		o.Solver = s
		why(set, "%v: the least rate with noise σ above 1.5 C, where amplification still works, and the draw's variance below the noise's; %.3g of the work of FullBatch, %.2f of its noise on a mean gradient", s, s.Rate, pl.sigma/(s.Rate*n)/full)
	case WithoutReplacement:
		set := s.Batch != 0
		s.Batch = pl.sampling.Batch
		o.Solver = s
		why(set, "%v: the default rate of Poisson; %.2f of FullBatch's noise on a mean gradient", s, pl.sigma/float64(s.Batch)/full)
	case ByIteration:
		why(true, "%v: one pass, noise %.3g on each coordinate of each row's gradient; for comparison, as other solvers have far less", s, pl.sigma)
	}
	o.Clip, o.MaxNorm, o.TaintedNorm = pl.clip/r, pl.w*r, pl.wj*r
	why(g.Clip != 0, "Clip %.4g: of at most %.4g that a gradient can have; a lower one biases, a higher one needs noise for what few rows have", o.Clip, pl.loss.steepest(pl.rx*pl.w)*pl.rx/r)
	why(g.MaxNorm != 0, "MaxNorm %.4g: what coefficients of the loss rarely pass", o.MaxNorm)
	if st.Before.Displaced() {
		why(g.TaintedNorm != 0, "TaintedNorm %.4g: the share of MaxNorm by displaced columns; displaced rows move a gradient by at most %.4g per unit", o.TaintedNorm, pl.lip)
	}
	if f.pass != nil {
		o.StepSize = pl.eta * r * r
		why(g.StepSize != 0, "StepSize %.4g: D/(G√n) for a distance D of a quarter of MaxNorm, at most 2/β = %.4g", o.StepSize, pl.largestStep()*r*r)
		return out
	}
	o.Steps = pl.draws
	why(g.Steps != 0, "Steps %d: more let the noise of each grow as √T, fewer do not arrive; the public rule weighs μ·n·R/S = %.4g", o.Steps, pl.mu*n*r/pl.s)
	if g.StepSize == 0 && g.Rule == ConstantStep {
		why(false, "StepSize 2/β = %.4g: with momentum %.3g, for a reach of %.3g plain steps; without divergence, as η ≤ 2/β", pl.eta*r*r, pl.m, float64(pl.draws)/(1-pl.m))
		return out
	}
	o.StepSize = pl.eta * r * r
	if pl.eta > pl.largestStep()*(1+1e-9) {
		why(g.StepSize != 0, "StepSize %.4g: ABOVE 2/β = %.4g: steps can diverge until the projection holds them", o.StepSize, pl.largestStep()*r*r)
	} else {
		why(g.StepSize != 0, "StepSize %.4g: at most 2/β = %.4g", o.StepSize, pl.largestStep()*r*r)
	}
	return out
}

// String lists the choices, one a line.
func (s Suggestion) String() string { return strings.Join(s.Why, "\n") + "\n" }
