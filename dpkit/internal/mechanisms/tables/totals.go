package tables

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/go-gota/gota/dataframe"

	"github.com/dpkit-go/dpnb/dpkit/internal/origin"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// TableTotals are numbers of rows, and sums of columns, made of released tables that fit together: no number of rows is negative, no sum is beyond
// what the bounds of its column leave to so many rows, and totals are the sums of their parts. They are post-processing, which costs
// nothing, and have no intervals: being moved to what is possible makes them better on average and biased where groups are small. What
// a table has in Counts and Sums is unbiased.
type TableTotals struct {
	By     []string   `json:"by"`
	Groups [][]string `json:"groups"` // as those of the table
	Counts []float64  `json:"counts"` // of each group, at least 0
	Rows   int        `json:"rows"`   // n, public
	// SumOf are the columns of which the table has sums, and Sums these by group, in units of the column.
	SumOf []string    `json:"sum_of,omitempty"`
	Sums  [][]float64 `json:"sums,omitempty"`
	// Beside is what the other tables promise that they were made of.
	Beside []origin.Provenance `json:"beside,omitempty"`
	origin.Provenance
}

// Consistent makes numbers of rows, and of the sums that the table asks for, that fit together of its noisy cells, and of those of further
// tables by some of its columns: the ones that are nearest in least squares, each cell weighted by its noise, of all numbers of rows that are
// not negative and add up to n, or to no more where rows may have been removed, and of all sums that the bounds of their columns leave to
// so many rows (docs/theory/tables.md#totals-that-fit-together). The tables are to be of the same rows: behind Bound by the same bound. Errors wrap
// [stage.ErrColumn] for tables that are not by columns of this one, over the same levels and rows, and for numbers of people who may be in
// several groups, which do not add up.
func (t Table) Consistent(margins ...Table) (TableTotals, error) {
	out := TableTotals{By: t.By, Groups: t.Groups, Rows: t.Rows, Provenance: t.Provenance}
	var of []TableMeasure
	x := [][]float64{slices.Clone(t.Counts)}
	for _, s := range t.Of {
		if k := t.measure(s, false); s.Of == Sum && k >= 0 && k < len(t.Sums) {
			of, out.SumOf = append(of, t.Measures[k]), append(out.SumOf, s.Column)
			x = append(x, slices.Clone(t.Sums[k]))
		}
	}
	all := append([]Table{t}, margins...)
	parts := make([]part, len(all))
	for i, m := range all {
		p, err := t.partOf(m, of)
		if err == nil && len(all) > 1 && m.countsPeople() {
			err = fmt.Errorf("got numbers of people, who may be in several groups, so that their numbers do not add up, want Count: %w", stage.ErrColumn)
		}
		if err != nil {
			return TableTotals{}, fmt.Errorf("dpkit: table: consistent: table %d of %d: %w", i+1, len(all), err)
		}
		if parts[i] = p; i > 0 {
			out.Beside = append(out.Beside, m.Provenance)
		}
	}
	fitted(parts, x, float64(t.Rows), t.Whole)
	out.Counts = x[0]
	for i, m := range of {
		sums := make([]float64, len(t.Groups))
		for g, u := range x[1+i] {
			sums[g] = m.mid()*x[0][g] + m.half()*u
		}
		out.Sums = append(out.Sums, sums)
	}
	return out, nil
}

// countsPeople says that Counts are of people, each of whom may have rows in several groups.
func (t Table) countsPeople() bool {
	return t.Persons > 0 && !slices.ContainsFunc(t.Of, func(s TableStatistic) bool { return !s.perPerson() })
}

// Of is the number of rows of all groups with these levels, one for each of By; "" stands for every level. Errors wrap [stage.ErrColumn].
func (t TableTotals) Of(levels ...string) (float64, error) { return t.total(t.Counts, levels) }

// Sum is that of a column over all groups with these levels, as Of has them. Errors wrap [stage.ErrColumn].
func (t TableTotals) Sum(column string, levels ...string) (float64, error) {
	i := slices.Index(t.SumOf, column)
	if i < 0 {
		return 0, fmt.Errorf("dpkit: totals: got column %q, want one that the table has the sum of, of %q: %w", column, t.SumOf, stage.ErrColumn)
	}
	return t.total(t.Sums[i], levels)
}

func (t TableTotals) total(cells []float64, levels []string) (float64, error) {
	if len(levels) != len(t.By) {
		return 0, fmt.Errorf("dpkit: totals: got %d levels, want one for each of %q, or %q for all: %w", len(levels), t.By, "", stage.ErrColumn)
	}
	total, found := 0.0, false
	for g, group := range t.Groups {
		in := true
		for i, l := range levels {
			in = in && (l == "" || l == group[i])
		}
		if in {
			total, found = total+cells[g], true
		}
	}
	if !found {
		return 0, fmt.Errorf("dpkit: totals: got levels %q, want levels of %q: %w", levels, t.By, stage.ErrColumn)
	}
	return total, nil
}

// columns are the numbers of each group, with their names.
func (t TableTotals) columns() (heads []string, cells [][]float64) {
	heads, cells = []string{"rows"}, [][]float64{t.Counts}
	for i, name := range t.SumOf {
		heads, cells = append(heads, "sum of "+name), append(cells, t.Sums[i])
	}
	return heads, cells
}

// String is the totals as text: of many groups the first ones.
func (t TableTotals) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	heads, cells := t.columns()
	fmt.Fprintln(w, strings.Join(append(slices.Clone(t.By), heads...), "\t"))
	for g, levels := range t.Groups[:min(len(t.Groups), shownGroups)] {
		line := slices.Clone(levels)
		for _, c := range cells {
			line = append(line, fmt.Sprintf("%.6g", c[g]))
		}
		fmt.Fprintln(w, strings.Join(line, "\t"))
	}
	w.Flush() // a strings.Builder does not fail
	text := b.String()
	if more := len(t.Groups) - shownGroups; more > 0 {
		text += fmt.Sprintf("and %d groups more\n", more)
	}
	text += "without intervals: moved to what fits together\n"
	for _, o := range t.Beside {
		text += "made of a table beside this one too: " + o.Promise() + "\n"
	}
	return origin.Under(t.Provenance, text)
}

// Gota is the totals as a gota frame, a row for each group: a column for each of By, "rows", those of sums, as "sum of stay", and what the
// table's release promises, as Estimates.Gota has it.
func (t TableTotals) Gota() dataframe.DataFrame {
	columns := groupColumns(t.By, t.Groups)
	heads, cells := t.columns()
	for i, name := range heads {
		columns = append(columns, origin.Numbers(name, cells[i]))
	}
	return origin.Gota(t.Provenance, columns...)
}
