package gradient

import (
	"cmp"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// LogisticFit is logistic regression by noisy gradients, ℓ = log(1 + e^{−y⟨w, x̃⟩}). Plain full batches are what it was first
// made of, and have rules of their own; others are those of [GradientFit].
type LogisticFit struct {
	ByGradient
}

// Kind: version 1 of the law had a ball of 24 wherever no row is displaced, which is of more error alone.
func (LogisticFit) Kind() kind.Kind {
	return kind.Kind{Name: "fit/logistic", Law: 2, Replays: 1, Call: "FitLogistic", Was: "dpkit.logistic"}
}

// Budget is a target that steps of the chain can take shares of: that of a Gaussian mechanism.
func (l LogisticFit) Budget() accountant.Budget { return l.general().Budget() }

// general is the fit as one of any convex loss.
func (l LogisticFit) general() GradientFit { return GradientFit{LogLoss{}, l.ByGradient} }

func (l LogisticFit) Settle(st stage.Stage) (mechanism.Settled[models.LogisticModel], error) {
	if err := l.target().Validate(); err != nil {
		return mechanism.Settled[models.LogisticModel]{}, err
	}
	if !l.plain() {
		return l.settleGeneral(st)
	}
	pl, err := l.Calibrate(st)
	if err != nil {
		return mechanism.Settled[models.LogisticModel]{}, err
	}
	b, err := l.price(pl, st)
	law := pl.noiseLaw(st.Before.N, 1)
	model := func(w []float64) models.LogisticModel {
		return models.WithLaw(models.NewLogisticModel(st.In, w, pl.C), law)
	}
	return mechanism.Settled[models.LogisticModel]{Bill: b, Read: mechanism.DrawnAs(pl.read, model), Predicted: pl.predicted(st), Packs: true}, err
}

// settleGeneral settles the fit of any convex loss, under the name of this one.
func (l LogisticFit) settleGeneral(st stage.Stage) (mechanism.Settled[models.LogisticModel], error) {
	if err := domain.Classifiable(st.In); err != nil {
		return mechanism.Settled[models.LogisticModel]{}, err
	}
	pl, err := l.general().Calibrate(st)
	if err != nil {
		return mechanism.Settled[models.LogisticModel]{}, err
	}
	b, err := l.general().price(pl, st)
	b.Cost.Name = kind.Describe(l)
	law := pl.noiseLaw(st.Before.N, 1)
	model := func(w []float64) models.LogisticModel {
		return models.WithLaw(models.NewLogisticModel(st.In, w, pl.C), law)
	}
	return mechanism.Settled[models.LogisticModel]{Bill: b, Read: mechanism.DrawnAs(pl.read, model), Predicted: pl.predicted(st), Packs: pl.all()}, err
}

func (l LogisticFit) price(pl *Descent, st stage.Stage) (query.Bill, error) {
	return pl.Price(l.target(), st, cost.Release{
		Name: kind.Describe(l),
		Constants: []stage.Constant{
			{Symbol: "W", Value: pl.W, Origin: stage.FromParameter, Meaning: "bound on ‖w‖, by projection"},
			{Symbol: "W_J", Value: pl.Wj, Origin: stage.FromParameter, Meaning: "bound on ‖w‖ over displaced coordinates, by projection"},
			{Symbol: "C", Value: pl.Clip, Origin: stage.FromParameter, Meaning: "bound on a row's gradient, by clipping"},
			{Symbol: "μ", Value: pl.Lip, Origin: stage.FromConstruction, Meaning: "Lipschitz constant of a gradient in its row"},
			{Symbol: "T", Value: float64(pl.Draws), Origin: stage.FromParameter, Meaning: "steps"},
			{Symbol: "η", Value: pl.Eta, Origin: stage.FromParameter, Meaning: "step size"},
			{Symbol: "m", Value: pl.M, Origin: stage.FromParameter, Meaning: "momentum"},
			{Symbol: "σ", Value: pl.Sigma, Origin: stage.FromParameter, Meaning: "noise on each coordinate of a gradient sum"},
		},
		Reference: "DP-GD on the pair state: S = 2Cf + min(μτ, 2Cm); Hu, Sanyal, Schölkopf 2024, Thm 13, corrected and in one hop",
	})
}

// check reports what is wrong with the parameters and the schema.
func (l LogisticFit) check(in frames.Schema) error {
	if err := kind.Closed("solver Solver", l.Solver); err != nil {
		return err
	}
	for _, f := range []struct {
		name string
		v    float64
	}{{"MaxNorm", l.MaxNorm}, {"TaintedNorm", l.TaintedNorm}, {"Clip", l.Clip}, {"StepSize", l.StepSize}, {"Steps", float64(l.Steps)}} {
		if err := num.SizedOr0(f.name, f.v); err != nil {
			return err
		}
	}
	return domain.Classifiable(in)
}

// Calibrate settles bounds, steps and noise on a pair state, from public facts alone. Errors wrap [kind.ErrParameter],
// [stage.ErrColumn], [stage.ErrOrder], or are those of the target or of the noise's grid.
func (l LogisticFit) Calibrate(st stage.Stage) (*Descent, error) {
	if err := l.check(st.In); err != nil {
		return nil, err
	}
	p := st.Before
	r := p.R
	pl := newDescent(LogLoss{}, 1, st.In, r, l.constant(r))
	pl.W = cmp.Or(l.MaxNorm, domain.DefaultMaxNorm) / r
	pl.Clip = cmp.Or(l.Clip, domain.DefaultClip) * r
	share := pl.taint(st)
	pl.Wj = min(pl.W, cmp.Or(l.TaintedNorm, pl.W*r*math.Sqrt(share))/r)
	pl.bind()
	if err := pl.State(p); err != nil {
		return nil, err
	}
	target := l.target()
	mu, err := st.Spent.Mu(target)
	if err != nil {
		return nil, err
	}
	beta := pl.Rx * pl.Rx / 4
	pl.Eta = cmp.Or(l.StepSize, 2*r*r/beta) / (r * r)
	plain := domain.DefaultTravel * mu * float64(p.N) * r / pl.S * beta / (r * r) / 2
	pl.Draws = l.Steps
	if pl.Draws == 0 {
		pl.Draws = int(min(max(plain/gain(plain/domain.ManySteps), domain.MinSteps), domain.MaxSteps))
	}
	if l.StepSize == 0 {
		pl.M = 1 - 1/gain(plain/float64(pl.Draws))
	}
	if pl.Mu = mu; l.StepSize == 0 && l.MaxNorm == 0 {
		if err := pl.widen(p); err != nil {
			return nil, err
		}
	}
	return pl, pl.GaussianSum.Calibrate(target, st)
}

// gain is how much farther momentum carries a step.
func gain(wanted float64) float64 { return min(max(wanted, 1), domain.MaxGain) }

// LogisticLipschitz is μ: the supremum of s + s(1−s)·aJ over s in [σ(−a), σ(a)], a = ‖x̃‖W and
// aJ = ‖x̃‖W_J. For a displacement d of the row inside J, the gradient −y·σ(−y⟨w,x̃⟩)·x̃ changes
// at the rate ‖s·d + s(1−s)⟨w_J, d⟩x̃‖ ≤ (s + s(1−s)·aJ)‖d‖. The curve rises up to
// s* = (1+aJ)/(2aJ).
func LogisticLipschitz(a, aJ float64) float64 {
	s := 1 / (1 + math.Exp(-a))
	if aJ > 0 {
		s = min(s, (1+aJ)/(2*aJ))
	}
	return stage.Up(s + s*(1-s)*aJ)
}
