package linear

import (
	"math"

	"github.com/dpkit-go/dpnb/dpkit/coefficient"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// scaledLaw is a law of the noise in coefficients of (x, c), in the units of a model of the label.
func (g *LinearDomain) scaledLaw(l *coefficient.Law) *coefficient.Law {
	if l == nil || l.Scales == nil {
		return l
	}
	out := *l
	out.Scales = g.units(l.Scales)
	if l.Moments != nil {
		m := *l.Moments
		m.Along, m.Units = g.units(m.Along), g.units(m.Units)
		out.Moments = &m
	}
	return &out
}

// units are margins of coefficients of (x, c) in the units of a model of the label, the intercept last: 0 where it is public.
func (g *LinearDomain) units(v []float64) []float64 {
	out := make([]float64, g.D+1)
	for j := range g.D {
		out[j] = g.to * v[j]
	}
	if g.constant > 0 {
		out[g.D] = g.to * v[g.D] * g.constant
	}
	return out
}

// same is n times v.
func same(v float64, n int) []float64 {
	out := make([]float64, n)
	for j := range out {
		out[j] = v
	}
	return out
}

// gridSlack is what rounding to the grid of a query moves a vector by, in deviations of its noise.
func gridSlack(g query.GaussianQuery) float64 {
	return math.Sqrt(float64(g.Coordinates)) * g.Grid.Step() / g.Sigma
}

// law of the noise on the coefficients: theirs is normal.
func (o *OutputFit) law() *coefficient.Law {
	return &coefficient.Law{
		Law: coefficient.ByOutput, Scales: same(o.Sigma, o.Coefficients()), Slack: gridSlack(o.GaussianQuery) + 2*o.solverError()/o.Sigma,
	}
}

// momentLaw is that of coefficients w = M⁻¹(g + e) of noisy sums, M⁻¹ being s.inverse; least is M's least eigenvalue, smallest that of
// the sums alone, which the ridge was chosen by.
func (a *AdaSSPFit) momentLaw(s ridgeSolution, w []float64, least, smallest float64) *coefficient.Law {
	p := len(w)
	l := &coefficient.Law{
		Law: coefficient.BySums, Scales: make([]float64, p), Freedom: p, Slack: 2 * gridSlack(a.GaussianQuery),
		Moments: &coefficient.Moments{
			Along: make([]float64, p), Units: same(1, p), Least: math.Abs(least) / a.Sigma * (1 - 0x1p-30), Size: num.Norm2(w), Right: 1,
			Ridge: s.ridge / a.Sigma, Ways: 1, Seen: max(0, smallest/a.Sigma), Cover: a.cover() / a.Sigma,
		},
	}
	for i := range p {
		row := s.inverse[i*p : (i+1)*p]
		var along float64
		for j, v := range row {
			along += v * w[j]
		}
		l.Scales[i], l.Moments.Along[i] = a.Sigma*num.Norm2(row), a.Sigma*math.Abs(along)
	}
	return l
}

// atEnd reports a ridge that is at an end of its range, and was not raised beyond it.
func (a *AdaSSPFit) atEnd(chosen, used float64) bool {
	return used == chosen && (chosen == 0 || chosen == (1+ridgeMargin)*a.cover())
}

// law of the coefficients that [AdaSSPFit.Fit] solved noisy sums for; smallest is the eigenvalue that their ridge was chosen by.
func (a *AdaSSPFit) law(s ridgeSolution, smallest float64) *coefficient.Law {
	l := a.momentLaw(s, s.W, smallest+s.ridge, smallest)
	l.Moments.Fixed = a.atEnd(a.Ridge(smallest), s.ridge)
	return l
}

// law of the coefficients w that a ridge drew to a centre: (G + rI)⁻¹(g + r w₀) without noise, which is fixed where r is 0, and where
// there is no centre. The noise on the last entry of the sums is left out where a centre is used, which is one way more for noise to go.
func (f *CentredFit) law(noisy *NormalEquations, s ridgeSolution, w []float64, smallest float64, to centre) *coefficient.Law {
	least := smallest + s.ridge
	if to.w != nil {
		least = noisy.Smallest(len(w), 0) + s.ridge
	}
	l := f.momentLaw(s, w, least, smallest)
	l.Moments.Ways = 2
	l.Moments.Fixed = f.atEnd(f.Ridge(smallest), s.ridge) && (to.w == nil || s.ridge == 0)
	return l
}

// onlyLaw is that of coefficients that are drawn without the sketch. √(v/ν)·‖L_xx⁻¹_j‖ of their t law is secret; it is at most
// √((nb² + σ²)/ν)/σ.
func (x *SketchFit) onlyLaw() *coefficient.Law {
	freedom := x.freedom() + 1
	sigma := math.Sqrt(x.Variance())
	scale := math.Sqrt((float64(x.N)*x.Height*x.Height+x.Variance()+x.Share)/float64(freedom)) / sigma
	return &coefficient.Law{
		Law: coefficient.BySketch, Scales: same(scale, x.Coefficients()), Freedom: freedom, Slack: 12 * x.cover.Sigma / scale,
	}
}

// law of the coefficients after all steps: their second moments (docs/theory/mechanisms.md#uncertainty-of-coefficients).
// No iterate leaves the ball that rho gives, with noise or without.
func (r *RelativeDescent) law(draw relativeDraw, tau, rho float64) *coefficient.Law {
	if r.strength.Given() {
		return &coefficient.Law{Law: coefficient.OfStrength}
	}
	p := r.Coefficients()
	keep := 1 - tau*r.Lambda
	gradient := r.Rx * r.Height // at 0, where none of the exact ones is longer
	var square float64          // bounds the mean of ‖θ̂ − θ‖²
	excess := 1 + r.Noises.widening
	floor := draw.Absolute / draw.Eta
	across := stage.Up(2 * r.Ball(rho))
	for range r.steps {
		size := gradient + r.Lipschitz()*math.Sqrt(square) + math.Sqrt(float64(p))*r.Noise.grid.Step()
		square = keep*keep*square + tau*tau*float64(p)*draw.Gamma*excess*excess*(size*size+floor*floor)
		square = min(square, across*across)
		gradient *= keep
	}
	rounding := float64(r.steps) * tau * 2 * (math.Sqrt(float64(p))*r.Noise.grid.Step() + r.Noise.off)
	scale := math.Sqrt(square)
	return &coefficient.Law{Law: coefficient.ByRelativeSteps, Scales: same(scale, p), Slack: rounding / scale}
}
