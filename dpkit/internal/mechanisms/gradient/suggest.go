package gradient

import (
	"fmt"
	"math"
	"strings"

	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// Suggestion is a choice of the parameters that were left open, and why.
type Suggestion struct {
	Loss     Loss
	Gradient ByGradient // every parameter set, but for a step size that comes with momentum
	Why      []string
}

func (f *calibratedGradient) Suggestion(g GradientFit, st stage.Stage) Suggestion {
	pl, r, n := f.Descent, st.Before.R, float64(st.Before.N)
	out := Suggestion{Loss: pl.loss, Gradient: g.ByGradient}
	why := func(set bool, format string, args ...any) {
		by := ": "
		if set {
			by = " (as asked): "
		}
		name, reason, _ := strings.Cut(fmt.Sprintf(format, args...), ": ")
		out.Why = append(out.Why, name+by+reason)
	}
	o := &out.Gradient
	o.Solver = g.solver()
	why(g.Loss != nil, "loss %v: read off the label", pl.loss)
	full := stage.Up(pl.S*math.Sqrt(float64(pl.Draws))/pl.Mu) / n // noise on a mean gradient
	switch s := o.Solver.(type) {
	case FullBatch:
		why(g.Solver != nil, "%v: for equal privacy and steps the least noise, %.3g on a coordinate of a mean gradient; each of %d steps reads all rows", s, pl.Sigma/n, pl.Draws)
	case PoissonSampling:
		set := s.Rate != 0
		s.Rate = pl.Sampling.Rate
		o.Solver = s
		why(set, "%v: the least rate with noise σ above 1.5 C, where amplification still works, and the draw's variance below the noise's; %.3g of the work of FullBatch, %.2f of its noise on a mean gradient", s, s.Rate, pl.Sigma/(s.Rate*n)/full)
	case WithoutReplacement:
		set := s.Batch != 0
		s.Batch = pl.Sampling.Batch
		o.Solver = s
		why(set, "%v: the default rate of Poisson; %.2f of FullBatch's noise on a mean gradient", s, pl.Sigma/float64(s.Batch)/full)
	case ByIteration:
		why(true, "%v: one pass, noise %.3g on each coordinate of each row's gradient; for comparison, as other solvers have far less", s, pl.Sigma)
	}
	o.Clip, o.MaxNorm, o.TaintedNorm = pl.Clip/r, pl.W*r, pl.Wj*r
	why(g.Clip != 0, "Clip %.4g: of at most %.4g that a gradient can have; a lower one biases, a higher one needs noise for what few rows have", o.Clip, pl.loss.Steepest(pl.Rx*pl.W)*pl.Rx/r)
	if of := pl.loss.Defaults().MaxNorm; g.MaxNorm == 0 && pl.margins == 1 && o.MaxNorm > of*1.01 {
		why(false, "MaxNorm %.4g: no row is displaced, so that it is not in the price, and with it no population of the panel is predicted to lose to %.4g", o.MaxNorm, of)
	} else {
		why(g.MaxNorm != 0, "MaxNorm %.4g: what coefficients of the loss rarely pass", o.MaxNorm)
	}
	if st.Before.Displaced() {
		by := "the share of MaxNorm by displaced columns"
		if pl.Most > 0 {
			by = "the share of 24 by displaced columns, or what displaced rows can have for a tenth of C"
		}
		why(g.TaintedNorm != 0, "TaintedNorm %.4g: "+by+"; displaced rows move a gradient by at most %.4g per unit", o.TaintedNorm, pl.Lip)
	}
	if f.Pass != nil {
		o.StepSize = pl.Eta * r * r
		why(g.StepSize != 0, "StepSize %.4g: D/(G√n) for a distance D of a quarter of MaxNorm, at most 2/β = %.4g", o.StepSize, pl.largestStep()*r*r)
		return out
	}
	o.Steps = pl.Draws
	why(g.Steps != 0, "Steps %d: more let the noise of each grow as √T, fewer do not arrive; the public rule weighs μ·n·R/S = %.4g", o.Steps, pl.Mu*n*r/pl.S)
	if pl.Most > 0 {
		why(false, "StepSize from %.4g up to %.4g: at most 2/β at first, with momentum %.3g; it grows while noisy sums point the same way, and shrinks where steps bounce", pl.Eta*r*r, pl.Most*r*r, pl.M)
		return out
	}
	if g.StepSize == 0 && g.Rule == StepConstant {
		why(false, "StepSize 2/β = %.4g: with momentum %.3g, for a reach of %.3g plain steps; without divergence, as η ≤ 2/β", pl.Eta*r*r, pl.M, float64(pl.Draws)/(1-pl.M))
		return out
	}
	o.StepSize = pl.Eta * r * r
	if pl.Eta > pl.largestStep()*(1+1e-9) {
		why(g.StepSize != 0, "StepSize %.4g: ABOVE 2/β = %.4g: steps can diverge until the projection holds them", o.StepSize, pl.largestStep()*r*r)
	} else {
		why(g.StepSize != 0, "StepSize %.4g: at most 2/β = %.4g", o.StepSize, pl.largestStep()*r*r)
	}
	return out
}

// String lists the choices, one a line.
func (s Suggestion) String() string { return strings.Join(s.Why, "\n") + "\n" }
