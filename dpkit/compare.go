package dpkit

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// Comparison prices a plan with each of its steps taken in every way that is known, left out, and with every mechanism that can end it,
// the others as they are written. It is made of public facts only.
//
// Its fields:
//
//	// Of is the unit of every Error: what is off. Empty where nothing is predicted of the plan: its ways are then ranked by their noise.
//	Of      string
//	Written cost.Variant
//	// Steps are those that can be taken in several ways; the last may be the release, whose position is behind all steps.
//	Steps []cost.StepComparison
//	// Recommended is the plan with the ways that are best together.
//	Recommended cost.Variant
//
// Its methods:
//
//	Floor() string
//		Floor says what to do where even the recommended plan is predicted to tell nothing, as models of few rows at a small ε;
//		"" where it is not.
//	Gota() dataframe.DataFrame
//		Gota is the comparison as a gota frame, a row for each way of each step, the way to take first: "step", "name" of the
//		step as it is written, "way", "kind", "best" (the way to take), "listed" (never recommended), "error" (the predicted
//		one, in the unit of Of), "accuracy" (what it means for a classifier), "displacement", "amplification", "share", "noise",
//		"refused" (why it has no price), and what the plan with that way would promise: "epsilon", "delta", "unit", "entry"
//		(none yet), "promise".
//	Unknown() string
//		Unknown says what the unknown bias of plans is, in a sentence; "" where none has any.
type Comparison = cost.Comparison

// The rounds over a chain's steps in which ways are chosen together, at most, and how near the best predicted error a way is as good: the
// reference population tells no finer.
const (
	mostRounds = 4
	asGood     = 1.02
)

// route is a plan with a way for every step; nil is one that is left out.
type route struct {
	written *plan
	steps   []stage.Preprocessor
	end     *plan // whose mechanism ends the chain
}

func (r route) with(i int, w way) route {
	if i == len(r.steps) {
		r.end = w.end
		return r
	}
	steps := append([]stage.Preprocessor{}, r.steps...)
	if steps[i] = w.step; w.all != nil {
		steps = w.all
	}
	if r.steps = steps; w.end != nil {
		r.end = w.end
	}
	return r
}

// place is where the step is in the chain, without those before it that are left out.
func (r route) place(i int) (at int) {
	for _, s := range r.steps[:i] {
		if s != nil {
			at++
		}
	}
	return at
}

func (r route) plan() *plan {
	pl := r.end.clone()
	pl.p, pl.name, pl.fresh, pl.blind = r.written.p, r.written.name, r.written.fresh, r.written.blind
	pl.p.steps = nil
	for _, s := range r.steps {
		if s != nil {
			pl.p.steps = append(pl.p.steps, s)
		}
	}
	return pl
}

// way is one of a place in a chain: a step, nil where it is left out, or what ends the chain. One with both asks for something else behind
// the step, which may have another place: such a way is listed alone, since routes that are taken have a step for each that is written.
type way struct {
	kind   stage.Kind
	step   stage.Preprocessor
	all    []stage.Preprocessor // of the whole chain; nil: step alone is another
	end    *plan
	note   string
	listed bool   // and not recommended
	none   string // why there is no chain with it
}

func (w way) name() string {
	switch {
	case w.step != nil:
		return kind.Describe(w.step)
	case w.end != nil:
		return kind.Describe(w.end.m)
	}
	return "without this step"
}

// comparer compares the ways of one plan. It prices every plan once.
type comparer struct {
	pl    *plan
	mu    float64
	model bool
	rated map[string]rating
	first rating // of the plan as written
	where steps.Whereabouts
}

// compare is [Plan.Compare].
func (pl *plan) compare() (Comparison, *plan, error) {
	if pl.joint != nil {
		return pl.compareJoint()
	}
	if _, err := pl.Cost(); err != nil {
		return Comparison{}, nil, err
	}
	c := comparer{pl: pl, model: pl.isModel(), rated: map[string]rating{}}
	if target, ok := query.TargetOf(pl.m); ok {
		var err error
		if c.mu, err = accountant.CalibrateShared(target); err != nil {
			return Comparison{}, nil, fmt.Errorf("dpkit: compare: %w", err)
		}
	}
	c.where = steps.WhereaboutsOf(pl.p.steps)
	c.first = c.rate(pl)
	written := route{written: pl, steps: pl.p.steps, end: pl}
	best := c.together(written)
	out := Comparison{Of: c.first.of, Written: c.first.variant("as written", pl)}
	for i := range len(written.steps) + 1 {
		if s, ok := c.step(i, written, best); ok {
			out.Steps = append(out.Steps, s)
		}
	}
	plan := best.plan()
	out.Recommended = c.rate(plan).variant("as recommended", plan)
	return out, plan, nil
}

// together chooses ways until no change of one place helps: coordinate descent. The predicted error never rises on the way.
func (c *comparer) together(r route) route {
	for range mostRounds {
		moved := false
		for i := range len(r.steps) + 1 {
			ways := c.ways(i, r)
			now, next := c.rate(r.plan()), c.choose(ways, i, r)
			if next < 0 {
				continue
			}
			other := r.with(i, ways[next])
			better := c.rate(other.plan()).better
			if i == len(r.steps) {
				better = c.rate(other.plan()).betterEnd
			}
			if better(now) {
				r, moved = other, true
			}
		}
		if !moved {
			break
		}
	}
	return r
}

// choose is the best of the ways of one place: of those whose error is as good as the least that with the least noise, the first of
// equals; -1 where none may be taken.
func (c *comparer) choose(ways []way, i int, r route) int {
	least, best := math.Inf(1), -1
	var of []rating
	for _, w := range ways {
		v := c.rate(r.with(i, w).plan())
		if w.listed || !v.comparable(c.first) {
			v.refused = "it is not to be taken"
		}
		// A step that is free has nothing to give back: only what is predicted can speak against it, and must do so clearly.
		if len(of) > 0 && w.kind == stage.LeftOut && ways[0].kind == stage.Public && of[0].refused == "" && !(v.error < leastGain*of[0].error) {
			v.refused = "it is not clearly better"
		}
		of = append(of, v)
	}
	deployed := false
	for _, v := range of {
		deployed = deployed || v.refused == "" && !v.stuck
	}
	for k := range of {
		if of[k].stuck && deployed {
			of[k].refused = "prediction needs a fit that is not private"
		}
		if of[k].refused == "" {
			least = min(least, of[k].error)
		}
	}
	for k, v := range of {
		switch {
		case v.refused != "" || v.error > least*asGood:
		case best > 0 && ways[k].kind == stage.LeftOut && v.noise <= of[best].noise*(1+1e-9): // no step in place of one that does nothing
			best = k
		case best < 0, i < len(r.steps) && v.noise < of[best].noise*(1-1e-9), i == len(r.steps) && v.error < of[best].error*(1-1e-9):
			best = k
		}
	}
	return best
}

// step compares the ways of one place, the others as they are written; best is the route that is recommended.
func (c *comparer) step(i int, written, best route) (cost.StepComparison, bool) {
	ways := c.ways(i, written)
	taken := way{}
	if i == len(written.steps) {
		taken.end = best.end
	} else {
		taken.step = best.steps[i]
	}
	at := -1
	for k, w := range ways {
		if at < 0 && w.name() == taken.name() {
			at = k
		}
	}
	if at < 0 { // with parameters that fit the others as recommended
		taken.kind, taken.note = c.kindIn(i, best), "its numbers fit the other steps as recommended"
		ways, at = append(ways, taken), len(ways)
	}
	sc := cost.StepComparison{Step: i + 1, Best: at}
	if i == len(written.steps) {
		sc.Name = kind.Describe(c.pl.m)
	} else {
		sc.Name = kind.Describe(written.steps[i])
	}
	from := map[int]int{}
	for k, w := range ways {
		pl := written.with(i, w).plan()
		v := c.rate(pl).variant(w.name(), pl)
		if w.none != "" {
			v = cost.Variant{Name: w.name(), Refused: w.none}
		}
		if w.kind == stage.LeftOut && v.Refused != "" { // there is no chain without it
			continue
		}
		v.Kind, v.Listed = w.kind, w.listed
		v.Note = w.note
		from[k] = len(sc.Variants)
		sc.Variants = append(sc.Variants, v)
	}
	if len(sc.Variants) < 2 {
		return sc, false
	}
	sc.Best = from[sc.Best]
	sc.Why = c.why(i, written, best, ways)
	return sc, true
}

// kindIn is how a step of a route comes by what it needs to know.
func (c *comparer) kindIn(i int, r route) stage.Kind {
	q, err := r.plan().quote()
	if err != nil || i == len(r.steps) {
		return stage.Release
	}
	return kindOfStep(q.stages[r.place(i)])
}

// why says what the way that is taken does, beside the others as recommended.
func (c *comparer) why(i int, written, best route, ways []way) string {
	taken := c.rate(best.plan())
	own := way{step: nil, end: written.end}
	if i < len(written.steps) {
		own = way{step: written.steps[i]}
	}
	instead := best.with(i, own)
	other := c.rate(instead.plan())
	same := instead.plan().String() == best.plan().String()
	switch {
	case same && len(ways) > 0:
		return "no other way that does the same job is predicted to be clearly better" + taken.unpredicted()
	case other.refused != "":
		return "with it the chain has a price, and as it is written it has none"
	case other.stuck && !taken.stuck:
		return "prediction needs the fit, and only a private one may be used there"
	case !taken.known:
		return fmt.Sprintf("noise × %.4g where it is × %.4g as written", taken.noise, other.noise) + taken.unpredicted()
	case other.idle && !taken.idle:
		return fmt.Sprintf("predicted error %.3g; as written the release would tell nothing", taken.error)
	case taken.error*asGood >= other.error:
		return fmt.Sprintf("predicted error %.3g as with the way that is written, and noise × %.4g against × %.4g", taken.error, taken.noise, other.noise)
	}
	return fmt.Sprintf("predicted error %.3g against %.3g as written, the other steps as recommended: %s", taken.error, other.error, taken.because(other))
}

// recommended is [Plan.Recommended].
func (pl *plan) recommended() (*plan, error) {
	_, best, err := pl.compare()
	return best, err
}
