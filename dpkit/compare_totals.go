package dpkit

import (
	"fmt"
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/tables"
)

// totalShare is the part of what the rows of one person in a group could add up to at which totals are clamped in a comparison, an example.
const totalShare = 1. / 4

// tableEnds are the ways to end a table of rows of which a person has several in a group: everybody's totals, clamped. It is another question, a
// mean by person and not by row, so that it is listed.
func tableEnds(pl *plan) []ending {
	r, ok := pl.m.(tables.Release)
	if !ok || r.Margins() {
		return nil
	}
	q, err := pl.quote()
	if err != nil || q.end.Contributions.PerGroup < 2 {
		return nil
	}
	of, ok := inTotals(r.Of, q)
	if !ok {
		return nil
	}
	e := listedEnd[Table](pl, tables.Release{By: r.By, Of: of, Target: r.Target}, fmt.Sprintf(
		"what each person has in a group, clamped when it was added up to %g of what %d rows could be, an example: choose it from what is known of such data. Everybody counts once, and a mean is one of people",
		totalShare, q.end.Contributions.PerGroup))
	if other, err := e.plan.quote(); err == nil {
		if a, b := sumMargin(q.made.Predicted), sumMargin(other.made.Predicted); a > 0 && b > 0 {
			e.note += fmt.Sprintf("; noise of ±%.3g on a sum in place of ±%.3g, with probability 0.95", b, a)
		}
	}
	return []ending{e}
}

// inTotals asks of people what statistics ask of rows; false where there is nothing that corresponds, or no sum.
func inTotals(of []TableStatistic, q quote) (out []TableStatistic, ok bool) {
	rows := float64(q.end.Contributions.PerGroup)
	for _, s := range of {
		switch s.Of {
		case tables.Count, tables.People:
			s = TableStatistic{Of: tables.People}
		case tables.Sum, tables.Mean:
			c, there := q.end.In.Column(s.Column)
			if !there || c.NoBounds {
				return nil, false
			}
			t := TableStatistic{Of: tables.Total, Column: s.Column, Lo: min(c.Lo, 0) * rows * totalShare, Hi: max(c.Hi, 0) * rows * totalShare}
			if s.Of == tables.Mean {
				t.Of = tables.MeanTotal
			}
			s, ok = t, true
		default:
			return nil, false
		}
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out, ok
}

// sumMargin is the half-width of an interval of 0.95 of the first sum of a table; 0: none is predicted.
func sumMargin(p mechanism.Prediction) float64 {
	if len(p.Names) < 2 || len(p.Size) < 2 { // the first is that of a group
		return 0
	}
	return p.Margin(warningLevel)[1]
}
