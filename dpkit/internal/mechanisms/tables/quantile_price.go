package tables

import (
	"errors"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/sums"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/internal/quad"
)

// share of an error's row: by how much one that is there on one side only moves max(L − qN, qN − U, 0).
func (q quantile) share() float64 {
	return float64(max(q.Q, sums.RankUnit-q.Q)) / sums.RankUnit
}

// moves bounds Σ_g by how many rows the error of group g moves between the two tables of a pair (docs/theory/tables.md#quantiles-of-groups):
// a replaced row leaves one group and enters another, each of which moves by share; in a table of one group it moves by 1. Under add/remove
// all rows of a person come or go, each of which moves one group by share.
func (c *calibrated) moves(q quantile, p pair.State, displaced bool) (float64, error) {
	each := pair.Query{C: q.share()}
	if c.n == 1 && p.Neighbours == accountant.ReplaceOne {
		each.C = 0.5
	}
	_, _, err := each.Sensitivity(p)
	free := quad.MulUp(each.C, sums.FreeRows(p, c.person))
	if displaced {
		free = quad.AddUp(free, float64(p.M))
	}
	return free, err
}

// events are those of one quantile of all groups on a pair state: one mechanism of the summed range, or, for one replaced row, that of a group
// in which both rows are, and beside it that of another.
func (c *calibrated) events(q quantile, p pair.State, displaced bool) ([]accountant.Event, error) {
	moves, err := c.moves(q, p, displaced)
	if err != nil {
		return nil, err
	}
	of := func(moves float64) accountant.Event {
		return accountant.Exponential{Epsilon: quad.MulUp(2*q.eta, moves), Neighbours: p.Neighbours}
	}
	if q.pairs && p.F == 1 && !(displaced && p.M > 0) {
		return []accountant.Event{of(1), of(q.share())}, nil
	}
	return []accountant.Event{of(moves)}, nil
}

// settle gives a quantile its rate, for a range of all its groups together, or a strength as that of a μ: of bounded range ε′ it is ε′/2.
func (c *calibrated) settle(q *quantile, p pair.State, strength float64, pure bool) error {
	moves, err := c.moves(*q, p, false)
	if err != nil {
		return err
	}
	reach := strength
	if !pure {
		reach = 2 * strength
	}
	if apart := math.Sqrt(1 + q.share()*q.share()); !pure && c.n > 1 && p.Neighbours == accountant.ReplaceOne && p.F == 1 && apart < moves {
		q.pairs, moves = true, apart
	}
	q.rate, q.eta, err = sums.RateOf(reach, moves)
	return err
}

// scaleSteps are those of all noise in a doubling: it is the least to 0.07 %, and the same on every machine.
const scaleSteps = 1 << 10

// even gives each measure's column and each quantile an equal part of μ².
func (c *calibrated) even() {
	measured := 0
	if c.counted {
		measured = max(1, len(c.blocks()))
	}
	all := float64(measured + len(c.quantiles))
	c.part = float64(measured) / all
	for i := range c.quantiles {
		c.quantiles[i].part = 1 / all
	}
}

// together settles the Gaussian cells and the quantiles for a target: all are scaled by the one number that meets the target through the exact composition.
func (c *calibrated) together(r Release, st stage.Stage) error {
	//dp:refuses table/quantiles-after-queries queries had a part of the target
	if st.Spent.Share > 0 {
		return fmt.Errorf("the private queries of earlier steps are Gaussian, and quantiles have no share beside them: ask for quantiles in a chain without such steps: %w", stage.ErrOrder)
	}
	budget, p := r.Budget(), st.Before
	if c.width() == 0 && budget.Delta == 0 { // pure
		total := 0.0
		for _, q := range c.quantiles {
			total += math.Sqrt(q.part)
		}
		for i := range c.quantiles {
			q := &c.quantiles[i]
			if err := c.settle(q, p, budget.Epsilon*math.Sqrt(q.part)/total, true); err != nil {
				return err
			}
		}
		return c.price(p, budget.Delta)
	}
	whole, err := accountant.CalibrateShared(budget)
	if err != nil {
		return err
	}
	at := func(step int) (over float64, err error) {
		mu := whole * math.Exp2(float64(step)/scaleSteps)
		if err := c.strength(mu, p); err != nil {
			return math.Inf(1), err
		}
		err = c.price(p, budget.Delta)
		return c.guarantee.Epsilon / budget.Epsilon, err
	}
	// ln ε rises about as the step does: from there to both sides until one step meets the target and the next does not.
	met, missed := math.MinInt32, math.MaxInt32
	var last error
	step := 0
	for range 64 {
		over, err := at(step)
		far := scaleSteps
		if err == nil && over > 0 && !math.IsInf(over, 1) {
			far = int(math.Abs(math.Floor(scaleSteps * math.Log2(over))))
		}
		if err == nil && over <= 1 {
			met = step
			if far = max(1, far); far >= missed-met {
				far = (missed - met) / 2
			}
			step = met + far
		} else {
			missed, last = step, err
			if far = max(1, far); met > math.MinInt32 && far >= missed-met {
				far = (missed - met) / 2
			}
			step = missed - far
		}
		if missed-1 == met {
			_, err := at(met)
			return err
		}
	}
	return errors.Join(last, fmt.Errorf("calibration: no noise meets (%g, %g): raise ε: %w", budget.Epsilon, budget.Delta, kind.ErrParameter))
}

// strength parts μ² among the Gaussian cells and the quantiles.
func (c *calibrated) strength(mu float64, p pair.State) error {
	if c.counted {
		if err := c.State(p); err != nil {
			return err
		}
		if err := c.CalibrateTo(mu*math.Sqrt(c.part), p); err != nil {
			return err
		}
	}
	for i := range c.quantiles {
		if err := c.settle(&c.quantiles[i], p, mu*math.Sqrt(c.quantiles[i].part), false); err != nil {
			return err
		}
	}
	return nil
}

// composed are the events of the whole table, at a sensitivity of its Gaussian cells.
func (c *calibrated) composed(p pair.State, s float64, displaced bool) (accountant.Event, error) {
	var all []accountant.Event
	if c.width() > 0 {
		all = append(all, c.Event(p.Neighbours, s))
	}
	for _, q := range c.quantiles {
		e, err := c.events(q, p, displaced)
		if err != nil {
			return nil, err
		}
		all = append(all, e...)
	}
	if len(all) == 1 {
		return all[0], nil
	}
	return accountant.Compose(all...), nil
}

// price is the guarantee of the table as it is settled.
func (c *calibrated) price(p pair.State, delta float64) (err error) {
	if c.event, err = c.composed(p, c.S, false); err != nil {
		return err
	}
	c.guarantee, err = guaranteed(c.event, p.Neighbours, delta)
	return err
}

// guaranteed is the ε of an event; a composition is priced numerically.
func guaranteed(e accountant.Event, rel accountant.Neighbours, delta float64) (accountant.Guarantee, error) {
	if delta == 0 {
		return accountant.EpsilonOf(e, rel, 0)
	}
	return accountant.Best(e, rel, delta, accountant.BestOptions{})
}

// composedBill is the bill of Gaussian cells and quantiles together: with the preprocessing counted, ignored, and not paid for.
func (c *calibrated) composedBill(r Release, st stage.Stage, release cost.Release) (query.Bill, error) {
	rel, raw := st.Before.Neighbours, st.Before
	raw.F, raw.M, raw.T1, raw.TF, raw.TInf = min(raw.F, 1), 0, 0, 0, 0
	at := func(p pair.State, s float64) (float64, error) {
		e, err := c.composed(p, s, false)
		if err != nil {
			return 0, err
		}
		g, err := guaranteed(e, rel, r.Delta)
		return g.Epsilon, err
	}
	var err error
	if release.Uncounted, err = at(raw, c.Free); err != nil {
		return query.Bill{}, err
	}
	nominal := c.S
	if c.counted {
		nominal = c.S * c.S / c.Free
	}
	if release.Nominal, err = at(st.Before, nominal); err != nil {
		return query.Bill{}, err
	}
	release.Event, release.Sensitivity, release.FreeSensitivity, release.Sigma = c.event.String(), c.S, c.Free, c.Sigma
	for i, q := range c.quantiles {
		moves, err := c.moves(q, st.Before, false)
		if err != nil {
			return query.Bill{}, err
		}
		if !c.counted {
			release.Sensitivity = max(release.Sensitivity, moves)
			free, err := c.moves(q, raw, false)
			if err != nil {
				return query.Bill{}, err
			}
			release.FreeSensitivity = max(release.FreeSensitivity, free)
		}
		of := fmt.Sprintf(" of quantile %d of %d", i+1, len(c.quantiles))
		release.Constants = append(release.Constants,
			stage.Constant{Symbol: "Δ_q", Value: moves, Origin: stage.FromConstruction, Meaning: "rows by which the rank errors of all groups together move," + of},
			stage.Constant{Symbol: "η", Value: q.eta, Origin: stage.FromParameter, Meaning: "a candidate's weight is e^(−η·error)," + of},
			stage.Constant{Symbol: "K", Value: float64(len(q.Candidates)), Origin: stage.FromParameter, Meaning: "candidates in each group," + of})
	}
	return query.Bill{Event: c.event, Guarantee: c.guarantee, Cost: release, Behind: func(p pair.State) (accountant.Event, error) {
		s := 0.0
		if c.counted {
			var err error
			if s, err = c.MovesBehind(p, st.Taint); err != nil {
				return nil, err
			}
		}
		return c.composed(p, s, len(st.Taint) == 0 && p.Displaced())
	}}, nil
}
