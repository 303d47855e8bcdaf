package dpkit

import (
	"bytes"
	"fmt"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
)

// Columns whose bounds come out at the release: what follows is settled twice, at the widest bounds for the price, and at those that came
// out for the noise (docs/theory/calculus.md#bounds-that-come-out).

// resettled is the quote with the mechanism settled once more, behind bounds that came out.
func (q quote) resettled() (quote, error) {
	made, err := q.settle(q.end)
	if err != nil {
		return q, err
	}
	if q.charged == nil {
		charged := q.price
		q.charged = &charged
	}
	return q.as(made), nil
}

// narrows is the first step that narrows columns at the release; −1: there is none.
func (q quote) narrows() int {
	for i, s := range q.stages {
		if _, ok := s.Step.(query.Narrowing); ok {
			return i
		}
	}
	return -1
}

// What is charged behind bounds that come out is above what is drawn by these factors, of μ and of the sampler's distance (see
// budget.Spent.Widen and Coarse). Both bills that covers compares have them; half of each covers what grids differ by.
const (
	widerMu = 1 + 0x1p-32
	coarser = 128
)

// covers reports whether what is charged pays for the release as it is settled at bounds that came out: the same event, or Gaussian noise of no
// larger μ by a sampler that is no further from the law, and failures of no larger probability.
func (q quote) covers() bool {
	first, err := accountant.Marshal(q.charged.Event)
	if err != nil {
		return false
	}
	if now, err := accountant.Marshal(q.price.Event); err == nil && bytes.Equal(first, now) {
		return true
	}
	if !q.charged.Gaussian || !q.price.Gaussian {
		return false
	}
	mu, tv, fails, err := q.gaussian(q.charged.Event)
	if err != nil {
		return false
	}
	muNow, tvNow, failsNow, err := q.gaussian(q.price.Event)
	return err == nil && muNow <= mu*widerMu && tvNow <= tv*coarser && failsNow <= fails
}

// gaussian are the parameters of an event that is Gaussian but for the failures of tests.
func (q quote) gaussian(e accountant.Event) (mu, tv, fails float64, err error) {
	rel := q.end.Before.Neighbours
	rest, fails, err := accountant.SplitFailures(e, rel)
	if err != nil {
		return 0, 0, 0, err
	}
	g, ok := rest.(accountant.GDPer)
	if !ok {
		return 0, 0, 0, fmt.Errorf("dpkit: %v is not Gaussian", rest)
	}
	mu, tv, err = g.GDP(rel)
	return mu, tv, fails, err
}

// guessed is the quote at the bounds with which predictions reckon; ok is false where nobody has said where the rows are.
func (q quote) guessed() (at quote, ok bool) {
	at = q
	for i, s := range q.stages {
		n, narrows := s.Step.(query.Narrowing)
		if !narrows {
			continue
		}
		b := n.Guess(at.stages[i].In)
		if b == nil {
			return q, false
		}
		var err error
		if at, err = at.rest(i, b); err != nil {
			return q, false
		}
	}
	return at, true
}

// stillWide warns of steps whose bounds came out, and behind which the release has the noise of the widest all the same.
func (q quote) stillWide(found map[int][]float64) (warnings []string) {
	for i, s := range q.stages {
		if n, ok := s.Step.(query.Narrowing); ok && found[i] != nil && !n.Narrowed(s.In) {
			warnings = append(warnings, fmt.Sprintf("private bounds of step %d came out as the widest that the columns have, or a step behind it has no price at those that came out: the noise is that of the widest", i+1))
		}
	}
	return warnings
}

// reckoned is the quote with what is predicted at the guessed bounds: at the widest it would say little of the release.
func (q quote) reckoned() quote {
	if q.narrows() < 0 {
		return q
	}
	q.made.Predicted = mechanism.Prediction{}
	if at, ok := q.guessed(); ok {
		q.made.Predicted, q.likely = at.made.Predicted, &at
	}
	return q
}

// open reports a mechanism that cannot follow bounds that come out: its noise is not Gaussian, and it is another at other bounds.
func (q quote) open() error {
	i := q.narrows()
	if i < 0 || q.price.Gaussian {
		return nil
	}
	s := q.stages[i]
	at, err := q.restOn(i, s.Step.(query.Narrowing).Narrow(s.In))
	if err == nil {
		at, err = at.resettled()
	}
	if err == nil && at.covers() {
		return nil
	}
	//dp:refuses bounds/that-come-out its noise is another one at other bounds
	return fmt.Errorf("what it costs hangs on the bounds of columns, which come out of step %d, %s, at the release alone: put Scale behind that step, which makes one domain of any bounds, release Bounds before and ClipColumns to them, or end the chain with another mechanism: %w",
		i+1, kind.Describe(s.Step), ErrOrder)
}
