package tables

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/sums"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// SortedBy is the table with its groups in falling order of a statistic, those that are equal as they were: the same numbers. A view of a table has
// its groups in one order, in HTML beside that of each statistic folded behind a line: a page has no script to sort with. Errors wrap [stage.ErrColumn]
// for a statistic that the table does not have.
func (t Table) SortedBy(name string) (Table, error) {
	cells, err := t.Column(name, 0.95)
	if err != nil {
		return Table{}, err
	}
	at := make([]int, len(cells))
	for i := range at {
		at[i] = i
	}
	slices.SortStableFunc(at, func(a, b int) int { return cmp.Compare(cells[b].Value, cells[a].Value) })
	t = t.picked(at)
	t.Ordered = nil
	return t, nil
}

// picked is the table with some of its groups, in that order.
func (t Table) picked(at []int) Table {
	t.Groups, t.Counts, t.People = placed(t.Groups, at), placed(t.Counts, at), placed(t.People, at)
	t.Sums, t.Quantiles = slices.Clone(t.Sums), slices.Clone(t.Quantiles)
	for i := range t.Sums {
		t.Sums[i] = placed(t.Sums[i], at)
	}
	for i := range t.Quantiles {
		t.Quantiles[i].Values = placed(t.Quantiles[i].Values, at)
	}
	return t
}

// Top is the table with its k groups of largest statistic, in falling order; all of them where there are fewer. Of a table of groups that were found
// these are the largest of those. Errors wrap [stage.ErrColumn] and [kind.ErrParameter].
func (t Table) Top(k int, name string) (Table, error) {
	if k < 1 {
		return Table{}, fmt.Errorf("dpkit: table: top: got %d groups, want at least 1: %w", k, kind.ErrParameter)
	}
	t, err := t.SortedBy(name)
	if err != nil || k >= len(t.Groups) {
		return t, err
	}
	at := make([]int, k)
	for i := range at {
		at[i] = i
	}
	t = t.picked(at)
	t.Whole = false
	return t, nil
}

// Levels are those of a column of By that groups have, in the order of the groups: of groups that were found a public list from now on, for a schema
// (frames.Category) or a chain (Codebook).
func (t Table) Levels(column string) ([]string, error) {
	at := slices.Index(t.By, column)
	if at < 0 {
		return nil, fmt.Errorf("dpkit: table: got %q, want one of the columns %q: %w", column, t.By, stage.ErrColumn)
	}
	var out []string
	seen := map[string]bool{}
	for _, g := range t.Groups {
		if level := g[at]; level != sums.MissingLevel && !seen[level] {
			seen[level] = true
			out = append(out, level)
		}
	}
	return out, nil
}

// placed are the values at some places; none stay none.
func placed[T any](of []T, at []int) []T {
	if len(of) == 0 {
		return of
	}
	out := make([]T, len(at))
	for i, k := range at {
		out[i] = of[k]
	}
	return out
}
