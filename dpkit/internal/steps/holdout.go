package steps

import (
	"context"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// The sides of a [Holdout].
const (
	Train = "train"
	Test  = "test"
)

// Holdout is one side of dpkit.Pipeline.Holdout: the rows of the people who are set aside, a share of all, or those of the others.
type Holdout struct {
	Share float64
	Of    string // Train or Test
}

func (Holdout) Kind() kind.Kind { return kind.Kind{Name: "holdout", Law: 1, Call: "Holdout"} }

func (h Holdout) Check(in frames.Schema) (frames.Schema, error) {
	if !(h.Share > 0 && h.Share < 1) {
		return in, fmt.Errorf("share: got %g, want the part of the people that is set aside, in (0, 1), such as 0.2: %w", h.Share, kind.ErrParameter)
	}
	if h.Of != Train && h.Of != Test {
		return in, fmt.Errorf("side: got %q, want %q or %q: %w", h.Of, Train, Test, kind.ErrParameter)
	}
	return in, nil
}

// Other is the side that this one is not.
func (h Holdout) Other() Holdout {
	if h.Of == Train {
		return Holdout{h.Share, Test}
	}
	return Holdout{h.Share, Train}
}

// sizes are how many people there are, and how many of them are set aside.
func (h Holdout) sizes(st stage.Stage) (people, aside int) {
	people = st.Before.N / max(1, st.Contributions.Rows)
	return people, int(math.Round(h.Share * float64(people)))
}

// left is how many people are on this side.
func (h Holdout) left(st stage.Stage) int {
	people, aside := h.sizes(st)
	if h.Of == Test {
		return aside
	}
	return people - aside
}

// Propagate (docs/theory/tables.md#splits-of-people): who is on which side hangs on the places of people, which are the same on both sides of
// a pair, so that all rows that differ are on one side of the split.
func (h Holdout) Propagate(st stage.Stage) (stage.Propagation, error) {
	none := stage.Propagation{}
	switch {
	//dp:refuses holdout/rows-of-people rows of a person would be on both sides
	case st.People:
		return none, fmt.Errorf("rows are of people, and all rows of a person belong on one side: make one row a person before it, by PerPerson(…), or bound what a person contributes, by Bound(…): %w", stage.ErrOrder)
	//dp:refuses holdout/rows-in-order a row that changes could move others to the other side
	case st.Unordered: // rows that are displaced or freed were by a step that holdout/after-queries refuses
		return none, fmt.Errorf("a step before it was fitted to the rows of both sides: put Holdout before it, and the step into the chain of each side; or the source gives rows in the order of a column of the schema: order them by a key that is none: %w", stage.ErrOrder)
	}
	people, aside := h.sizes(st)
	if aside < 1 || people-aside < 1 {
		return none, fmt.Errorf("share: got %g, which sets %d of %d aside, want at least 1 on each side: %w", h.Share, aside, people, kind.ErrParameter)
	}
	after, left := st.Before, h.left(st)
	after.N = left * max(1, st.Contributions.Rows)
	return stage.Propagation{
		Pair: after, Taint: st.Taint, Scope: accountant.Scope{Kind: accountant.Unconditional}, Role: stage.RolePublic, Places: after.N,
		Constants: []stage.Constant{
			{Symbol: "n", Value: float64(left), Origin: stage.FromParameter, Meaning: fmt.Sprintf("of %d on this side: public, by their places", people)},
		},
		Note:      "who is on which side hangs on places alone: what reads one side costs those on the other nothing",
		Reference: "tables of people §4, splits of people; parallel composition (McSherry 2009, Theorem 4)",
	}, nil
}

// Follow refuses a chain whose earlier steps read rows of both sides. Which these are the pair state tells but for private queries.
func (Holdout) Follow(before []PricedStep, _ stage.Stage, _ *stage.Propagation) error {
	for i, s := range before {
		//dp:refuses holdout/twice a ledger knows one split of a release
		if _, twice := s.Step.(Holdout); twice {
			return fmt.Errorf("step %d is a Holdout already: one split of the people has two sides: leave one out: %w", i+1, stage.ErrOrder)
		}
		//dp:refuses holdout/after-queries what is fitted to both sides, or asks them, costs both
		if s.Role != stage.RolePublic || !kind.IsOwn(s.Step) {
			return fmt.Errorf("step %d, %s, may read rows of both sides: put Holdout before it, and the step into the chain of each side: %w", i+1, kind.Describe(s.Step), stage.ErrOrder)
		}
	}
	return nil
}

// Side is who is on this side.
func (h Holdout) Side(st stage.Stage) (rows.Side, error) {
	people, aside := h.sizes(st)
	kept := rows.Drawn(people, aside)
	if h.Of == Train {
		for i := range kept {
			kept[i] = !kept[i]
		}
	}
	return rows.Side{Kept: kept, Each: max(1, st.Contributions.Rows), Left: h.left(st)}, nil
}

// Fit has nothing to learn: Side says who is kept.
func (Holdout) Fit(context.Context, frames.Source, stage.Stage) (stage.Transform, error) {
	return stage.ByRow(CopyRow), nil
}

// Deploy is the identity: rows to predict are on no side.
func (Holdout) Deploy(stage.Stage) (stage.RowMap, error) { return stage.RowMap{}, nil }

// Origin (see [domain.ByColumn]): no cell is read.
func (Holdout) Origin(unit string) []string { return []string{unit} }

// LabelBlind says that no label is read.
func (Holdout) LabelBlind() {}

// ReadsUnbounded says that no bound of a column enters.
func (Holdout) ReadsUnbounded() {}

// LeavesTexts says that cells of texts are left alone, or name groups.
func (Holdout) LeavesTexts() {}
