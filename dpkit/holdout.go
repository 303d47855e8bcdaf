package dpkit

import (
	"context"
	"fmt"

	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
)

// Holdout sets a share of the people aside, 0 < share < 1, or of the rows where rows are people, and returns the chain of the others and
// that of those:
//
//	train, test := session.Data().Holdout(0.2)
//	model, err := train.Scale().FitLogistic(target, dpkit.ByGradient{}).Release(ctx)
//	score, err := test.Score(target, model.Value).Release(ctx)
//
// Who is on which side hangs on the places of people and on their number alone, which are public, and on no cell: both of two neighbouring
// datasets are split in the same way, in either relation. So releases of one side cost those on the other nothing, and a ledger charges
// both sides together what the dearer one costs (docs/theory/tables.md#splits-of-people); releases of all rows cost everybody. The same
// share sets the same people aside in every chain of a session. Another share is another split, which adds to the bill. Where rows are people,
// the order of the table must say nothing private: in one that is sorted by a cell, a cell that differs moves the rows behind it to other places,
// and so to other sides. Load it in an order that no cell decides, such as that in which rows came.
//
// Put it before every step that is fitted to rows or asks them private queries, which would read both sides, and behind
// [Pipeline.PerPerson] or [Pipeline.Bound] where rows are of people. Months, shops and categories are no sides: a person is in several.
func (p Pipeline) Holdout(share float64) (train, test Pipeline) {
	return p.with(steps.Holdout{Share: share, Of: steps.Train}), p.with(steps.Holdout{Share: share, Of: steps.Test})
}

// holdout is the side that a chain reads alone, and whether rows there are of people whom a column names.
func (q quote) holdout() (side steps.Holdout, of int, ok bool) {
	for _, s := range q.stages {
		if h, is := s.Step.(steps.Holdout); is {
			return h, s.Before.N / max(1, s.Contributions.Rows), true
		}
	}
	return steps.Holdout{}, 0, false
}

// part names to a ledger the people whom a release reads alone; "" where it reads all. The name of a split holds what the places of
// people come from: their IDs or, where rows are people, the order of the rows, under the ledger's secret. Other IDs, or another order, are
// another split.
func (s *Session) part(ctx context.Context, q quote) (split, part string, err error) {
	h, of, ok := q.holdout()
	if !ok {
		return "", "", nil
	}
	var places string
	if person, named := s.schema.Person(); named {
		places, err = s.fingerprint(ctx, person.Name)
	} else {
		places, err = s.orderedFingerprint(ctx)
	}
	if err != nil {
		return "", "", fmt.Errorf("dpkit: release: %w", err)
	}
	//dp:charges holdout/another-share somebody may be on another side of another split
	//dp:lift h.Share => 0.5
	return fmt.Sprintf("Holdout(%v) of %d %s", h.Share, of, places), h.Of, nil
}

// arrangement is what a release that reads one side depends on besides the cells that it reads: the
// share and the places of people; "" where all rows are read. Where rows are people, their places are
// the order of the rows in the columns that the plan reads.
func (s *Session) arrangement(ctx context.Context, q quote) (string, error) {
	h, of, ok := q.holdout()
	if !ok {
		return "", nil
	}
	if _, named := s.schema.Person(); named {
		split, _, err := s.part(ctx, q)
		return split, err
	}
	order, err := s.inOrder(ctx, s.own(q.columns))
	if err != nil {
		return "", fmt.Errorf("dpkit: release: %w", err)
	}
	return fmt.Sprintf("Holdout(%v) of %d %s", h.Share, of, order), nil
}

// readPart says in a value's provenance which side was read; "" where all were.
func (s *Session) readPart(q quote) string {
	h, _, ok := q.holdout()
	if !ok {
		return ""
	}
	return partName(h, s.version)
}

func partName(h steps.Holdout, version string) string {
	name := fmt.Sprintf("%s of Holdout(%v)", h.Of, h.Share)
	if version != "" {
		name += fmt.Sprintf(", version %q", version)
	}
	return name
}
