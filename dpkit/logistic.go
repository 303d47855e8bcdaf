package dpkit

import (
	"math"

	"github.com/dpkit-go/dpnb/accountant"
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

// FitLogistic fits a logistic model of the schema's two-class label on all features.
//
// Memory: every step reads all rows. Up to 2^25 cells (256 MB) they are held; a larger table is
// read anew for each of the T steps, from its file and through the chain, in constant memory.
//
//go:noinline
func (p Pipeline) FitLogistic(o Logistic) Plan[LogisticModel] {
	return newPlan[LogisticModel](p, logistic{o})
}

type logistic struct {
	Logistic `dp:"inline"`
}

func (logistic) kind() kind { return kind{"fit/logistic", 1, "FitLogistic", "dpkit.logistic"} }

func (l logistic) budget() accountant.Budget {
	return accountant.Budget{Epsilon: l.Epsilon, Delta: l.Delta}
}

// Public defaults, in units of the norm bound R. They come from simulated logistic populations of
// 5e3 to 1e5 rows, and from nothing else.
const (
	defaultMaxNorm  = 24
	defaultClip     = 0.7
	interceptHeight = 0.5 // c/R: a lower constant feature lowers ‖x̃‖ and costs little
	defaultTravel   = 2.4
	minSteps        = 10
	maxSteps        = 400
	manySteps       = 40 // enough for momentum
	maxGain         = 8  // 1/(1 − m)
)

func (l logistic) Settle(st Stage) (settled[LogisticModel], error) {
	if err := l.budget().Validate(); err != nil {
		return settled[LogisticModel]{}, err
	}
	pl, err := l.plan(st)
	if err != nil {
		return settled[LogisticModel]{}, err
	}
	b, err := l.price(pl, st)
	model := func(w []float64) LogisticModel { return newLogisticModel(st.In, w, pl.c) }
	return settled[LogisticModel]{bill: b, read: drawnAs(pl.read, model)}, err
}

func (l logistic) price(pl *descent, st Stage) (bill, error) {
	return pl.price(l.budget(), st, ReleaseCost{
		Name: describe(l),
		Constants: []Constant{
			{"W", pl.w, FromParameter, "bound on ‖w‖, by projection"},
			{"W_J", pl.wj, FromParameter, "bound on ‖w‖ over displaced coordinates, by projection"},
			{"C", pl.clip, FromParameter, "bound on a row's gradient, by clipping"},
			{"μ", pl.lip, FromConstruction, "Lipschitz constant of a gradient in its row"},
			{"T", float64(pl.draws), FromParameter, "steps"},
			{"η", pl.eta, FromParameter, "step size"},
			{"m", pl.m, FromParameter, "momentum"},
			{"σ", pl.sigma, FromParameter, "noise on each coordinate of a gradient sum"},
		},
		Reference: "DP-GD on the pair state: S = 2Cf + min(μτ, 2Cm); Hu, Sanyal, Schölkopf 2024, Thm 13, corrected and in one hop",
	})
}

// check reports what is wrong with the parameters and the schema.
func (l logistic) check(in frames.Schema) error {
	for _, f := range []struct {
		name string
		v    float64
	}{{"MaxNorm", l.MaxNorm}, {"TaintedNorm", l.TaintedNorm}, {"Clip", l.Clip}, {"StepSize", l.StepSize}, {"Steps", float64(l.Steps)}} {
		if err := sizedOr0(f.name, f.v); err != nil {
			return err
		}
	}
	return classifiable(in)
}

func (l logistic) plan(st Stage) (*descent, error) {
	if err := l.check(st.In); err != nil {
		return nil, err
	}
	p := st.Before
	r := p.R
	features := st.In.Features()
	pl := newDescent(LogLoss{}, 1, len(features), r, l.constant(r))
	pl.w = orDefault(l.MaxNorm, defaultMaxNorm) / r
	pl.clip = orDefault(l.Clip, defaultClip) * r
	share := pl.taint(st)
	pl.wj = min(pl.w, orDefault(l.TaintedNorm, pl.w*r*math.Sqrt(share))/r)
	pl.bind()
	if err := pl.state(p); err != nil {
		return nil, err
	}
	target := l.budget()
	mu, err := st.spent.mu(target)
	if err != nil {
		return nil, err
	}
	beta := pl.rx * pl.rx / 4
	pl.eta = orDefault(l.StepSize, 2*r*r/beta) / (r * r)
	plain := defaultTravel * mu * float64(p.N) * r / pl.s * beta / (r * r) / 2
	pl.draws = l.Steps
	if pl.draws == 0 {
		pl.draws = int(min(max(plain/gain(plain/manySteps), minSteps), maxSteps))
	}
	if l.StepSize == 0 {
		pl.m = 1 - 1/gain(plain/float64(pl.draws))
	}
	return pl, pl.gaussianSum.calibrate(target, st)
}

// gain is how much farther momentum carries a step.
func gain(wanted float64) float64 { return min(max(wanted, 1), maxGain) }

// constant is the feature that stands for the intercept, for rows of norm at most r; 0 where there is none.
func (l Logistic) constant(r float64) float64 {
	if l.NoIntercept {
		return 0
	}
	return interceptHeight * r
}

// logisticLipschitz is μ: the supremum of s + s(1−s)·aJ over s in [σ(−a), σ(a)], a = ‖x̃‖W and
// aJ = ‖x̃‖W_J. For a displacement d of the row inside J, the gradient −y·σ(−y⟨w,x̃⟩)·x̃ changes
// at the rate ‖s·d + s(1−s)⟨w_J, d⟩x̃‖ ≤ (s + s(1−s)·aJ)‖d‖. The curve rises up to
// s* = (1+aJ)/(2aJ).
func logisticLipschitz(a, aJ float64) float64 {
	s := 1 / (1 + math.Exp(-a))
	if aJ > 0 {
		s = min(s, (1+aJ)/(2*aJ))
	}
	return up(s + s*(1-s)*aJ)
}

func orDefault(v, def float64) float64 {
	if v == 0 {
		return def
	}
	return v
}
