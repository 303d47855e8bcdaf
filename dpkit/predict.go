package dpkit

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
)

// warningLevel is that of the margins that a cost warns of.
const warningLevel = 0.95

// predicted is [Plan.Error].
func (pl *plan) predicted(level float64) (cost.Prediction, error) {
	if !(level > 0 && level < 1) {
		return cost.Prediction{}, fmt.Errorf("dpkit: error: level: got %g, want a number in (0, 1): %w", level, ErrParameter)
	}
	if pl.p.s != nil && pl.p.s.mode == modePublic {
		return cost.Prediction{}, errors.New("dpkit: error: the data was declared public: there is no noise")
	}
	if pl.joint != nil {
		return pl.jointPrediction(level)
	}
	q, err := pl.quote()
	if err != nil {
		return cost.Prediction{}, err
	}
	p := q.made.Predicted
	if q.made.Unread != "" {
		return cost.Prediction{}, fmt.Errorf("dpkit: error: %s: %s: %w", kind.Describe(pl.m), q.made.Unread, ErrParameter)
	}
	if !p.Known() && q.narrows() >= 0 && q.likely == nil {
		return cost.Prediction{}, fmt.Errorf("dpkit: error: %s: the bounds of columns come out at the release, and nobody has said where the rows are thought to be; give PrivateBounds a GuessLo and a GuessHi: %w", kind.Describe(pl.m), ErrParameter)
	}
	if !p.Known() {
		return cost.Prediction{}, fmt.Errorf("dpkit: error: %s: nothing is predicted of it; its noise is in Cost, and Replicate of a demonstration on rows like yours tells more: %w", kind.Describe(pl.m), ErrParameter)
	}
	out := errorAt(p, level)
	out.Unknown = pl.leftOut(q)
	return out, nil
}

// errorAt is the prediction at a level, with the interval of what a classifier is predicted to lose, which takes a family of predictions.
func errorAt(p mechanism.Prediction, level float64) cost.Prediction {
	out := predictionAt(p, level)
	if out.Classes != nil && p.Over != nil {
		c := out.Classes
		c.Least, c.Most = p.Between(level)
		c.Level = level
	}
	return out
}

// predictionAt is the prediction at a level.
func predictionAt(p mechanism.Prediction, level float64) cost.Prediction {
	out := cost.Prediction{Of: p.Of, Names: p.AllNames(), Margin: p.Margin(level), Idle: idleOf(p, level)}
	if p.Law != "" {
		out.Level = level
	}
	if c := p.Classes; c != nil {
		out.Classes = &cost.Classes{Accuracy: c.Accuracy, Exact: c.Exact, Majority: c.Majority, Excess: c.Excess}
	}
	return out
}

// idleOf are the places of the numbers whose noise covers all that they can be, or of a model that is predicted to say nothing.
func idleOf(p mechanism.Prediction, level float64) (at []int) {
	most := p.AllMost()
	for i, m := range p.Margin(level) {
		if i < len(most) && most[i] > 0 && !(m < most[i]) {
			at = append(at, i)
		}
	}
	return at
}

// idle warns of such numbers; "" where there are none.
func (q quote) idle() string {
	p := q.made.Predicted
	at := idleOf(p, warningLevel)
	if len(at) == 0 {
		return ""
	}
	if p.Classes != nil {
		return "a model that says nothing is predicted to be as good, on the reference population: raise ε, fit fewer columns, or release a Histogram of the label"
	}
	if p.Law == "" {
		return "a model that says nothing is predicted to be as good, on the reference population: raise ε, fit fewer columns, or release a Mean"
	}
	const shown = 3
	var names []string
	for _, i := range at[:min(shown, len(at))] {
		names = append(names, fmt.Sprintf("%q", p.AllNames()[i]))
	}
	what := strings.Join(names, ", ")
	if more := len(at) - shown; more > 0 {
		what += fmt.Sprintf(" and %d more", more)
	}
	return fmt.Sprintf("the noise on %s is as large as all that public bounds leave open, with probability %g less: it would tell nothing; raise ε, or release fewer numbers at once", what, warningLevel)
}

// The least and the largest ε that are looked for: beyond them noise is not drawn, or there is none to speak of.
const leastAim, largestAim = 1e-6, 1 << 10

// aimed is a plan whose target says how far off it may be, with the least ε that keeps it; with makes the plan of another mechanism. It is
// found from public facts alone, to three digits and rounded up. Where there is none the plan has an error, which whatever prices it
// returns.
func aimed(pl *plan, with func(m any) *plan) *plan {
	t, ok := query.AimOf(pl.m)
	if ok && query.AsksMargins(pl.m) {
		if t.Margin != 0 || t.Level != 0 {
			return pl.astray("margin: got %g of the whole release beside those of its statistics, want one or the other", t.Margin)
		}
		if t.Epsilon != 0 {
			return pl
		}
		t.Margin, t.Level = 1, 0.5 // of what is asked
	}
	if !ok || t.Margin == 0 && t.Level == 0 {
		return pl
	}
	if !(t.Level > 0 && t.Level < 1) {
		return pl.astray("level: got %g, want a number in (0, 1)", t.Level)
	}
	return pl.least(t.Margin, t.Level, func(epsilon float64) *plan { return with(query.Aimed(pl.m, epsilon)) })
}

// within is [Plan.Within].
func (pl *plan) within(margin, level float64) *plan {
	if pl.amiss != nil {
		return pl
	}
	if pl.joint != nil { // whose own error says how
		c := pl.clone()
		c.joint = &joint{s: pl.joint.s, target: pl.joint.target.Within(margin, level), members: pl.joint.members}
		return c
	}
	if _, ok := query.EpsilonOf(pl.m); !ok || pl.with == nil {
		return pl.clone().astray("%s has no ε to look for", kind.Describe(pl.m))
	}
	if query.AsksMargins(pl.m) {
		return pl.clone().astray("margin: got %g of the whole release beside those of its statistics, want one or the other", margin)
	}
	if !(level >= 0 && level < 1) {
		return pl.clone().astray("level: got %g, want a number in (0, 1), or 0 for an expected error", level)
	}
	return pl.clone().least(margin, level, func(epsilon float64) *plan {
		m := query.WithEpsilon(pl.m, epsilon)
		at := lawful(pl.with(m), m, pl.with)
		out := *pl // its name, and what else was asked for
		out.m, out.of, out.otherwise, out.rivals = at.m, at.of, at.otherwise, at.rivals
		return &out
	})
}

// astray is the plan with the reason why no ε keeps its margin.
func (pl *plan) astray(format string, args ...any) *plan {
	pl.amiss = fmt.Errorf("within: "+format+": %w", append(args, ErrParameter)...)
	return pl
}

// least is the plan at the least ε that keeps the margin.
func (pl *plan) least(margin, level float64, at func(epsilon float64) *plan) *plan {
	fail := pl.astray
	had, _ := query.EpsilonOf(pl.m)
	switch {
	case !(margin > 0) || math.IsInf(margin, 1):
		return fail("margin: got %g, want a positive finite number in the units of what is released", margin)
	case had != 0:
		return fail("epsilon: got %g beside a margin, want 0: the least ε is found", had)
	case pl.p.s == nil:
		return pl
	case pl.p.s.mode == modePublic: // exact whatever is asked
		return at(1)
	}
	if _, _, err := pl.p.trace(); err != nil {
		return pl // the chain's own error is told
	}
	keeps := func(epsilon float64) (bool, error) {
		q, err := at(epsilon).quote()
		if err != nil {
			return false, err
		}
		p := q.made.Predicted
		switch {
		case q.made.Unread != "":
			return false, nil // too little to read the rows for
		case !p.Known() || p.Beside > 0:
			return false, errNoMargin
		case p.Asked > 0:
			return p.Asked <= 1+1e-9, nil
		case p.Law == "" && level > 0:
			return false, fmt.Errorf("level: got %g, want 0: what is predicted is %s, an expectation", level, p.Of)
		case p.Law != "" && level == 0:
			return false, errors.New("level: got 0, want a number in (0, 1)")
		}
		// What is on the edge to rounding counts as kept, so that machines that round otherwise find the same ε.
		return slices.Max(p.Margin(level)) <= margin*(1+1e-9), nil
	}
	// From ε = 1 by factors of 2 until it is kept on one side and not on the other.
	lo, hi := 1.0, 1.0
	kept, err := keeps(1)
	if err != nil {
		return fail("%w", err)
	}
	for !kept {
		lo, hi = hi, 2*hi
		if kept, err = keeps(hi); err != nil || hi > largestAim {
			return fail("margin: got %g, and it is not kept at ε = %g: want a larger one", margin, lo)
		}
	}
	for lo == hi {
		if kept, err = keeps(lo / 2); err != nil || lo < leastAim {
			break // noise that is any larger is not drawn
		}
		if lo /= 2; kept {
			hi = lo
		}
	}
	for hi/lo > 1.001 {
		mid := math.Sqrt(lo * hi)
		if kept, err = keeps(mid); err == nil && kept {
			hi = mid
		} else {
			lo = mid
		}
	}
	for epsilon := hi; epsilon < 2*hi; epsilon *= 1.001 {
		rounded := upToDigits(epsilon)
		if kept, err = keeps(rounded); err == nil && kept {
			return at(rounded)
		}
	}
	return fail("margin: got %g: no ε near %.3g keeps it: give an ε", margin, hi)
}

// errNoMargin says why there is nothing to keep.
var errNoMargin = errors.New("no margin tells all of how far off this release is, as of a quantile behind a step that displaces its column: give an ε")

// upToDigits is the least number of three decimal digits that is not below x.
func upToDigits(x float64) float64 {
	digits := func(x float64) float64 {
		v, _ := strconv.ParseFloat(strconv.FormatFloat(x, 'e', 2, 64), 64) // what FormatFloat wrote
		return v
	}
	v := digits(x)
	if v < x {
		v = digits(v + math.Pow(10, math.Floor(math.Log10(x))-2))
	}
	return v
}
