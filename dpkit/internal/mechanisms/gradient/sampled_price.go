package gradient

import (
	"fmt"
	"math"
	"sync"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/accountant/pld"
	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/sums"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// sampledPrice is the noise of steps on sampled rows and what it costs.
type sampledPrice struct {
	plan      accountant.SGDPlan // on the pair state, at σ
	free      float64            // σ without preprocessing
	guarantee accountant.Guarantee
	room      float64 // by which rounding to the grid may move a contribution
}

// settleSampled calibrates the noise of the steps. Every contribution is rounded to the grid h·Z^k: the bound on a row's is
// raised by √k·h/2, and that on the change of a displaced one by √k·h. h is known to be small before the noise is:
// both get a room for it, which is checked when the grid stands. Steps are drawn on the grid: their law is in a ratio of that of steps with
// continuous noise, rounded, which costs no δ that counts ([noise.RatioTau], [noise.Negligible]).
func (f *calibratedGradient) settleSampled(target accountant.Budget, st stage.Stage) error {
	pl, p := f.Descent, st.Before
	name := pl.Sampling.Kind.String()
	//dp:refuses gradient/without-replacement its bounds are of a replaced row
	if p.Neighbours != accountant.ReplaceOne && pl.Sampling.Kind == accountant.WithoutReplacement {
		return fmt.Errorf("WithoutReplacement: the relation is %v, want %v, as its bounds are those of a replaced row, and not of one that is zeroed out; use PoissonSampling: %w", p.Neighbours, accountant.ReplaceOne, stage.ErrOrder)
	}
	if err := oneFreeRow(name, p); err != nil {
		return err
	}
	root, bound := math.Sqrt(float64(pl.Coordinates)), pl.Bound()
	room := root * bound * (0x1p-36 + float64(max(p.N, sums.LeastRows))*0x1p-59)
	if !(room < 0x1p-10*bound) {
		return fmt.Errorf("%s: %d rows of %d coordinates: no grid is fine enough; use fewer: %w", name, p.N, pl.Coordinates, kind.ErrParameter)
	}
	target.Delta *= 1 - accountant.SamplerShare
	plan := accountant.SGDPlan{C: stage.Up(bound + room), Sampling: pl.Sampling, Steps: pl.Draws, Neighbours: p.Neighbours}
	s := &sampledPrice{plan: plan}
	free, err := calibratedSGD(target, plan)
	if err != nil {
		return err
	}
	s.free, pl.Sigma = free.sigma, free.sigma
	s.guarantee = free.guarantee
	s.room = room
	if p.Displaced() {
		s.plan.Shift = f.displaced(s, p, pl.Lip)
		counted, err := calibratedSGD(target, s.plan)
		if err != nil {
			return err
		}
		pl.Sigma, s.guarantee = counted.sigma, counted.guarantee
	}
	if pl.Grid, pl.GridSD, err = noise.NewGrid(pl.Sigma, stage.Up(bound*float64(max(p.N, sums.LeastRows)))); err != nil {
		return fmt.Errorf("noise grid: %w", err)
	}
	// What is left of the room covers that discrete noise counts as continuous noise of a σ that is smaller by [noise.RatioShrink].
	if !(2*root*pl.Grid.Step() <= room) || pl.GridSD < noise.RatioSigma {
		return fmt.Errorf("%s: noise of %.3g on gradients of %.3g at %d rows: no grid is fine enough; raise ε or use fewer steps: %w", name, pl.Sigma, pl.Clip, p.N, kind.ErrParameter)
	}
	pl.Sigma = float64(pl.GridSD) * pl.Grid.Step() // at or above what was priced
	s.plan.Sigma = pl.Sigma
	f.sampled = s
	return nil
}

// displaced bounds what displaced rows do to the gradients of a step, as they are computed; lipschitz is a gradient's constant in its row.
func (f *calibratedGradient) displaced(s *sampledPrice, p pair.State, lipschitz float64) accountant.DisplacedRows {
	each, all := math.Inf(1), math.Inf(1)
	if !math.IsInf(lipschitz, 1) {
		each, all = stage.Up(lipschitz*p.TInf), stage.Up(lipschitz*p.T1)
	}
	off := 2*f.Fp + 2*s.room
	most := 2 * s.plan.C
	return accountant.DisplacedRows{Rows: p.M, Each: min(stage.Up(each+off), most), Total: min(stage.Up(all+float64(p.M)*off), stage.Up(most*float64(p.M)))}
}

// sampledBehind are the steps, with their noise, on any pair state; see [query.Bill].
func (f *calibratedGradient) sampledBehind(st stage.Stage) func(p pair.State) (accountant.Event, error) {
	lipschitz, s := query.LipschitzBehind(st.Taint, f.Lip, f.Any), f.sampled
	return func(p pair.State) (accountant.Event, error) {
		if err := oneFreeRow("sampling", p); err != nil {
			return nil, err
		}
		g := s.plan
		g.Shift = accountant.DisplacedRows{}
		if p.Displaced() {
			g.Shift = f.displaced(s, p, lipschitz)
		}
		if p.F == 0 {
			step, err := accountant.SubsampledGaussian{C: g.C, Sigma: g.Sigma, Sampling: g.Sampling, Neighbours: g.Neighbours, Shift: g.Shift}.DisplacedAlone()
			return accountant.Repeat(step, g.Steps), err
		}
		return g.Event(), nil
	}
}

// sgdNoise is a calibrated noise and the guarantee of the whole run at it.
type sgdNoise struct {
	sigma     float64
	guarantee accountant.Guarantee
}

// knownSGD holds calibrations, which are functions of public numbers: a plan is priced several times.
var knownSGD sync.Map // sgdKey → sgdNoise

type sgdKey struct {
	target accountant.Budget
	plan   accountant.SGDPlan
}

// calibratedSGD returns the least noise that is known to meet the target: by the privacy-loss distribution, or by the Rényi
// curve where rows are displaced.
func calibratedSGD(target accountant.Budget, plan accountant.SGDPlan) (sgdNoise, error) {
	key := sgdKey{target, plan}
	if v, ok := knownSGD.Load(key); ok {
		return v.(sgdNoise), nil
	}
	out, err := calibrateSGD(target, plan)
	if err == nil {
		knownSGD.Store(key, out)
	}
	return out, err
}

func calibrateSGD(target accountant.Budget, plan accountant.SGDPlan) (out sgdNoise, err error) {
	at := func(sigma float64) accountant.Event {
		p := plan
		p.Sigma = sigma
		return p.Event()
	}
	if plan.Shift.Rows > 0 {
		if out.sigma, err = accountant.CalibrateSGD(target, plan); err != nil {
			return out, err
		}
		out.guarantee, err = accountant.EpsilonOf(at(out.sigma), plan.Neighbours, target.Delta)
		return out, err
	}
	relative, err := accountant.CalibratePLD(target, plan.Neighbours, func(x float64) accountant.Event { return at(x * plan.C) }, accountant.CalibratePLDOptions{})
	if err != nil {
		return out, err
	}
	out.sigma = stage.Up(relative * plan.C)
	d, err := accountant.PLD(at(out.sigma), plan.Neighbours)
	if err != nil {
		return out, err
	}
	epsilon, _, err := d.With(pld.Options{UpperOnly: true}).Epsilon(target.Delta)
	out.guarantee = accountant.Guarantee{
		Budget:     accountant.Budget{Epsilon: min(epsilon, target.Epsilon), Delta: target.Delta}, // the target was met at less noise
		Neighbours: plan.Neighbours, Scope: accountant.Scope{Kind: accountant.Unconditional}, Route: "privacy-loss distribution",
	}
	return out, err
}

// sampledBill accounts for the steps: with the preprocessing counted, ignored, and not paid for.
func (f *calibratedGradient) sampledBill(target accountant.Budget, st stage.Stage, c cost.Release) (query.Bill, error) {
	s, rel := f.sampled, f.sampled.plan.Neighbours
	within := accountant.Budget{Epsilon: target.Epsilon, Delta: target.Delta * (1 - accountant.SamplerShare)}
	g := s.guarantee
	if !(g.Epsilon <= target.Epsilon) {
		return query.Bill{}, fmt.Errorf("calibration: got ε = %g for the target %g; choose a larger δ", g.Epsilon, target.Epsilon)
	}
	g.Delta = target.Delta
	g.Route += ", and samplers"
	c.Uncounted, c.Nominal = g.Epsilon, g.Epsilon
	if s.plan.Shift.Rows > 0 {
		at := func(sigma float64, shift accountant.DisplacedRows) (float64, error) {
			p := s.plan
			p.Sigma, p.Shift = sigma, shift
			g, err := accountant.EpsilonOf(p.Event(), rel, within.Delta)
			return min(g.Epsilon, math.MaxFloat64), err
		}
		var err error
		if c.Uncounted, err = at(s.plan.Sigma, accountant.DisplacedRows{}); err != nil {
			return query.Bill{}, err
		}
		if c.Nominal, err = at(s.free, s.plan.Shift); err != nil {
			return query.Bill{}, err
		}
	}
	e := s.plan.Event()
	by := accountant.CoverByOrders
	if s.plan.Shift.Rows == 0 {
		by = accountant.CoverByLosses
	}
	// The noise grows by more than the sensitivity where it grows at all.
	c.Event, c.Sigma, c.FreeSensitivity = e.String(), f.Sigma, f.Free
	c.Sensitivity = f.Free * max(1, f.Sigma/stage.Up(s.free))
	if s.plan.Shift.Rows == 0 {
		c.Sensitivity = f.Free
	}
	return query.Bill{Event: query.CoveredEvents(e, rel, target.Delta/2, by), Guarantee: g, Cost: c, Behind: f.sampledBehind(st), OwnRoute: true}, nil
}
