package dpkit

import (
	"errors"
	"fmt"
	"slices"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// jointCost is [Plan.Cost] of [Together].
func (pl *plan) jointCost() (Cost, error) {
	if s := pl.p.s; s != nil && s.mode == modePublic {
		return Cost{}, errors.New("dpkit: cost: the data was declared public: there is nothing to price")
	}
	q, err := pl.joint.calibrated()
	if err != nil {
		return Cost{}, err
	}
	c := pl.jointCostOf(q)
	if pl.p.s.mode == modeDemo {
		c.NotPrivate = demoReason
	}
	for i, p := range q.parts {
		if w := p.q.idle(); w != "" {
			c.Warnings = append(c.Warnings, fmt.Sprintf("plan %d: %s", i+1, w))
		}
	}
	if w := q.bothSides(); w != "" {
		c.Warnings = append(c.Warnings, w)
	}
	return c, nil
}

// bothSides warns of plans that read both sides of a split: one release of both is charged to everybody. "" where there are none.
func (q *jointQuote) bothSides() string {
	type half struct {
		plan int
		side string
	}
	first := map[float64]half{}
	for i, p := range q.parts {
		h, _, ok := p.q.holdout()
		if !ok {
			continue
		}
		if other, seen := first[h.Share]; seen && other.side != h.Of {
			return fmt.Sprintf("plans %d and %d read both sides of Holdout(%v): together they are charged to everybody, and apart a ledger charges both what the dearer one costs; release the sides one after the other",
				other.plan, i+1, h.Share)
		} else if !seen {
			first[h.Share] = half{i + 1, h.Of}
		}
	}
	return ""
}

// costOf is the price of all plans, with that of each under the target of its part.
func (pl *plan) jointCostOf(q *jointQuote) Cost {
	j := pl.joint
	rel := j.s.neighbours
	c := Cost{Rows: j.s.rows, Neighbours: rel, Guarantee: q.guarantee, Release: q.bill().Cost}
	c.Release.Name = j.name()
	for i, p := range q.parts {
		own := p.q.cost()
		own.Together = &q.guarantee
		m := cost.Member{
			Plan: j.members[i].key(), Weight: j.members[i].part(), Share: p.share, Cost: cost.WithLaw(own, p.q.law(p.q.price.Event)),
		}
		rest, _, err := accountant.SplitFailures(p.q.price.Event, rel)
		if err == nil && rest != nil {
			if gauss, ok := rest.(accountant.GDPer); ok {
				if mu, _, err := gauss.GDP(rel); err == nil {
					m.Mu = mu
				}
			}
		}
		if p.q.made.Predicted.Known() {
			m.Error = predictionAt(p.q.made.Predicted, warningLevel)
			m.Error.Unknown = p.pl.leftOut(p.q)
		}
		c.Members = append(c.Members, m)
		if r := own.Release; i == 0 || r.Amplification() > c.Release.Amplification() {
			c.Release.Sensitivity, c.Release.FreeSensitivity, c.Release.Sigma = r.Sensitivity, r.FreeSensitivity, r.Sigma
			c.Release.Uncounted, c.Release.Nominal = r.Uncounted, r.Nominal
		}
	}
	law := cost.Law{Event: q.event}
	if start, err := pair.Start(j.s.rows, stage.StartRadius(j.s.schema), rel); err == nil {
		law.End = start
	}
	return cost.WithLaw(j.s.priced(c, q.event), law)
}

// bill is that of all plans.
func (q *jointQuote) bill() query.Bill {
	b := query.Bill{Event: q.event, Guarantee: q.guarantee}
	b.Cost.Name = fmt.Sprintf("Together of %d plans", len(q.parts))
	b.Cost.Event = fmt.Sprint(q.event)
	return b
}

// jointEvent is [Plan.Event] of [Together].
func (pl *plan) jointEvent() (accountant.Event, accountant.Neighbours, error) {
	if s := pl.p.s; s != nil && s.mode == modePublic {
		return nil, 0, errors.New("dpkit: event: the data was declared public: there is nothing to price")
	}
	q, err := pl.joint.calibrated()
	if err != nil {
		return nil, 0, err
	}
	return q.event, pl.joint.s.neighbours, nil
}

// jointPrediction is [Plan.Error] of [Together].
func (pl *plan) jointPrediction(level float64) (cost.Prediction, error) {
	q, err := pl.joint.calibrated()
	if err != nil {
		return cost.Prediction{}, err
	}
	out := cost.Prediction{Of: "each of the plans"}
	known := false
	for i, p := range q.parts {
		own := cost.Prediction{Of: "nothing is predicted of it"}
		if p.q.made.Predicted.Known() {
			own, known = errorAt(p.q.made.Predicted, level), true
			own.Unknown = p.pl.leftOut(p.q)
		}
		own.Of = fmt.Sprintf("%d. %s: %s", i+1, pl.joint.members[i].key(), own.Of)
		out.Members = append(out.Members, own)
	}
	if !known {
		return cost.Prediction{}, fmt.Errorf("dpkit: error: nothing is predicted of any of the plans; their noise is in Cost: %w", ErrParameter)
	}
	return out, nil
}

// compareJoint is [Plan.Compare] of [Together]: the ways of the steps of every plan under its part of the target.
func (pl *plan) compareJoint() (Comparison, *plan, error) {
	if _, err := pl.Cost(); err != nil {
		return Comparison{}, nil, err
	}
	q, err := pl.joint.calibrated()
	if err != nil {
		return Comparison{}, nil, err
	}
	c := Comparison{Written: cost.Of("as written", pl)}
	better := slices.Clone(pl.joint.members)
	for i, p := range q.parts {
		own, best, err := p.pl.compare()
		if err != nil {
			return Comparison{}, nil, pl.joint.at(i, err)
		}
		for _, s := range own.Steps {
			s.Name = fmt.Sprintf("plan %d: %s", i+1, s.Name)
			c.Steps = append(c.Steps, s)
		}
		to := better[i].clone()
		to.p = best.p
		better[i] = to
	}
	next := pl.clone()
	next.joint = &joint{s: pl.joint.s, target: pl.joint.target, members: better}
	c.Recommended = cost.Of("as recommended", next)
	return c, next, nil
}
