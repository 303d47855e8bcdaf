package tables

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/go-gota/gota/dataframe"

	"github.com/dpkit-go/dpnb/dpkit/internal/origin"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// TableTotals are numbers of rows made of released tables that fit together: none is negative, and totals are the sums of their parts. They
// are post-processing, which costs nothing, and have no intervals: being moved to what is possible makes them better on average and
// biased where groups are small. What a table has in Counts is unbiased.
type TableTotals struct {
	By     []string   `json:"by"`
	Groups [][]string `json:"groups"` // as those of the table
	Counts []float64  `json:"counts"` // of each group, at least 0
	Rows   int        `json:"rows"`   // n, public
	// Beside is what the other tables promise that they were made of.
	Beside []origin.Provenance `json:"beside,omitempty"`
	origin.Provenance
}

// Consistent makes numbers of rows that fit together of the table's noisy counts, and of those of further tables by some of its columns: the
// ones that are nearest in least squares, each count weighted by its noise, of all that are not negative and add up to n, or to no more
// where rows may have been removed (docs/theory/tables.md#totals-that-fit-together). Errors wrap [stage.ErrColumn] for tables that are
// not by columns of this one, over the same levels and rows.
func (t Table) Consistent(margins ...Table) (TableTotals, error) {
	out := TableTotals{By: t.By, Groups: t.Groups, Rows: t.Rows, Provenance: t.Provenance}
	all := append([]Table{t}, margins...)
	parts := make([]part, len(all))
	for i, m := range all {
		p, err := t.partOf(m)
		if err != nil {
			return TableTotals{}, fmt.Errorf("dpkit: table: consistent: table %d of %d: %w", i+1, len(all), err)
		}
		if parts[i] = p; i > 0 {
			out.Beside = append(out.Beside, m.Provenance)
		}
	}
	out.Counts = fitted(parts, slices.Clone(t.Counts), float64(t.Rows), t.Whole)
	return out, nil
}

// part is a table of sums of groups: which of its counts each group is in.
type part struct {
	counts []float64
	of     []int
	weight float64
}

func (t Table) partOf(m Table) (part, error) {
	if err := m.Check(); err != nil {
		return part{}, err
	}
	if len(m.Counts) == 0 || m.Rows != t.Rows {
		return part{}, fmt.Errorf("got %d counts of %d rows, want counts of the %d rows of the first: %w", len(m.Counts), m.Rows, t.Rows, stage.ErrColumn)
	}
	at := make([]int, len(m.By))
	for i, name := range m.By {
		if at[i] = slices.Index(t.By, name); at[i] < 0 {
			return part{}, fmt.Errorf("got column %q, want one of %q: %w", name, t.By, stage.ErrColumn)
		}
	}
	places := map[string]int{}
	for i, g := range m.Groups {
		places[strings.Join(g, "\x00")] = i
	}
	p := part{counts: m.Counts, of: make([]int, len(t.Groups)), weight: 1}
	if m.CountSigma > 0 {
		p.weight = 1 / (m.CountSigma * m.CountSigma)
	}
	used := make([]bool, len(m.Groups))
	levels := make([]string, len(at))
	for g, group := range t.Groups {
		for i, k := range at {
			levels[i] = group[k]
		}
		k, ok := places[strings.Join(levels, "\x00")]
		if !ok {
			return part{}, fmt.Errorf("no group %q, want the same levels: %w", levels, stage.ErrColumn)
		}
		p.of[g], used[k] = k, true
	}
	if i := slices.Index(used, false); i >= 0 {
		return part{}, fmt.Errorf("group %q is in none of the first table's, want the same levels: %w", m.Groups[i], stage.ErrColumn)
	}
	return p, nil
}

// fitted minimises Σ_t w_t Σ_k (Σ_{g in k} x_g − count)² over x ≥ 0 with the sum n, or at most n, by accelerated projected gradients that
// start anew where they overshoot (Beck, Teboulle 2009; O'Donoghue, Candès 2015). From one table it is one projection.
func fitted(parts []part, x []float64, n float64, whole bool) []float64 {
	steep := 0.0
	for _, p := range parts {
		in := make([]float64, len(p.counts))
		for _, k := range p.of {
			in[k]++
		}
		steep += p.weight * slices.Max(in)
	}
	project(x, n, whole)
	if len(parts) == 1 {
		return x
	}
	at, last, momentum := slices.Clone(x), slices.Clone(x), 1.0
	for range 4000 {
		grad := make([]float64, len(x))
		for _, p := range parts {
			off := make([]float64, len(p.counts))
			for g, k := range p.of {
				off[k] += at[g]
			}
			for g, k := range p.of {
				grad[g] += p.weight * (off[k] - p.counts[k])
			}
		}
		moved, back := 0.0, 0.0
		for g := range x {
			x[g] = at[g] - grad[g]/steep
		}
		project(x, n, whole)
		for g := range x {
			moved = max(moved, math.Abs(x[g]-last[g]))
			back += (at[g] - x[g]) * (x[g] - last[g])
		}
		if moved <= 1e-9*(1+n) {
			break
		}
		next := (1 + math.Sqrt(1+4*momentum*momentum)) / 2
		if back > 0 {
			momentum, next = 1, 1
		}
		for g := range x {
			at[g] = x[g] + (momentum-1)/next*(x[g]-last[g])
		}
		momentum = next
		copy(last, x)
	}
	return x
}

// project moves x to the nearest point of {x ≥ 0, Σx = n}, or Σx ≤ n where not all rows need be there: max(x − θ, 0) at the θ that gives the sum
// (Held, Wolfe, Crowder 1974).
func project(x []float64, n float64, whole bool) {
	if !whole {
		sum := 0.0
		for _, v := range x {
			sum += max(v, 0)
		}
		if sum <= n {
			for i := range x {
				x[i] = max(x[i], 0)
			}
			return
		}
	}
	falling := slices.Clone(x)
	slices.SortFunc(falling, func(a, b float64) int {
		switch {
		case a > b:
			return -1
		case a < b:
			return 1
		}
		return 0
	})
	sum, theta := 0.0, 0.0
	for i, v := range falling {
		sum += v
		if at := (sum - n) / float64(i+1); i == 0 || v > at {
			theta = at
		}
	}
	for i := range x {
		x[i] = max(x[i]-theta, 0)
	}
}

// Of is the number of rows of all groups with these levels, one for each of By; "" stands for every level. Errors wrap [stage.ErrColumn].
func (t TableTotals) Of(levels ...string) (float64, error) {
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
			total, found = total+t.Counts[g], true
		}
	}
	if !found {
		return 0, fmt.Errorf("dpkit: totals: got levels %q, want levels of %q: %w", levels, t.By, stage.ErrColumn)
	}
	return total, nil
}

// String is the totals as text: of many groups the first ones.
func (t TableTotals) String() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, strings.Join(append(slices.Clone(t.By), "rows"), "\t"))
	for g, levels := range t.Groups[:min(len(t.Groups), shownGroups)] {
		fmt.Fprintln(w, strings.Join(append(slices.Clone(levels), fmt.Sprintf("%.6g", t.Counts[g])), "\t"))
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

// Gota is the totals as a gota frame, a row for each group: a column for each of By, "rows", and what the table's release promises, as
// Estimates.Gota has it.
func (t TableTotals) Gota() dataframe.DataFrame {
	columns := groupColumns(t.By, t.Groups)
	return origin.Gota(t.Provenance, append(columns, origin.Numbers("rows", t.Counts))...)
}
