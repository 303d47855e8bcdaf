package stagetest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/attack"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// ErrBroken is wrapped by the error of a claim that does not hold. Its text shows the pair that breaks it: sizes, structures and
// rows, what was measured and what was claimed.
var ErrBroken = errors.New("a bound of the step does not hold")

// ErrIdle is wrapped where the search attains less of the claimed displacement than [Floor] asks, or nothing of it and no [Unattained]
// says why.
var ErrIdle = errors.New("the search comes not near a bound of the step")

// ErrNoDomain is wrapped where the step accepts no domain that was tried: give it one by [On].
var ErrNoDomain = errors.New("the step accepts none of the domains")

// An Option changes how a step is attacked.
type Option func(*settings)

type settings struct {
	schemas []frames.Schema
	floor   float64
	rows    []int
	pairs   int
	seed    uint64
	points  []float64
	reason  string // why nothing is attained
	within  func(*frames.Block) bool
}

// On attacks the step on these domains, in place of those of the package; each must be one that the step accepts.
func On(schemas ...frames.Schema) Option {
	return func(s *settings) { s.schemas = append(s.schemas, schemas...) }
}

// Floor asks that the search attain so large a share of the total displacement that the step claims, in (0, 1), on the best domain
// with the most rows. Without it something must be attained.
func Floor(share float64) Option { return func(s *settings) { s.floor = share } }

// Unattained says why no pair displaces common rows although the step claims that some may, of rows as they come or of displaced
// ones; without it such an attack fails, since it shows nothing.
func Unattained(reason string) Option { return func(s *settings) { s.reason = reason } }

// Points are numbers at and beside which the step may change: cells are drawn there. The numbers in the step's own fields are
// among them, and so are those where it is seen to jump.
func Points(values ...float64) Option {
	return func(s *settings) { s.points = append(s.points, values...) }
}

// Rows are the sizes of the datasets; 2, 7 and 60 without it. A few pairs are of sizes drawn up to 3000 whatever is said here.
func Rows(sizes ...int) Option { return func(s *settings) { s.rows = sizes } }

// Pairs is how many pairs to try on each domain; 1500 without it. The time is proportional to it.
func Pairs(n int) Option { return func(s *settings) { s.pairs = n } }

// Seed changes the draws, which repeat otherwise.
func Seed(seed uint64) Option { return func(s *settings) { s.seed = seed } }

// Within attacks on datasets alone that meet the condition which the scope of the step declares. A row that is absent from one side
// is there as zeros, flagged in Empty.
func Within(condition func(*frames.Block) bool) Option {
	return func(s *settings) { s.within = condition }
}

// Report is what an attack attained: shares of the claims, of those that the step makes.
type Report struct {
	Domains int // that the step accepts
	Pairs   int // that were tried
	// Shares of what is claimed for the common rows with the most rows: together (L12), in Frobenius norm, and for one of them.
	Total, Frobenius, Largest float64
	Norm                      float64 // share of the bound on a row's norm
	seen                      [2]seen // on rows as they come, and on rows that an earlier step displaced
}

// seen is what was attained of the total displacement, on any domain with any number of rows.
type seen struct {
	claimed bool
	share   float64
}

func (r Report) String() string {
	return fmt.Sprintf("%d pairs on %d domains attain: total %.3g, Frobenius %.3g, largest %.3g, norm %.3g", r.Pairs, r.Domains, r.Total, r.Frobenius, r.Largest, r.Norm)
}

// Attack is [Try] in a test, which it fails where Try fails.
func Attack(t testing.TB, step stage.Preprocessor, options ...Option) {
	t.Helper()
	r, err := Try(t.Context(), step, options...)
	if err != nil {
		t.Errorf("%v", err)
		return
	}
	t.Logf("%T: %v", step, r)
}

// Try attacks the step. Where a claim does not hold the error wraps [ErrBroken], where a floor is missed or nothing is attained
// [ErrIdle]. A step may
// refuse pairs by an error of Propagate, as one does that has no bound on displaced rows: those are not attacked.
func Try(ctx context.Context, step stage.Preprocessor, options ...Option) (Report, error) {
	s := settings{rows: []int{2, 7, 60}, pairs: 1500}
	for _, o := range options {
		o(&s)
	}
	given := len(s.schemas) > 0
	if !given {
		s.schemas = domains()
	}
	if len(s.rows) == 0 || s.floor < 0 || !(s.floor < 1) {
		return Report{}, fmt.Errorf("stagetest: got the sizes %v and the floor %g, want a size and a floor in [0, 1)", s.rows, s.floor)
	}
	var r Report
	var refused error
	for _, schema := range s.schemas {
		if _, err := step.Check(schema); err != nil {
			if given {
				return r, fmt.Errorf("stagetest: Check: %w", err)
			}
			refused = err
			continue
		}
		r.Domains++
		if err := s.domain(ctx, step, schema, &r); err != nil {
			return r, fmt.Errorf("stagetest: %s, on %v: %w", nameOf(step), schema, err)
		}
	}
	if r.Domains == 0 {
		return r, fmt.Errorf("stagetest: %s: %w; attack it with stagetest.On(…): %w", nameOf(step), ErrNoDomain, refused)
	}
	return r, s.enough(step, r)
}

// enough holds what was attained to what is asked.
func (s settings) enough(step stage.Preprocessor, r Report) error {
	idle := func(format string, args ...any) error {
		return fmt.Errorf("stagetest: %s: %v: %s: %w", nameOf(step), r, fmt.Sprintf(format, args...), ErrIdle)
	}
	switch {
	case r.Pairs == 0:
		return idle("no pair meets the condition of stagetest.Within")
	case r.Total < s.floor:
		return idle("want a total of %g: the claim is too large by far, or the search too short for it", s.floor)
	}
	for k, of := range [2]string{"rows as they come", "rows that an earlier step displaced"} {
		if r.seen[k].claimed && r.seen[k].share < leastSeen && s.reason == "" {
			return idle("nothing of the displacement that it claims of %s, want a domain or points on which they move, or stagetest.Unattained(why)", of)
		}
	}
	return nil
}

// leastSeen is the share of a claim below which what moves is the rounding of numbers.
const leastSeen = 1e-9

func nameOf(step stage.Preprocessor) string {
	if s, ok := step.(fmt.Stringer); ok {
		return s.String()
	}
	return fmt.Sprintf("%T", step)
}

// domain attacks on one domain: as the first step, on displaced rows, in a ball that is narrower than the domain.
func (s settings) domain(ctx context.Context, step stage.Preprocessor, schema frames.Schema, r *Report) error {
	var numbers []string
	for _, c := range schema.Features() {
		if c.Kind == frames.KindNumeric {
			numbers = append(numbers, c.Name)
		}
	}
	for i, rel := range []accountant.Neighbours{accountant.ReplaceOne, accountant.AddRemove} {
		for _, displaced := range [][]string{nil, numbers} {
			if displaced == nil || len(displaced) > 0 {
				sub := subject(step, attack.Subject{
					Schema: schema, Neighbours: rel, Displaced: displaced, Narrow: i == 1 && displaced != nil, Within: s.within,
					Points: append(attack.Numbers(step), s.points...),
				})
				if err := s.attack(ctx, sub, i == 0 && displaced == nil, r); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// large is the most rows of a dataset, on the first state and on the last.
const large = 3000

// attack tries pairs of every size; what is attained as a first step with the most rows counts for the report.
func (s settings) attack(ctx context.Context, sub attack.Subject, first bool, r *Report) error {
	for _, n := range append(slices.Clone(s.rows), large) {
		if err := attack.Prices(sub, n, s.seed); err != nil {
			if _, broken := attack.AsBreach(err); !broken && !first {
				return nil
			}
			return told(err)
		}
	}
	few, many := s.rows[:len(s.rows)-1], s.rows[len(s.rows)-1:]
	o := attack.Options{Seed: s.seed, Rows: few, Pairs: max(1, s.pairs*len(few)/(4*len(s.rows)))}
	if len(few) > 0 {
		found, err := attack.Search(ctx, sub, o)
		if err != nil {
			return told(err)
		}
		r.add(found, sub)
		o.Replay, o.Points = found.Replay(), found.Points
	}
	o.Seed, o.Rows, o.Pairs = s.seed+1, many, max(1, s.pairs/(4*len(s.rows)))
	if first || sub.Narrow {
		o.Large = large
	}
	if first {
		o.Pairs = s.pairs
	}
	found, err := attack.Search(ctx, sub, o)
	if err != nil {
		return told(err)
	}
	r.add(found, sub)
	if first {
		r.Total, r.Frobenius = max(r.Total, found.Best[attack.Total]), max(r.Frobenius, found.Best[attack.Frobenius])
		r.Largest, r.Norm = max(r.Largest, found.Best[attack.Largest]), max(r.Norm, found.Best[attack.Norm])
	}
	return nil
}

// add counts a search.
func (r *Report) add(f attack.Found, sub attack.Subject) {
	of := &r.seen[min(1, len(sub.Displaced))]
	r.Pairs += f.Tried
	of.claimed, of.share = of.claimed || f.Claimed[attack.Total], max(of.share, f.Best[attack.Total])
}

// told wraps a breach.
func told(err error) error {
	if _, ok := attack.AsBreach(err); ok {
		return fmt.Errorf("%w: %w", ErrBroken, err)
	}
	return err
}
