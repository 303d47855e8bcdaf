package gradient

import (
	"cmp"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// Logistic is logistic regression by projected noisy gradient descent (DP-GD): T full-batch steps
//
//	w ← Π( w − η/n·( Σ_i clip_C(∇ℓ(w; x_i, y_i)) + noise ) + m·(w − w₋) ),  ℓ = log(1 + e^{−y⟨w, x̃⟩}),  x̃ = (x, c),
//
// with the iterates of the last half averaged, w₋ the iterate before w. Π keeps ‖w‖ ≤ W, and ‖w_J‖ ≤ W_J on the
// coordinates J that earlier steps displaced: without a bound on w a gradient would not be
// Lipschitz in its row. The noise is discrete Gaussian on a public grid; gradients are summed in
// fixed point on that grid, so that the sum is exact in any order. Displaced rows are priced after Hu, Sanyal, Schölkopf 2024,
// Theorem 13, corrected.
//
// Zero values other than ε and δ are public defaults: functions of n, the target and the public
// bounds, chosen on simulated populations.
type Logistic struct {
	Epsilon, Delta float64 // target; no defaults

	MaxNorm     float64 // W, in units of 1/R (R = norm bound of a row); 0: 24
	TaintedNorm float64 // W_J, likewise; 0: W·√(displaced columns and blocks / all)
	Clip        float64 // C, in units of R; 0: 0.7
	// T; 0: T₀/a within [10, 400], where T₀ = 2.4·μ*·n·R/S·β/2 are the steps that plain descent would need,
	// β = ‖x̃‖²/4R², and a = T₀/40 within [1, 8].
	Steps int
	// η, in units of 1/R²; 0: 2/β, with momentum m = 1 − 1/a, a = T₀/T within [1, 8]. A larger η than 2/β can diverge,
	// momentum at 2/β cannot (Polyak 1964). A step that was asked for is taken without.
	StepSize float64

	// NoIntercept leaves the constant feature c out: x̃ = x. The class boundary then passes through 0.
	NoIntercept bool
}

type LogisticFit struct {
	Logistic `dp:"inline"`
}

func (LogisticFit) Kind() kind.Kind {
	return kind.Kind{Name: "fit/logistic", Law: 1, Call: "FitLogistic", Was: "dpkit.logistic"}
}

func (l LogisticFit) Budget() accountant.Budget {
	return accountant.Budget{Epsilon: l.Epsilon, Delta: l.Delta}
}

func (l LogisticFit) Settle(st stage.Stage) (mechanism.Settled[models.LogisticModel], error) {
	if err := l.Budget().Validate(); err != nil {
		return mechanism.Settled[models.LogisticModel]{}, err
	}
	pl, err := l.Plan(st)
	if err != nil {
		return mechanism.Settled[models.LogisticModel]{}, err
	}
	b, err := l.price(pl, st)
	model := func(w []float64) models.LogisticModel { return models.NewLogisticModel(st.In, w, pl.C) }
	return mechanism.Settled[models.LogisticModel]{Bill: b, Read: mechanism.DrawnAs(pl.read, model)}, err
}

func (l LogisticFit) price(pl *Descent, st stage.Stage) (query.Bill, error) {
	return pl.Price(l.Budget(), st, query.ReleaseCost{
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

func (l LogisticFit) Plan(st stage.Stage) (*Descent, error) {
	if err := l.check(st.In); err != nil {
		return nil, err
	}
	p := st.Before
	r := p.R
	features := st.In.Features()
	pl := newDescent(LogLoss{}, 1, len(features), r, l.constant(r))
	pl.W = cmp.Or(l.MaxNorm, domain.DefaultMaxNorm) / r
	pl.Clip = cmp.Or(l.Clip, domain.DefaultClip) * r
	share := pl.taint(st)
	pl.Wj = min(pl.W, cmp.Or(l.TaintedNorm, pl.W*r*math.Sqrt(share))/r)
	pl.bind()
	if err := pl.State(p); err != nil {
		return nil, err
	}
	target := l.Budget()
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
	return pl, pl.GaussianSum.Calibrate(target, st)
}

// gain is how much farther momentum carries a step.
func gain(wanted float64) float64 { return min(max(wanted, 1), domain.MaxGain) }

// constant is the feature that stands for the intercept, for rows of norm at most r; 0 where there is none.
func (l Logistic) constant(r float64) float64 {
	if l.NoIntercept {
		return 0
	}
	return domain.InterceptHeight * r
}

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
