package dpkit

import (
	"fmt"
	"math"
	"sync"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pld"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// sampledPrice is the noise of steps on sampled rows and what it costs.
type sampledPrice struct {
	plan      accountant.SGDPlan // on the pair state, at σ
	free      float64            // σ without preprocessing
	guarantee accountant.Guarantee
	tv        float64 // distance of the samplers from the Gaussian law, of all draws
}

// settleSampled calibrates the noise of the steps. Every contribution is rounded to the grid h·Z^k: the bound on a row's is
// raised by √k·h/2, and that on the change of a displaced one by √k·h. h is known to be small before the noise is:
// both get a room for it, which is checked when the grid stands.
func (f *gradientPlan) settleSampled(target accountant.Budget, st Stage) error {
	pl, p := f.descent, st.Before
	name := pl.sampling.Kind.String()
	if p.Neighbours != accountant.ReplaceOne && pl.sampling.Kind == accountant.WithoutReplacement {
		return fmt.Errorf("WithoutReplacement: the relation is %v, want %v, as its bounds are those of a replaced row, and not of one that is zeroed out; use PoissonSampling: %w", p.Neighbours, accountant.ReplaceOne, ErrOrder)
	}
	if err := oneFreeRow(name, p); err != nil {
		return err
	}
	root, bound := math.Sqrt(float64(pl.coordinates)), pl.bound()
	room := root * bound * (0x1p-36 + float64(max(p.N, leastRows))*0x1p-59)
	if !(room < 0x1p-10*bound) {
		return fmt.Errorf("%s: %d rows of %d coordinates: no grid is fine enough; use fewer: %w", name, p.N, pl.coordinates, ErrParameter)
	}
	target.Delta *= 1 - accountant.SamplerShare
	plan := accountant.SGDPlan{C: up(bound + room), Sampling: pl.sampling, Steps: pl.draws, Neighbours: p.Neighbours}
	s := &sampledPrice{plan: plan}
	free, err := calibratedSGD(target, plan)
	if err != nil {
		return err
	}
	s.free, pl.sigma = free.sigma, free.sigma
	s.guarantee = free.guarantee
	if p.Displaced() {
		each, all := math.Inf(1), math.Inf(1)
		if !math.IsInf(pl.lip, 1) {
			each, all = up(pl.lip*p.TInf), up(pl.lip*p.T1)
		}
		off := 2*pl.fp + 2*room
		s.plan.Shift = accountant.DisplacedRows{Rows: p.M, Each: min(up(each+off), 2*plan.C), Total: min(up(all+float64(p.M)*off), up(2*plan.C*float64(p.M)))}
		counted, err := calibratedSGD(target, s.plan)
		if err != nil {
			return err
		}
		pl.sigma, s.guarantee = counted.sigma, counted.guarantee
	}
	if pl.grid, pl.gridSD, err = noise.NewGrid(pl.sigma, up(bound*float64(max(p.N, leastRows)))); err != nil {
		return fmt.Errorf("noise grid: %w", err)
	}
	if !(root*pl.grid.Step() <= room) {
		return fmt.Errorf("%s: noise of %.3g on gradients of %.3g at %d rows: no grid is fine enough; raise ε or use fewer steps: %w", name, pl.sigma, pl.clip, p.N, ErrParameter)
	}
	pl.sigma = float64(pl.gridSD) * pl.grid.Step() // at or above what was priced
	s.plan.Sigma = pl.sigma
	s.tv = up(float64(pl.draws) * float64(pl.coordinates) * noise.GaussianTV(pl.gridSD))
	if !((1+math.Exp(target.Epsilon))*s.tv <= target.Delta*accountant.SamplerShare/2) {
		return fmt.Errorf("%s: the samplers' distance from the Gaussian law costs more of δ than is kept for it; choose a larger δ: %w", name, ErrParameter)
	}
	f.sampled = s
	return nil
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
	out.sigma = up(relative * plan.C)
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
func (f *gradientPlan) sampledBill(target accountant.Budget, c ReleaseCost) (bill, error) {
	s, rel := f.sampled, f.sampled.plan.Neighbours
	within := accountant.Budget{Epsilon: target.Epsilon, Delta: target.Delta * (1 - accountant.SamplerShare)}
	g := s.guarantee
	if !(g.Epsilon <= target.Epsilon) {
		return bill{}, fmt.Errorf("calibration: got ε = %g for the target %g; choose a larger δ", g.Epsilon, target.Epsilon)
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
			return bill{}, err
		}
		if c.Nominal, err = at(s.free, s.plan.Shift); err != nil {
			return bill{}, err
		}
	}
	e := s.plan.Event()
	by := accountant.CoverByOrders
	if s.plan.Shift.Rows == 0 {
		by = accountant.CoverByLosses
	}
	// The noise grows by more than the sensitivity where it grows at all.
	c.Event, c.Sigma, c.FreeSensitivity = e.String(), f.sigma, f.free
	c.Sensitivity = f.free * max(1, f.sigma/up(s.free))
	if s.plan.Shift.Rows == 0 {
		c.Sensitivity = f.free
	}
	return bill{Event: coveredEvents(e, rel, target.Delta/2, s.tv, by), Guarantee: g, Cost: c}, nil
}
