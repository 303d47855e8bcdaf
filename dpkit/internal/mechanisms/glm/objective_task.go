package glm

import (
	"context"
	"fmt"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// ObjectiveTask is what mechanisms by objective perturbation have in common: one model for each loss, all on the same rows and
// with the same Λ and σ, released together.
type ObjectiveTask struct {
	ObjectivePerturbation // target and settings; Lambda in units of R², for losses of slope 1
	Name                  string
	Losses                []marginLoss // all with the same bounds
	reference             string
	instead               string // the mechanism that takes displaced rows
	audited               bool   // what a release cost each row can be computed
	approaches            bool   // see [Objective.MinimiseLogistic]
	Reported              bool   // what a release cost each row is reported: a bound that a larger ridge makes smaller
}

// outputShare is the part of μ² that hides how far the computed coefficients are from the minimiser.
const outputShare = 0x1p-20

// CalibratedObjective holds everything that a run needs. All of it is public.
type CalibratedObjective struct {
	Objective
	Models int              // how many
	event  accountant.Event // of one
	Sigma  float64          // noise on each coordinate of b
	Grid   noise.Grid       // of b
	GridSD uint64
	BNorm  float64 // bound on ‖b‖
	Radius float64 // bound on the distance of computed coefficients of one model from the minimiser
	Out    query.GaussianQuery

	alone      bool    // the release is priced alone
	outEpsilon float64 // part of ε that pays for the output noise then
	approaches bool    // see [Objective.MinimiseLogistic]
	reported   bool    // see [ObjectiveTask]
}

// settleObjective settles a task; model makes the release of the models' coefficients of (x, c), and c, and unit is what it multiplies
// them by.
func settleObjective[V any, P models.Lawful[V]](o ObjectiveTask, st stage.Stage, unit float64, model func(w [][]float64, c float64) V) (mechanism.Settled[V], error) {
	if err := o.Placed(st); err != nil {
		return mechanism.Settled[V]{}, err
	}
	pl, err := o.Calibrate(st)
	if err != nil {
		return mechanism.Settled[V]{}, err
	}
	b, err := pl.Price(o, st)
	law := pl.NoiseLaw(unit)
	s := mechanism.Settled[V]{
		Bill: b, Read: mechanism.DrawnAs(pl.Reader(o.Losses), func(w [][]float64) V { return models.WithLaw[V, P](model(w, pl.C), law) }), Predicted: pl.predicted(st),
		Packs: true,
	}
	if len(o.Losses) <= mostModelsAgain {
		s.Again = pl.again(o.Losses)
	}
	if o.audited {
		s.Audit = pl.auditModel
	}
	return s, err
}

// Placed reports a target or a place in the chain at which there is no price.
func (o ObjectiveTask) Placed(st stage.Stage) error {
	if err := o.Budget().Validate(); err != nil {
		return err
	}
	//dp:refuses objective/displaced no bound holds for displaced rows
	if st.Before.Displaced() {
		return fmt.Errorf("rows were displaced by a step that was fitted without noise, where no bound holds; use %s, or public and private steps (Impute(Midpoint{}), Impute(PrivateMean{…})): %w", o.instead, stage.ErrOrder)
	}
	//dp:refuses objective/freed-rows its price is for one row
	if st.Before.F != 1 {
		return fmt.Errorf("%d rows may change with one, where the price is for one; use %s, or leave the step out that frees them: %w", st.Before.F, o.instead, stage.ErrOrder)
	}
	return nil
}

// Price accounts for the coefficients and what is released with them, which report/share-alone refuses where they do not compose as a
// Gaussian.
func (pl *CalibratedObjective) Price(o ObjectiveTask, st stage.Stage, beside ...accountant.Event) (query.Bill, error) {
	rel := st.Before.Neighbours
	ev := accountant.Compose(append([]accountant.Event{pl.events(), pl.outputEvent(rel)}, beside...)...)
	g, err := pl.guarantee(o.Budget(), st, ev)
	if err != nil {
		return query.Bill{}, err
	}
	return query.Bill{Event: st.Spent.Compose(ev, rel), Guarantee: g, OwnRoute: pl.alone, Cost: cost.Release{
		Name: o.Name, Event: ev.String(),
		Constants: []stage.Constant{
			{Symbol: "C", Value: pl.C2, Origin: stage.FromSchema, Meaning: "bound on a row's norm, the constant feature included"},
			{Symbol: "σ", Value: pl.Sigma, Origin: stage.FromParameter, Meaning: "noise on each coefficient of the linear term"},
			{Symbol: "Λ", Value: pl.Lambda, Origin: stage.FromParameter, Meaning: "ridge on all coefficients, the intercept included"},
			{Symbol: "g", Value: pl.Tolerance, Origin: stage.FromConstruction, Meaning: "computed gradient at which the solver stops, and bound on its rounding"},
			{Symbol: "W", Value: pl.MaxNorm, Origin: stage.FromConstruction, Meaning: "bound on ‖w‖ at the minimiser"},
			{Symbol: "σ_o", Value: pl.Out.Sigma, Origin: stage.FromParameter, Meaning: "noise on each coefficient, which hides the distance 2g/Λ from the minimiser"},
		},
		Reference:   o.reference,
		Sensitivity: pl.C2, FreeSensitivity: pl.C2, Sigma: pl.Sigma,
		Uncounted: g.Epsilon, Nominal: g.Epsilon,
	}}, nil
}

// events are the releases of all models.
func (pl *CalibratedObjective) events() accountant.Event {
	if pl.Models == 1 {
		return pl.event
	}
	return accountant.Repeat(pl.event, pl.Models)
}

// outputEvent is the noise on the coefficients. Two computed vectors lie within r of a common minimiser's image each: given
// the minimiser they are 2r apart, 2r√K in all K models, and the release composes with one of it.
//
// That b is drawn on a grid, and again beyond its bound, costs no δ that counts ([noise.Negligible]). Proof. The b that is drawn is in a ratio of T(y),
// y continuous of a σ that is smaller by less than 2^-58 ([noise.RatioTau]), and the price is that of y. Given the minimiser w that y leads to, y is a function
// of w and the dataset, and T moves it by RatioReach steps a coordinate but for a probability below 2^-900, whatever y is: on both sides what is
// computed is then within r of w. The bound on ‖b‖ holds on the one side but for e^−600, and where it does with 2C to spare, ‖y‖ of the other
// dataset at the same w is within it as well, as |ℓ'| ≤ 1: outcomes beyond count once, and not e^ε times.
func (pl *CalibratedObjective) outputEvent(rel accountant.Neighbours) accountant.Event {
	return accountant.DiscreteGaussian{
		Sensitivity: pl.Out.S, Sigma: pl.Out.Sigma, Neighbours: rel,
		GridSigma: float64(pl.Out.GridSD), Coordinates: pl.Out.Coordinates,
	}
}

// guarantee prices the event: as Gaussian DP, or alone by the better of basic composition of its two parts and their Rényi curve.
func (pl *CalibratedObjective) guarantee(target accountant.Budget, st stage.Stage, ev accountant.Event) (accountant.Guarantee, error) {
	rel := st.Before.Neighbours
	if !pl.alone {
		g, err := accountant.EpsilonOf(st.Spent.Compose(ev, rel), rel, target.Delta)
		if err == nil && !(g.Epsilon <= target.Epsilon) {
			err = fmt.Errorf("calibration: got ε = %g for the target %g: the noise cannot be drawn that exactly; choose a larger ε", g.Epsilon, target.Epsilon)
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
	if delta := stage.Up(profile((target.Epsilon-pl.outEpsilon)*(1-0x1p-50)) + out.Delta); !(delta <= target.Delta) {
		return accountant.Guarantee{}, fmt.Errorf("calibration: got δ = %g for the target %g: the noise cannot be drawn that exactly; choose a larger ε", delta, target.Delta)
	}
	g := accountant.Guarantee{
		Budget: target, Neighbours: rel, Scope: accountant.Scope{Kind: accountant.Unconditional},
		Route: "bound on the privacy loss, and output noise by basic composition",
	}
	// Where ε is large, or the noise was set by constants of a theorem, the Rényi curve of both proves less.
	curve, err := accountant.EpsilonOf(ev, rel, target.Delta)
	if err == nil && curve.Epsilon < g.Epsilon {
		g.Epsilon, g.Route = curve.Epsilon, curve.Route
	}
	return g, err
}

// check reports what is wrong with the parameters and the rows.
func (o ObjectiveTask) check(st stage.Stage) error {
	return num.SizedOr0("ridge Lambda", o.Lambda)
}

// Reader gathers the rows where the driver can. A draw takes b for every model, minimises, and adds the output noise: the models'
// coefficients of (x, c).
func (pl *CalibratedObjective) Reader(losses []marginLoss) func(ctx context.Context, in rows.Driver) (mechanism.Draws[[][]float64], error) {
	return func(ctx context.Context, in rows.Driver) (mechanism.Draws[[][]float64], error) {
		rows, err := in.Gathered(ctx)
		return func(ctx context.Context, rng *noise.Source) ([][]float64, error) {
			var all []float64
			for k := range losses {
				f := pl.of(losses, k)
				minimise := f.Minimise
				if pl.approaches {
					minimise = f.MinimiseLogistic
				}
				one, err := minimise(ctx, rows, pl.Draw(rng))
				if err != nil {
					return nil, err
				}
				all = append(all, one...)
			}
			return split(pl.Out.Draw(rng, all), pl.D+1), nil
		}, err
	}
}

// of is the objective of one of several models.
func (pl *CalibratedObjective) of(losses []marginLoss, k int) *Objective {
	f := pl.Objective
	f.Loss, f.Which = losses[k], k
	return &f
}

// mostModelsAgain is how many models are fitted where each pass takes a job: one takes about ten.
const mostModelsAgain = 10

// again makes a pass of Newton's method, at coefficients of one of the models, or of the approach, whose points say besides whether the Hessian is
// wanted.
func (pl *CalibratedObjective) again(losses []marginLoss) func(ctx context.Context, in rows.Driver, point []float64) error {
	return func(ctx context.Context, in rows.Driver, point []float64) error {
		if pl.approaches && len(point) == pl.D+3 && point[0] == 0 && (point[1] == 0 || point[1] == 1) {
			_, err := pl.of(losses, 0).drivenLogistic(ctx, in, point[2:], point[1] == 1, rowSquares{})
			return err
		}
		if len(point) != pl.D+2 || !(point[0] >= 0 && point[0] < float64(len(losses))) {
			return mechanism.ErrPoint
		}
		_, err := pl.of(losses, int(point[0])).LossSums(ctx, in, point[1:])
		return err
	}
}

// split parts v into rows of that size.
func split(v []float64, size int) (rows [][]float64) {
	for ; len(v) > 0; v = v[size:] {
		rows = append(rows, v[:size:size])
	}
	return rows
}

// Draw returns b, within its bound.
func (pl *CalibratedObjective) Draw(rng *noise.Source) []float64 {
	steps, b := make([]int64, pl.D+1), make([]float64, pl.D+1)
	for {
		clear(steps)
		noise.AddGaussian(rng, steps, pl.GridSD)
		for j, k := range steps {
			b[j] = pl.Grid.Value(k)
		}
		if num.Norm2(b) <= pl.BNorm {
			return b
		}
	}
}

// exactObjective minimises without noise: with the Λ that was given, or a ridge that only makes the minimiser unique.
func exactObjective[V any, P models.Lawful[V]](ctx context.Context, o ObjectiveTask, in rows.Driver, st stage.Stage, model func(w [][]float64, c float64) V) (none V, err error) {
	if err := o.check(st); err != nil {
		return none, err
	}
	r := st.Before.R
	f := NewObjective(st.In.Width(), r, st.Before.N, o.Losses[0])
	if f.Lambda = o.Lambda * r * r; o.Lambda == 0 {
		f.Lambda = domain.PublicRidge * float64(st.Before.N) * r * r
	}
	f.Bound(0)
	rows, err := in.Gathered(ctx)
	if err != nil {
		return none, err
	}
	var w [][]float64
	for _, loss := range o.Losses {
		f.Loss = loss
		one, err := f.MinimisePublicly(ctx, rows)
		if err != nil {
			return none, err
		}
		w = append(w, one)
	}
	return models.WithLaw[V, P](model(w, f.C), exactLaw()), nil
}
