package dpkit

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/ledger"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
)

// Plan is the least budget for several questions, each of which says how accurate its answer is to be: plans whose targets are
// [Target.Within] a margin, or, where no margin can tell, have an (ε, δ) of their own, whose noise is kept. It returns them [Together], under the least ε
// at the session's δ that keeps all of them: three digits, rounded up. Its Cost tells each one's part, and Release asks them all. Targets need no δ.
//
// The δ is that of the ledger's budget without its Reserve, or the project's where that is less; a demonstration has none, and takes the least of the questions. Nothing is read or charged. An error wraps
// [ledger.ErrBudget] where the ledger has not that much left, and [ErrParameter] where no ε keeps what is asked.
func (s *Session) Plan(questions ...AnyPlan) (Plan[Joint], error) {
	delta, err := s.deltaFor(questions)
	if err != nil {
		return nil, fmt.Errorf("dpkit: plan: %w", err)
	}
	if s.mode == modePublic { // exact whatever is asked
		return Together(Target{Epsilon: 1, Delta: delta}, unasked(questions)...), nil
	}
	// What is wrong with the questions as a joint is said before anything is searched for.
	j := newJoint(Target{Epsilon: 1, Delta: delta}, unasked(questions)).joint
	j.s = s
	if err := j.checkIn(s); err != nil {
		return nil, err
	}
	wants := make([]want, len(j.members))
	var errs []error
	for i, pl := range j.members {
		w, err := pl.want(questions[i].plan().wanted, delta)
		if err != nil {
			errs = append(errs, j.at(i, err))
		}
		wants[i] = w
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	best, err := s.least(j.members, wants, delta)
	if err != nil {
		return nil, err
	}
	if err := s.affords(best); err != nil {
		return nil, err
	}
	return typedPlan[Joint]{held{best}}, nil
}

// checkIn is check of questions to a session.
func (j *joint) checkIn(s *Session) error {
	if err := j.check(); err != nil {
		return err
	}
	if j.members[0].p.s != s {
		return fmt.Errorf("dpkit: plan: the questions are of another session: begin their chains at Data of this one: %w", ErrParameter)
	}
	return nil
}

// unasked are the questions without their margins, which another part of the call keeps.
func unasked(questions []AnyPlan) []AnyPlan {
	out := slices.Clone(questions)
	for i, q := range out {
		if q == nil || q.plan() == nil {
			continue
		}
		c := q.plan().clone()
		c.wanted.Margin, c.wanted.Level, c.amiss, c.weight, c.odd = 0, 0, nil, 0, false
		out[i] = held{c}
	}
	return out
}

// deltaFor is the δ that all questions have together.
func (s *Session) deltaFor(questions []AnyPlan) (float64, error) {
	if s.ledger != nil {
		c := s.ledger.Config()
		delta := outsideReserve(c.Budget.Delta, c.Reserve)
		st, err := s.ledger.Status()
		if err != nil {
			return 0, err
		}
		for p := st.Project; p != nil; p = p.Project { // which is charged as well
			delta = min(delta, outsideReserve(p.Budget.Delta, p.Reserve))
		}
		return delta, nil
	}
	least := math.Inf(1)
	for _, q := range questions {
		if q == nil || q.plan() == nil || q.plan().m == nil {
			continue
		}
		b, ok := query.BudgetOf(q.plan().m)
		if ok && b.Delta > 0 {
			least = min(least, b.Delta)
		}
	}
	switch {
	case s.mode == modePublic && math.IsInf(least, 1):
		return 0.5, nil
	case math.IsInf(least, 1):
		return 0, fmt.Errorf("this session has no ledger, whose δ the questions would share: give the target of one of them a δ: %w", ErrParameter)
	}
	return least, nil
}

func outsideReserve(delta, reserve float64) float64 {
	if reserve > 0 {
		return math.Nextafter(delta-reserve, 0)
	}
	return delta
}

// want is what a question asks for.
type want struct {
	margin, level float64
	epsilon       float64          // of a pure one: what keeps it alone
	mu            float64          // of another: its part of μ alone
	sizes         []float64        // what is predicted of it alone
	event         accountant.Event // of it alone, without failures
}

// want finds what keeps a question alone, at the δ of all. What has a price at δ = 0 is asked for that way, as [Together] does.
func (pl *plan) want(t Target, delta float64) (want, error) {
	w := want{margin: t.Margin, level: t.Level}
	alone := pl
	aimedAt := func(delta float64) (*plan, quote, error) {
		t.Delta = delta
		with := func(m any) *plan {
			c := pl.clone()
			to := pl.with(m)
			c.m, c.of = to.m, to.of
			return c
		}
		to := aimed(with(query.AimedAt(pl.m, t)), with)
		q, err := to.quote()
		return to, q, err
	}
	var q quote
	var err error
	if asks := t.Margin != 0 || t.Level != 0; asks {
		if alone, q, err = aimedAt(0); err != nil && !t.Noise.Pure() {
			alone, q, err = aimedAt(delta)
		}
	} else {
		q, err = pl.quote()
	}
	if err != nil {
		return w, err
	}
	b, ok := query.BudgetOf(alone.m)
	if !ok {
		return w, fmt.Errorf("it has no target that could be a part of another: %w", ErrParameter)
	}
	w.sizes = slices.Clone(q.made.Predicted.Size)
	if w.event, _, err = accountant.SplitFailures(q.price.Event, pl.p.s.neighbours); err != nil {
		return w, err
	}
	if b.Delta > 0 {
		if pure, ok := pl.retargeted(b.Epsilon, 0); ok {
			if p, err := pure.quote(); err == nil { // noise falls with ε
				if s := p.made.Predicted.Size; len(s) > 0 && len(w.sizes) > 0 {
					b.Epsilon *= s[0] / w.sizes[0]
				}
				b.Delta = 0
			}
		}
	}
	if b.Delta == 0 {
		w.epsilon = b.Epsilon
		return w, nil
	}
	w.mu, err = q.end.Spent.Total(b)
	return w, err
}

// kept says whether a plan's part is as accurate as was asked.
func (w want) kept(p jointPart) bool {
	predicted := p.q.made.Predicted
	if w.margin > 0 {
		return slices.Max(predicted.Margin(w.level)) <= w.margin*(1+1e-9)
	}
	for i, size := range w.sizes {
		if i < len(predicted.Size) && !(predicted.Size[i] <= size*(1+1e-3)) {
			return false
		}
	}
	return true
}

// least searches the least ε, from that of the parts' composition up.
func (s *Session) least(members []*plan, wants []want, delta float64) (*plan, error) {
	start, err := s.composed(wants, delta)
	if err != nil {
		return nil, err
	}
	var last error
	for epsilon := start; epsilon < 4*start && epsilon <= largestAim; epsilon = upToDigits(epsilon * 1.0005) {
		pl, err := s.weighted(members, wants, Target{Epsilon: epsilon, Delta: delta})
		if err != nil {
			return nil, err
		}
		q, err := pl.joint.calibrated()
		if err != nil {
			last = err // less noise may be priced
			continue
		}
		all := true
		for i, w := range wants {
			all = all && w.kept(q.parts[i])
		}
		if all {
			return pl, nil
		}
	}
	return nil, errors.Join(last, fmt.Errorf("dpkit: plan: no ε from %g on keeps all that is asked: want larger margins: %w", start, ErrParameter))
}

// composed is the ε of what keeps each question alone, without what their tests may fail with.
func (s *Session) composed(wants []want, delta float64) (float64, error) {
	var parts []accountant.Event
	for _, w := range wants {
		if w.event != nil {
			parts = append(parts, w.event)
		}
	}
	g, err := accountant.Best(accountant.Compose(parts...), s.neighbours, delta, accountant.BestOptions{})
	if err != nil {
		return 0, fmt.Errorf("dpkit: plan: %w", err)
	}
	return upToDigits(max(leastAim, g.Epsilon)), nil
}

// weighted are the questions together, weighted by what each needs.
func (s *Session) weighted(members []*plan, wants []want, target Target) (*plan, error) {
	mu, err := accountant.CalibrateShared(target.Budget())
	if err != nil {
		return nil, fmt.Errorf("dpkit: plan: %w", err)
	}
	strength := make([]float64, len(wants))
	for i, w := range wants {
		if strength[i] = w.mu / mu; w.epsilon > 0 {
			strength[i] = w.epsilon / target.Epsilon
		}
	}
	most := slices.Max(strength)
	plans := make([]AnyPlan, len(members))
	for i, pl := range members {
		x := strength[i] / most
		w, _ := strconv.ParseFloat(strconv.FormatFloat(x*x, 'g', 4, 64), 64) // what FormatFloat wrote
		plans[i] = held{pl.weighing(max(w, math.SmallestNonzeroFloat64))}
	}
	return newJoint(target, plans), nil
}

// affords reports that the ledger has not enough left for a plan, from what the ledger says of itself.
func (s *Session) affords(pl *plan) error {
	if s.ledger == nil {
		return nil
	}
	q, err := pl.joint.calibrated()
	if err != nil {
		return err
	}
	prices, err := s.ledger.Prices(q.event)
	if err != nil {
		return fmt.Errorf("dpkit: plan: %w", err)
	}
	st, err := s.Status()
	if err != nil {
		return fmt.Errorf("dpkit: plan: %w", err)
	}
	// What is pure may go to a part of its own: whether all fits there the ledger says when it is charged.
	price, left, where := prices[0], st.Left, "the ledger"
	left.Epsilon += st.PureLeft
	for i, p := 1, st.Project; p != nil && i < len(prices); i, p = i+1, p.Project { // each charges it by a configuration of its own
		if has := p.Left.Epsilon + p.PureLeft; has-prices[i].Epsilon < left.Epsilon-price.Epsilon {
			price, left, where = prices[i], p.Left, "the project's ledger"
			left.Epsilon = has
		}
	}
	_, fails, err := accountant.SplitFailures(q.event, s.neighbours)
	if err != nil {
		return fmt.Errorf("dpkit: plan: %w", err)
	}
	spare, whose := st.Reserve-st.Failures, "the ledger's"
	for p := st.Project; p != nil; p = p.Project {
		if p.Reserve-p.Failures < spare {
			spare, whose = p.Reserve-p.Failures, "the project's"
		}
	}
	if fails > spare {
		return fmt.Errorf("dpkit: plan: the questions may fail with probability %.3g, and %.3g of %s Reserve is left for that: give tests a smaller Delta, or leave them out: %w",
			fails, max(0, spare), whose, ledger.ErrBudget)
	}
	if price.Epsilon <= left.Epsilon*(1+1e-9) {
		return nil
	}
	var parts []string
	for i, p := range q.parts {
		parts = append(parts, fmt.Sprintf("%d. %s: %.3g %%", i+1, kind.Describe(p.pl.m), 100*p.share))
	}
	return fmt.Errorf("dpkit: plan: the questions want ε = %s together (%s), and %s has ε = %s left at δ = %g: widen a margin, or leave a question out: %w",
		accountant.FormatUp(price.Epsilon), strings.Join(parts, ", "), where, strconv.FormatFloat(left.Epsilon, 'g', 6, 64), left.Delta, ledger.ErrBudget)
}
