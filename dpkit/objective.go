package dpkit

import (
	"context"
	"fmt"
	"math"
	"sync"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// ObjectivePerturbation is logistic regression by one draw of noise: the minimiser of
//
//	Σ_i log(1 + e^{−y⟨w, x̃⟩}) + (Λ/2)‖w‖² + ⟨b, w⟩,  b ~ N(0, σ²I),  x̃ = (x, c),
//
// (Chaudhuri, Monteleoni, Sarwate 2011; Kifer, Smith, Thakurta 2012), found by Newton's method. σ and Λ are calibrated
// so that the release is as private as a Gaussian one of the target's μ ([accountant.LogisticPerturbation]): it
// adds up with others, and private steps of the chain may share its target. Λ covers the intercept, too.
//
// The price rests on no bound on w, hence holds only where no row is displaced: behind public and private steps.
// Behind steps that are fitted without noise use [Pipeline.FitLogistic].
type ObjectivePerturbation struct {
	Epsilon, Delta float64 // target; no defaults

	// Lambda is Λ in units of R² (R = norm bound of a row). 0: the least at which σ is 8/7 of what it is for the
	// largest Λ.
	Lambda float64

	// Alone calibrates to (ε, δ) itself in place of the Gaussian pair that dominates the release: at ε = 1 an eighth less
	// noise and a Λ that is 4.5 times smaller. It cannot share its target with steps of the chain, and a ledger, which
	// adds up Gaussians, charges it 2.3 times the μ.
	Alone bool
}

// FitLogisticByObjective fits a logistic model of the schema's two-class label on all features by objective
// perturbation. Add/remove is its natural relation: under replace-one a row counts as one removed and one added, at
// twice the noise.
//
// Memory: as [Pipeline.FitLogistic], with about ten readings of the rows in place of one a step.
//
//go:noinline
func (p Pipeline) FitLogisticByObjective(o ObjectivePerturbation) Plan[LogisticModel] {
	return newPlan[LogisticModel](p, objectivePerturbation{o})
}

type objectivePerturbation struct{ ObjectivePerturbation }

func (o objectivePerturbation) String() string {
	args := fmt.Sprintf("ε = %g, δ = %g", o.Epsilon, o.Delta)
	if o.Lambda != 0 {
		args += fmt.Sprintf(", Lambda = %g", o.Lambda)
	}
	if o.Alone {
		args += ", Alone"
	}
	return call("FitLogisticByObjective", args)
}

func (o objectivePerturbation) budget() accountant.Budget {
	return accountant.Budget{Epsilon: o.Epsilon, Delta: o.Delta}
}

// outputShare is the part of μ² that hides how far the computed coefficients are from the minimiser.
const outputShare = 0x1p-20

// objectivePlan holds everything that a run needs. All of it is public.
type objectivePlan struct {
	objective
	event  accountant.Event
	sigma  float64    // noise on each coordinate of b
	grid   noise.Grid // of b
	gridSD uint64
	bNorm  float64 // bound on ‖b‖
	radius float64 // bound on the distance of the computed coefficients from the minimiser
	out    gaussianQuery

	outEpsilon float64 // part of ε that pays for the output noise, where the release is priced alone
}

func (o objectivePerturbation) Price(st Stage) (bill, error) {
	if err := o.placed(st); err != nil {
		return bill{}, err
	}
	pl, err := o.plan(st)
	if err != nil {
		return bill{}, err
	}
	return pl.price(o.String(), o.budget(), st)
}

// placed reports a target or a place in the chain at which there is no price.
func (o objectivePerturbation) placed(st Stage) error {
	if err := o.budget().Validate(); err != nil {
		return err
	}
	if st.Before.Displaced() {
		return fmt.Errorf("rows were displaced by a step that was fitted without noise, where no bound holds; use FitLogistic, or public and private steps (Impute(Midpoint{}), Impute(PrivateMean{…})): %w", ErrOrder)
	}
	if st.Before.F != 1 {
		return fmt.Errorf("%d rows may change with one, where the price is for one; use FitLogistic: %w", st.Before.F, ErrOrder)
	}
	return nil
}

// price accounts for the coefficients and what is released beside them.
func (pl *objectivePlan) price(name string, target accountant.Budget, st Stage, beside ...accountant.Event) (bill, error) {
	rel := st.Before.Neighbours
	ev := accountant.Compose(append([]accountant.Event{pl.event, pl.outputEvent(rel)}, beside...)...)
	g, err := pl.guarantee(target, st, ev)
	if err != nil {
		return bill{}, err
	}
	return bill{Event: st.spent.compose(ev, rel), Guarantee: g, Cost: ReleaseCost{
		Name: name, Event: ev.String(),
		Constants: []Constant{
			{"C", pl.c2, FromSchema, "bound on a row's norm, the constant feature included"},
			{"σ", pl.sigma, FromParameter, "noise on each coefficient of the linear term"},
			{"Λ", pl.lambda, FromParameter, "ridge on all coefficients, the intercept included"},
			{"g", pl.tolerance, FromConstruction, "computed gradient at which the solver stops, and bound on its rounding"},
			{"W", pl.maxNorm, FromConstruction, "bound on ‖w‖ at the minimiser"},
			{"σ_o", pl.out.sigma, FromParameter, "noise on each coefficient, which hides the distance 2g/Λ from the minimiser"},
		},
		Reference:   "objective perturbation as the Gaussian pair that dominates it; Kifer, Smith, Thakurta 2012, sharpened for the logistic loss",
		Sensitivity: pl.c2, FreeSensitivity: pl.c2, Sigma: pl.sigma,
		Uncounted: g.Epsilon, Nominal: g.Epsilon,
	}}, nil
}

// outputEvent is the noise on the coefficients. Two computed vectors lie within r of a common minimiser's image each: given
// the minimiser they are 2r apart, and the release composes with one of it. The sampler's distance from a Gaussian is
// counted for b as well, and once more for b being drawn again beyond its bound, of probability below e^−100.
func (pl *objectivePlan) outputEvent(rel accountant.Neighbours) accountant.Event {
	return accountant.DiscreteGaussian{
		Sensitivity: pl.out.s, Sigma: pl.out.sigma, Neighbours: rel,
		GridSigma: float64(min(pl.out.gridSD, pl.gridSD)), Coordinates: 2*pl.out.coordinates + 1,
	}
}

// guarantee prices the event: as Gaussian DP, or alone by basic composition of its two parts.
func (pl *objectivePlan) guarantee(target accountant.Budget, st Stage, ev accountant.Event) (accountant.Guarantee, error) {
	rel := st.Before.Neighbours
	main, alone := pl.event.(accountant.ObjectivePerturbation)
	if !alone {
		g, err := pl.epsilon(st, ev, target.Delta)
		if err == nil && !(g.Epsilon <= target.Epsilon) {
			err = fmt.Errorf("calibration: got ε = %g for the target %g: the noise cannot be drawn that exactly; choose a larger δ", g.Epsilon, target.Epsilon)
		}
		return g, err
	}
	profile, err := main.Profile(rel)
	if err != nil {
		return accountant.Guarantee{}, err
	}
	out, err := accountant.DeltaOf(pl.outputEvent(rel), rel, pl.outEpsilon)
	if err != nil {
		return accountant.Guarantee{}, err
	}
	if delta := up(profile((target.Epsilon-pl.outEpsilon)*(1-0x1p-50)) + out.Delta); !(delta <= target.Delta) {
		return accountant.Guarantee{}, fmt.Errorf("calibration: got δ = %g for the target %g: the noise cannot be drawn that exactly; choose a larger δ", delta, target.Delta)
	}
	return accountant.Guarantee{
		Budget: target, Neighbours: rel, Scope: accountant.Scope{Kind: accountant.Unconditional},
		Route: "bound on the privacy loss, and output noise by basic composition",
	}, nil
}

func (o objectivePerturbation) plan(st Stage) (*objectivePlan, error) { return o.planBeside(st, 0) }

// planBeside leaves that share of μ² to other statistics.
func (o objectivePerturbation) planBeside(st Stage, share float64) (*objectivePlan, error) {
	r, d := st.Before.R, len(st.In.Features())
	if err := o.check(st); err != nil {
		return nil, err
	}
	pl := &objectivePlan{objective: newObjective(d, r, st.Before.N)}
	mu, err := st.spent.mu(o.budget())
	if err != nil {
		return nil, err
	}
	rest := mu * math.Sqrt(outputShare) * (1 - 0x1p-50)
	if err := pl.calibrate(o, st, mu*math.Sqrt(1-outputShare-share)*(1-0x1p-50), rest); err != nil {
		return nil, err
	}
	// P(‖b‖ > σ(√k + √(2t))) ≤ e^−t (Laurent, Massart 2000), t = 100.
	k := float64(d + 1)
	pl.bNorm = up(pl.sigma * (math.Sqrt(k) + 15))
	pl.bound(pl.bNorm)
	// The ideal b is continuous: the drawn one was rounded to the grid, and to a float64.
	pl.radius = up((2*pl.tolerance + math.Sqrt(k)*pl.grid.Step() + 0x1p-52*pl.bNorm) / pl.lambda)
	pl.out = gaussianQuery{coordinates: d + 1, sensitivity: up(2 * pl.radius), max: pl.maxNorm}
	return pl, pl.out.calibrate(rest)
}

// calibrate sets the noise on b, Λ and the event of both, μ-GDP beside output noise that is rest-GDP.
func (pl *objectivePlan) calibrate(o objectivePerturbation, st Stage, mu, rest float64) error {
	rel := st.Before.Neighbours
	onGrid := func(sigma float64) (err error) {
		pl.grid, pl.gridSD, err = noise.NewGrid(sigma, 0)
		pl.sigma = float64(pl.gridSD) * pl.grid.Step()
		return err
	}
	lambda := o.Lambda * st.Before.R * st.Before.R
	if !o.Alone {
		p, err := calibrated(perturbationKey{mu, accountant.LogisticPerturbation{C: pl.c2, Lambda: lambda, Neighbours: rel}})
		if err == nil {
			err = onGrid(p.Sigma)
		}
		p.Sigma, pl.lambda = pl.sigma, p.Lambda
		pl.event = p
		return err
	}
	if st.spent.share > 0 {
		return fmt.Errorf("calibration Alone: private steps of the chain share the target, which takes a release that composes as a Gaussian; leave Alone out: %w", ErrOrder)
	}
	// (ε, δ) is parted into that of the output noise, kμ_o and less than a millionth of δ, and the rest.
	target := o.budget()
	k := math.Ceil(math.Sqrt(-2*math.Log(target.Delta*0x1p-21)) + rest)
	pl.outEpsilon = k * rest * (1 + 0x1p-30)
	target.Epsilon = (target.Epsilon - pl.outEpsilon) * (1 - 0x1p-40)
	target.Delta *= 1 - accountant.SamplerShare
	if !(target.Epsilon > 0) {
		return fmt.Errorf("epsilon: got %g, too small beside δ = %g for Alone; leave it out: %w", o.Epsilon, o.Delta, ErrParameter)
	}
	p, err := accountant.CalibrateObjectivePerturbation(target, accountant.ObjectivePerturbation{C: pl.c2, Lambda: lambda, Neighbours: rel})
	if err == nil {
		err = onGrid(p.Sigma)
	}
	p.Sigma, pl.lambda = pl.sigma, p.Lambda
	pl.event = p
	return err
}

// epsilon is the guarantee at δ. That of a release which stands alone is remembered, by all of its numbers: the cover of the
// perturbation takes a tenth of a second, and a plan is priced several times.
func (pl *objectivePlan) epsilon(st Stage, ev accountant.Event, delta float64) (accountant.Guarantee, error) {
	rel := st.Before.Neighbours
	if len(st.spent.events) > 0 {
		return accountant.EpsilonOf(st.spent.compose(ev, rel), rel, delta)
	}
	key := guaranteeKey{fmt.Sprintf("%#v", ev), delta}
	if v, ok := guarantees.Load(key); ok {
		return v.(accountant.Guarantee), nil
	}
	g, err := accountant.EpsilonOf(ev, rel, delta)
	if err == nil {
		guarantees.Store(key, g)
	}
	return g, err
}

var guarantees sync.Map // guaranteeKey → accountant.Guarantee

type guaranteeKey struct {
	event string // as Go syntax, in which floats are exact
	delta float64
}

// calibrations holds calibrated perturbations, which are functions of public numbers: a plan is priced several times.
var calibrations sync.Map // perturbationKey → accountant.LogisticPerturbation

type perturbationKey struct {
	mu float64
	of accountant.LogisticPerturbation
}

func calibrated(key perturbationKey) (accountant.LogisticPerturbation, error) {
	if v, ok := calibrations.Load(key); ok {
		return v.(accountant.LogisticPerturbation), nil
	}
	p, err := accountant.CalibrateLogisticPerturbation(key.mu, key.of)
	if err == nil {
		calibrations.Store(key, p)
	}
	return p, err
}

// check reports what is wrong with the parameters and the schema.
func (o objectivePerturbation) check(st Stage) error {
	if o.Lambda != 0 && !inRange(o.Lambda) {
		return fmt.Errorf("ridge Lambda: got %g, want a number in [%g, %g], or 0 for the default: %w", o.Lambda, minSize, maxSize, ErrParameter)
	}
	if err := (logistic{}).check(st.In); err != nil {
		return err
	}
	if r := st.Before.R; !inRange(r) {
		return fmt.Errorf("rows of norm %g, want a norm in [%g, %g]; Scale first: %w", r, minSize, maxSize, ErrParameter)
	}
	return nil
}

func (o objectivePerturbation) Run(ctx context.Context, in frames.Source, st Stage, _ bill, rng *noise.Source) (LogisticModel, error) {
	pl, err := o.plan(st)
	if err != nil {
		return LogisticModel{}, err
	}
	x, err := trainingRows(ctx, in, pl.d)
	if err != nil {
		return LogisticModel{}, err
	}
	w, err := pl.minimise(ctx, x, pl.draw(rng))
	if err != nil {
		return LogisticModel{}, err
	}
	return newLogisticModel(st.In, pl.out.draw(rng, w), pl.c), nil
}

// draw returns b, within its bound.
func (pl *objectivePlan) draw(rng *noise.Source) []float64 {
	steps, b := make([]int64, pl.d+1), make([]float64, pl.d+1)
	for {
		clear(steps)
		noise.AddGaussian(rng, steps, pl.gridSD)
		for j, k := range steps {
			b[j] = pl.grid.Value(k)
		}
		if norm2(b) <= pl.bNorm {
			return b
		}
	}
}

// RunPublic minimises without noise: with the Λ that was given, or a ridge that only makes the minimiser unique.
func (o objectivePerturbation) RunPublic(ctx context.Context, in frames.Source, st Stage) (LogisticModel, error) {
	if err := o.check(st); err != nil {
		return LogisticModel{}, err
	}
	r := st.Before.R
	f := newObjective(len(st.In.Features()), r, st.Before.N)
	if f.lambda = o.Lambda * r * r; o.Lambda == 0 {
		f.lambda = publicRidge * float64(st.Before.N) * r * r
	}
	f.bound(0)
	x, err := trainingRows(ctx, in, f.d)
	if err != nil {
		return LogisticModel{}, err
	}
	w, err := f.minimise(ctx, x, make([]float64, f.d+1))
	if err != nil {
		return LogisticModel{}, err
	}
	return newLogisticModel(st.In, w, f.c), nil
}
