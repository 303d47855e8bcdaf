package gradient

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// calibratedGradient is a descent and how it is priced. Exactly one of three: a Gaussian sum (neither), a sampled one, or a pass.
type calibratedGradient struct {
	*Descent
	sampled *sampledPrice // Poisson and WithoutReplacement
	Pass    *passPrice    // ByIteration
}

// Calibrate settles bounds, steps and noise on a pair state, from public facts alone. Errors wrap [kind.ErrParameter],
// [stage.ErrColumn], [stage.ErrOrder], or are those of the target or of the noise's grid.
func (g GradientFit) Calibrate(st stage.Stage) (*calibratedGradient, error) {
	target := g.target()
	if err := target.Validate(); err != nil {
		return nil, err
	}
	if err := g.check(st.In); err != nil {
		return nil, err
	}
	p := st.Before
	r := p.R
	label, _ := st.In.Label()
	loss := g.loss(label)
	def := loss.Defaults()
	margins, d := loss.Margins(label), st.In.Width()
	grows := g.grows(margins)
	constant := g.constant(r)
	if grows && !p.Displaced() {
		constant *= growingHeight(margins * (d + 1))
	}
	pl := newDescent(loss, margins, st.In, r, constant)
	pl.label = LabelScaleOf(label)
	pl.rule, pl.average = g.Rule, g.Average
	share := pl.taint(st)
	f := &calibratedGradient{Descent: pl}
	pl.W = cmp.Or(g.MaxNorm, def.MaxNorm) / r
	pl.Wj = min(pl.W, cmp.Or(g.TaintedNorm, pl.W*r*math.Sqrt(share))/r)
	_, pass := g.solver().(ByIteration)
	pl.Clip = g.Clip * r
	switch {
	case grows:
		w, c := pl.growingBounds(g, p.Displaced())
		pl.W, pl.Clip = w/r, c*r
		pl.Wj = min(pl.W, cmp.Or(g.TaintedNorm/r, f.growingTainted(p, share)))
	case g.Clip == 0:
		if pl.Clip = def.Clip * r; pass && pl.margins > 1 {
			pl.Clip = stage.Up(loss.Steepest(math.Inf(1)) * pl.Rx)
		}
	}
	pl.bind()
	if err := pl.State(p); err != nil {
		return nil, err
	}
	var err error
	if pl.Mu, err = st.Spent.Mu(target); err != nil {
		return nil, err
	}
	if pass {
		return f, f.settlePass(g, st)
	}
	if grows {
		f.settleGrowing(g, p)
		return f, pl.Calibrate(target, st)
	}
	f.settleSteps(g, p, def)
	if pl.Sampling, err = g.solver().sampling(p.N, f.defaultRate(p.N)); err != nil {
		return nil, err
	}
	if pl.Sampling.Kind == 0 {
		if g.StepSize == 0 && g.MaxNorm == 0 && g.plain() {
			if err := pl.widen(p); err != nil {
				return nil, err
			}
		}
		return f, pl.Calibrate(target, st)
	}
	return f, f.settleSampled(target, st)
}

// settleSteps chooses T, η and momentum, as in [ByGradient].
func (f *calibratedGradient) settleSteps(g GradientFit, p pair.State, def lossDefaults) {
	pl, r := f.Descent, p.R
	beta := pl.loss.Bend() * pl.Rx * pl.Rx
	pl.Eta = cmp.Or(g.StepSize, 2*r*r/beta) / (r * r)
	plain := def.Travel * pl.Mu * float64(p.N) * r / pl.S * beta / (r * r) / 2
	pl.Draws = g.Steps
	if pl.Draws == 0 {
		pl.Draws = int(min(max(plain/gain(plain/domain.ManySteps), domain.MinSteps), domain.MaxSteps))
	}
	if g.StepSize == 0 && g.Rule == StepConstant {
		pl.M = 1 - 1/gain(plain/float64(pl.Draws))
	}
}

// defaultRate is the least rate at which sampling loses little to FullBatch: the noise on a sum stays above one and a
// half C, below which amplification fails, and the variance of the draw, at most qnC², below that of the noise, k·σ² with
// σ ≈ q√T·S/μ. It is rounded up to two digits.
func (f *calibratedGradient) defaultRate(n int) float64 {
	pl := f.Descent
	perStep := pl.Mu / math.Sqrt(float64(pl.Draws)) * pl.Clip / pl.S // μ/√T, relative to S/C
	q := max(1.5*perStep, float64(n)*perStep*perStep/float64(pl.Coordinates), 1/float64(n))
	unit := math.Pow(10, math.Floor(math.Log10(q))-1)
	return min(1, math.Ceil(q/unit)*unit)
}

// oneFreeRow refuses pairs for which only full batches are priced.
func oneFreeRow(solver string, p pair.State) error {
	//dp:refuses gradient/freed-rows a batch is priced for one row that changes
	if p.F > 1 {
		return fmt.Errorf("%s: %d rows are free behind the steps of the chain, and it is priced for one; use FullBatch: %w", solver, p.F, stage.ErrOrder)
	}
	return nil
}

// newGradientModel takes the vectors of a fit apart. Scores of a numeric label are in its units.
func newGradientModel(s frames.Schema, loss Loss, w []float64, c float64) models.GradientModel {
	label, _ := s.Label()
	m := models.GradientModel{Label: label.Name, Loss: loss.String(), Classes: slices.Clone(label.Levels), Lo: label.Lo, Hi: label.Hi, Columns: domain.FeatureNames(s)}
	d := s.Width()
	scale := LabelScaleOf(label)
	by := cmp.Or(scale.half, 1)
	width := len(w) / loss.Margins(label)
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
