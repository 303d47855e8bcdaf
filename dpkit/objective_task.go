package dpkit

import (
	"context"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// objectiveTask is what mechanisms by objective perturbation have in common: one model for each loss, all on the same rows and
// with the same Λ and σ, released together.
type objectiveTask struct {
	ObjectivePerturbation // target and settings; Lambda in units of R², for losses of slope 1
	name                  string
	losses                []marginLoss // all with the same bounds
	reference             string
	instead               string // the mechanism that takes displaced rows
	audited               bool   // what a release cost each row can be computed
}

// outputShare is the part of μ² that hides how far the computed coefficients are from the minimiser.
const outputShare = 0x1p-20

// objectivePlan holds everything that a run needs. All of it is public.
type objectivePlan struct {
	objective
	models int              // how many
	event  accountant.Event // of one
	sigma  float64          // noise on each coordinate of b
	grid   noise.Grid       // of b
	gridSD uint64
	bNorm  float64 // bound on ‖b‖
	radius float64 // bound on the distance of computed coefficients of one model from the minimiser
	out    gaussianQuery

	alone      bool    // the release is priced alone
	outEpsilon float64 // part of ε that pays for the output noise then
}

// settleObjective settles a task; model makes the release of the models' coefficients of (x, c), and c.
func settleObjective[V any](o objectiveTask, st Stage, model func(w [][]float64, c float64) V) (settled[V], error) {
	if err := o.placed(st); err != nil {
		return settled[V]{}, err
	}
	pl, err := o.plan(st)
	if err != nil {
		return settled[V]{}, err
	}
	b, err := pl.price(o, st)
	s := settled[V]{bill: b, read: drawnAs(pl.reader(o.losses), func(w [][]float64) V { return model(w, pl.c) })}
	if o.audited {
		s.audit = pl.auditModel
	}
	return s, err
}

// placed reports a target or a place in the chain at which there is no price.
func (o objectiveTask) placed(st Stage) error {
	if err := o.budget().Validate(); err != nil {
		return err
	}
	if st.Before.Displaced() {
		return fmt.Errorf("rows were displaced by a step that was fitted without noise, where no bound holds; use %s, or public and private steps (Impute(Midpoint{}), Impute(PrivateMean{…})): %w", o.instead, ErrOrder)
	}
	if st.Before.F != 1 {
		return fmt.Errorf("%d rows may change with one, where the price is for one; use %s, or leave the step out that frees them: %w", st.Before.F, o.instead, ErrOrder)
	}
	return nil
}

// price accounts for the coefficients and what is released beside them.
func (pl *objectivePlan) price(o objectiveTask, st Stage, beside ...accountant.Event) (bill, error) {
	if pl.alone && len(beside) > 0 {
		return bill{}, fmt.Errorf("calibration Alone: something is released beside the coefficients, which takes a release that composes as a Gaussian; leave Alone and Kifer out: %w", ErrOrder)
	}
	rel := st.Before.Neighbours
	ev := accountant.Compose(append([]accountant.Event{pl.events(), pl.outputEvent(rel)}, beside...)...)
	g, err := pl.guarantee(o.budget(), st, ev)
	if err != nil {
		return bill{}, err
	}
	return bill{Event: st.spent.compose(ev, rel), Guarantee: g, Cost: ReleaseCost{
		Name: o.name, Event: ev.String(),
		Constants: []Constant{
			{"C", pl.c2, FromSchema, "bound on a row's norm, the constant feature included"},
			{"σ", pl.sigma, FromParameter, "noise on each coefficient of the linear term"},
			{"Λ", pl.lambda, FromParameter, "ridge on all coefficients, the intercept included"},
			{"g", pl.tolerance, FromConstruction, "computed gradient at which the solver stops, and bound on its rounding"},
			{"W", pl.maxNorm, FromConstruction, "bound on ‖w‖ at the minimiser"},
			{"σ_o", pl.out.sigma, FromParameter, "noise on each coefficient, which hides the distance 2g/Λ from the minimiser"},
		},
		Reference:   o.reference,
		Sensitivity: pl.c2, FreeSensitivity: pl.c2, Sigma: pl.sigma,
		Uncounted: g.Epsilon, Nominal: g.Epsilon,
	}}, nil
}

// events are the releases of all models.
func (pl *objectivePlan) events() accountant.Event {
	if pl.models == 1 {
		return pl.event
	}
	return accountant.Repeat(pl.event, pl.models)
}

// outputEvent is the noise on the coefficients. Two computed vectors lie within r of a common minimiser's image each: given
// the minimiser they are 2r apart, 2r√K in all K models, and the release composes with one of it. The sampler's distance from a Gaussian is
// counted for b as well, and once more for b being drawn again beyond its bound, of probability below e^−100.
func (pl *objectivePlan) outputEvent(rel accountant.Neighbours) accountant.Event {
	return accountant.DiscreteGaussian{
		Sensitivity: pl.out.s, Sigma: pl.out.sigma, Neighbours: rel,
		GridSigma: float64(min(pl.out.gridSD, pl.gridSD)), Coordinates: 2*pl.out.coordinates + pl.models,
	}
}

// guarantee prices the event: as Gaussian DP, or alone by basic composition of its two parts.
func (pl *objectivePlan) guarantee(target accountant.Budget, st Stage, ev accountant.Event) (accountant.Guarantee, error) {
	rel := st.Before.Neighbours
	if !pl.alone {
		g, err := accountant.EpsilonOf(st.spent.compose(ev, rel), rel, target.Delta)
		if err == nil && !(g.Epsilon <= target.Epsilon) {
			err = fmt.Errorf("calibration: got ε = %g for the target %g: the noise cannot be drawn that exactly; choose a larger δ", g.Epsilon, target.Epsilon)
		}
		return g, err
	}
	profile, err := pl.event.(accountant.Profiler).Profile(rel)
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

func (o objectiveTask) plan(st Stage) (*objectivePlan, error) { return o.planBeside(st, 0) }

// planBeside leaves that share of μ² to other statistics.
func (o objectiveTask) planBeside(st Stage, share float64) (*objectivePlan, error) {
	r, d := st.Before.R, len(st.In.Features())
	if err := o.check(st); err != nil {
		return nil, err
	}
	pl := &objectivePlan{objective: newObjective(d, r, st.Before.N, o.losses[0]), models: len(o.losses), alone: o.Alone || o.Kifer}
	mu, err := st.spent.mu(o.budget())
	if err != nil {
		return nil, err
	}
	rest := mu * math.Sqrt(outputShare) * (1 - 0x1p-50)
	if err := pl.calibrate(o, st, mu*math.Sqrt(1-outputShare-share), rest); err != nil {
		return nil, err
	}
	// P(‖b‖ > σ(√k + √(2t))) ≤ e^−t (Laurent, Massart 2000), t = 100.
	k := float64(d + 1)
	pl.bNorm = up(pl.sigma * (math.Sqrt(k) + 15))
	pl.bound(pl.bNorm)
	// The ideal b is continuous: the drawn one was rounded to the grid, and to a float64.
	pl.radius = up((2*pl.tolerance + math.Sqrt(k)*pl.grid.Step() + 0x1p-52*pl.bNorm) / pl.lambda)
	all := float64(pl.models)
	pl.out = gaussianQuery{coordinates: pl.models * (d + 1), sensitivity: up(2 * pl.radius * math.Sqrt(all)), max: pl.maxNorm}
	return pl, pl.out.calibrate(rest)
}

// calibrate sets the noise on b, Λ and the event of both, μ-GDP for all models beside output noise that is rest-GDP.
func (pl *objectivePlan) calibrate(o objectiveTask, st Stage, mu, rest float64) error {
	rel := st.Before.Neighbours
	lambda := o.Lambda * st.Before.R * st.Before.R
	if !pl.alone {
		// K models of μ₁ each are √K·μ₁-GDP.
		each := mu / math.Sqrt(float64(pl.models)) * (1 - 0x1p-49)
		if pl.logistic {
			p, err := accountant.CalibrateLogisticPerturbation(each, accountant.LogisticPerturbation{C: pl.c2, Lambda: lambda, Neighbours: rel})
			if err == nil {
				err = pl.onGrid(p.Sigma)
			}
			p.Sigma, pl.lambda = pl.sigma, p.Lambda
			pl.event = p
			return err
		}
		p, err := accountant.CalibrateGLMPerturbation(each, pl.glm(lambda, rel))
		return pl.settle(p, err)
	}
	if st.spent.share > 0 {
		return fmt.Errorf("calibration Alone: private steps of the chain share the target, which takes a release that composes as a Gaussian; leave Alone out: %w", ErrOrder)
	}
	if pl.models > 1 {
		return fmt.Errorf("calibration Alone: %d models share the target, which takes releases that compose as Gaussians; leave Alone out: %w", pl.models, ErrParameter)
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
	if o.Kifer {
		return pl.kifer(target, lambda, rel)
	}
	if !pl.logistic {
		p, err := accountant.CalibrateGLMPerturbationAlone(target, pl.glm(lambda, rel))
		return pl.settle(p, err)
	}
	p, err := accountant.CalibrateObjectivePerturbation(target, accountant.ObjectivePerturbation{C: pl.c2, Lambda: lambda, Neighbours: rel})
	if err == nil {
		err = pl.onGrid(p.Sigma)
	}
	p.Sigma, pl.lambda = pl.sigma, p.Lambda
	pl.event = p
	return err
}

// kifer takes the constants of Kifer, Smith, Thakurta 2012. They are priced as any others: guarantee checks that they keep the target.
func (pl *objectivePlan) kifer(target accountant.Budget, lambda float64, rel accountant.Neighbours) error {
	if rel != accountant.AddRemove {
		return fmt.Errorf("constants of Kifer: they hold for a row added or removed, got %v; use Alone: %w", rel, ErrParameter)
	}
	sigma, least, err := accountant.KiferObjectivePerturbation(target, pl.c2, up(pl.c2*pl.c2*pl.curvature))
	if err != nil {
		return err
	}
	if lambda != 0 && lambda < least {
		return fmt.Errorf("ridge Lambda: got %g, want at least %g, which Kifer's theorem asks for, or 0 for it: %w", lambda, least, ErrParameter)
	}
	if err := pl.onGrid(sigma); err != nil {
		return err
	}
	pl.lambda = max(lambda, least)
	pl.event = accountant.ObjectivePerturbation{C: pl.c2, Sigma: pl.sigma, Lambda: pl.lambda, Neighbours: rel}
	return nil
}

// onGrid sets the noise on b.
func (pl *objectivePlan) onGrid(sigma float64) (err error) {
	pl.grid, pl.gridSD, err = noise.NewGrid(sigma, 0)
	pl.sigma = float64(pl.gridSD) * pl.grid.Step()
	return err
}

// glm is the event of one model with a loss that is not logistic.
func (pl *objectivePlan) glm(lambda float64, rel accountant.Neighbours) accountant.GLMPerturbation {
	return accountant.GLMPerturbation{
		C: pl.c2, Lambda: lambda, Slope: 1, Curvature: up(pl.curvature), OneSign: pl.oneSign, Neighbours: rel,
	}
}

func (pl *objectivePlan) settle(p accountant.GLMPerturbation, err error) error {
	if err == nil {
		err = pl.onGrid(p.Sigma)
	}
	p.Sigma, pl.lambda = pl.sigma, p.Lambda
	pl.event = p
	return err
}

// check reports what is wrong with the parameters and the rows.
func (o objectiveTask) check(st Stage) error {
	return sizedOr0("ridge Lambda", o.Lambda)
}

// reader gathers the rows where the driver can. A draw takes b for every model, minimises, and adds the output noise: the models'
// coefficients of (x, c).
func (pl *objectivePlan) reader(losses []marginLoss) func(ctx context.Context, in driver) (draws[[][]float64], error) {
	return func(ctx context.Context, in driver) (draws[[][]float64], error) {
		rows, err := in.gathered(ctx)
		return func(ctx context.Context, rng *noise.Source) ([][]float64, error) {
			var all []float64
			for _, loss := range losses {
				f := pl.objective
				f.loss = loss
				one, err := f.minimise(ctx, rows, pl.draw(rng))
				if err != nil {
					return nil, err
				}
				all = append(all, one...)
			}
			return split(pl.out.draw(rng, all), pl.d+1), nil
		}, err
	}
}

// split parts v into rows of that size.
func split(v []float64, size int) (rows [][]float64) {
	for ; len(v) > 0; v = v[size:] {
		rows = append(rows, v[:size:size])
	}
	return rows
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

// exactObjective minimises without noise: with the Λ that was given, or a ridge that only makes the minimiser unique.
func exactObjective[V any](ctx context.Context, o objectiveTask, in driver, st Stage, model func(w [][]float64, c float64) V) (none V, err error) {
	if err := o.check(st); err != nil {
		return none, err
	}
	r := st.Before.R
	f := newObjective(len(st.In.Features()), r, st.Before.N, o.losses[0])
	if f.lambda = o.Lambda * r * r; o.Lambda == 0 {
		f.lambda = publicRidge * float64(st.Before.N) * r * r
	}
	f.bound(0)
	rows, err := in.gathered(ctx)
	if err != nil {
		return none, err
	}
	var w [][]float64
	for _, loss := range o.losses {
		f.loss = loss
		one, err := f.minimisePublicly(ctx, rows)
		if err != nil {
			return none, err
		}
		w = append(w, one)
	}
	return model(w, f.c), nil
}
