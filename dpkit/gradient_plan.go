package dpkit

import (
	"fmt"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/frames"
)

// gradientPlan is a descent and how it is priced. Exactly one of three: a Gaussian sum (neither), a sampled one, or a pass.
type gradientPlan struct {
	*descent
	sampled *sampledPrice // Poisson and WithoutReplacement
	pass    *passPrice    // ByIteration
}

func (g gradient) plan(st Stage) (*gradientPlan, error) {
	target := g.target()
	if err := target.Validate(); err != nil {
		return nil, err
	}
	if err := g.check(st.In, st.Taint); err != nil {
		return nil, err
	}
	p := st.Before
	r := p.R
	label, _ := st.In.Label()
	loss := g.loss(label)
	def := loss.defaults()
	pl := newDescent(loss, loss.margins(label), len(st.In.Features()), r, Logistic{NoIntercept: g.NoIntercept}.constant(r))
	pl.label = labelScaleOf(label)
	pl.rule, pl.average = g.Rule, g.Average
	share := pl.taint(st)
	pl.w = orDefault(g.MaxNorm, def.maxNorm) / r
	pl.wj = min(pl.w, orDefault(g.TaintedNorm, pl.w*r*math.Sqrt(share))/r)
	_, pass := g.solver().(ByIteration)
	pl.clip = g.Clip * r
	if g.Clip == 0 {
		if pl.clip = def.clip * r; pass && pl.margins > 1 {
			pl.clip = up(loss.steepest(math.Inf(1)) * pl.rx)
		}
	}
	pl.bind()
	if err := pl.state(p); err != nil {
		return nil, err
	}
	var err error
	if pl.mu, err = st.spent.mu(target); err != nil {
		return nil, err
	}
	f := &gradientPlan{descent: pl}
	if pass {
		return f, f.settlePass(g, st)
	}
	f.settleSteps(g, p, def)
	if pl.sampling, err = g.solver().sampling(p.N, f.defaultRate(p.N)); err != nil {
		return nil, err
	}
	if pl.sampling.Kind == 0 {
		return f, pl.calibrate(target, st)
	}
	return f, f.settleSampled(target, st)
}

// settleSteps chooses T, η and momentum, as in [Logistic].
func (f *gradientPlan) settleSteps(g gradient, p pair.State, def lossDefaults) {
	pl, r := f.descent, p.R
	beta := pl.loss.bend() * pl.rx * pl.rx
	pl.eta = orDefault(g.StepSize, 2*r*r/beta) / (r * r)
	plain := def.travel * pl.mu * float64(p.N) * r / pl.s * beta / (r * r) / 2
	pl.draws = g.Steps
	if pl.draws == 0 {
		pl.draws = int(min(max(plain/gain(plain/manySteps), minSteps), maxSteps))
	}
	if g.StepSize == 0 && g.Rule == ConstantStep {
		pl.m = 1 - 1/gain(plain/float64(pl.draws))
	}
}

// defaultRate is the least rate at which sampling loses little to FullBatch: the noise on a sum stays above one and a
// half C, below which amplification fails, and the variance of the draw, at most qnC², below that of the noise, k·σ² with
// σ ≈ q√T·S/μ. It is rounded up to two digits.
func (f *gradientPlan) defaultRate(n int) float64 {
	pl := f.descent
	perStep := pl.mu / math.Sqrt(float64(pl.draws)) * pl.clip / pl.s // μ/√T, relative to S/C
	q := max(1.5*perStep, float64(n)*perStep*perStep/float64(pl.coordinates), 1/float64(n))
	unit := math.Pow(10, math.Floor(math.Log10(q))-1)
	return min(1, math.Ceil(q/unit)*unit)
}

// oneFreeRow refuses pairs for which only full batches are priced.
func oneFreeRow(solver string, p pair.State) error {
	if p.F > 1 {
		return fmt.Errorf("%s: %d rows are free behind the steps of the chain, and it is priced for one; use FullBatch: %w", solver, p.F, ErrOrder)
	}
	return nil
}

// newGradientModel takes the vectors of a fit apart. Scores of a numeric label are in its units.
func newGradientModel(s frames.Schema, loss Loss, w []float64, c float64) GradientModel {
	label, _ := s.Label()
	m := GradientModel{Label: label.Name, Loss: loss.String(), Classes: slices.Clone(label.Levels), Lo: label.Lo, Hi: label.Hi, Columns: featureNames(s)}
	d := len(s.Features())
	scale := labelScaleOf(label)
	by := orDefault(scale.half, 1)
	width := len(w) / loss.margins(label)
	for ; len(w) > 0; w = w[width:] {
		coef, intercept := make([]float64, d), scale.mid
		for j := range coef {
			coef[j] = by * w[j]
		}
		if width > d {
			intercept += by * w[d] * c
		}
		m.Coef, m.Intercept = append(m.Coef, coef), append(m.Intercept, intercept)
	}
	return m
}
