package tables

import (
	"fmt"
	"math"
	"slices"

	"github.com/go-gota/gota/series"

	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/sums"
	"github.com/dpkit-go/dpnb/dpkit/internal/origin"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// mostCells is how many numbers a table may have: 2²², which take 32 MiB for each processor while rows are read.
const mostCells = 1 << 22

// groups are the crossings of the levels of some columns, all of them, in the order of the levels: the last column changes fastest.
type groups struct {
	by     []string
	levels [][]string // of each column, "(missing)" last where its cells may miss
	n      int

	ordered []string // columns whose levels stand in an order that means something
}

// groupsOf are the groups by columns of a stage. Errors wrap [stage.ErrColumn], [stage.ErrOrder] or [kind.ErrParameter].
func groupsOf(by []string, st stage.Stage) (g groups, err error) {
	g = groups{by: by, n: 1}
	for i, name := range by {
		c, err := groupColumn(name, by[:i], st)
		if err != nil {
			return g, err
		}
		if c.Kind == frames.KindText {
			return g, fmt.Errorf("column %q has texts that no codebook lists: end with Found(target), which finds them, or put Codebook(%[1]q, levels…) before: %w", name, stage.ErrColumn)
		}
		levels := c.Levels
		if c.Ordered {
			g.ordered = append(g.ordered, name)
		}
		if c.Missing {
			levels = append(levels, sums.MissingLevel)
		}
		if g.levels = append(g.levels, levels); g.n > mostCells/len(levels) {
			return g, fmt.Errorf("by: the crossing has more than %d groups: leave out column %q, or make its levels fewer: %w", mostCells, name, kind.ErrParameter)
		}
		g.n *= len(levels)
	}
	return g, nil
}

// groupColumn is a column that groups may be by, beside others.
func groupColumn(name string, others []string, st stage.Stage) (frames.Column, error) {
	c, ok := st.In.Column(name)
	switch {
	case !ok || c.Kind == frames.KindPerson || c.Kind == frames.KindIgnored:
		return c, domain.UnknownColumn(name, st.In)
	case slices.Contains(others, name):
		return c, fmt.Errorf("column %q twice in By: %w", name, kind.ErrParameter)
	case c.IsDate():
		return c, fmt.Errorf("column %q has days, want public levels: put Calendar(%[1]q, frames.Month) before, and name %q: %w", name, frames.CalendarName(name, frames.Month), stage.ErrColumn)
	case len(c.Levels) == 0 && c.Kind != frames.KindText:
		return c, fmt.Errorf("column %q has numbers, want public levels: put Bin(edges, %[1]q) before, or name a category or a class label, before OneHot: %w", name, stage.ErrColumn)
	//dp:refuses table/group-displaced each common row that differs could change its group
	case st.Taint[name]:
		return c, fmt.Errorf("column %q differs in common rows, and each of them could change its group; put the table before the step that displaces it: %w", name, stage.ErrOrder)
	}
	return c, nil
}

// reader returns the group of a row.
func (g groups) reader(in frames.Schema) func(row []float64, y float64) int {
	type place struct {
		at      int // of the features; -1: the label
		levels  int
		missing int
	}
	places := make([]place, len(g.by))
	for i, name := range g.by {
		at, ok := in.FeatureIndex(name)
		if !ok {
			at = -1
		}
		places[i] = place{at, len(g.levels[i]), len(g.levels[i]) - 1}
	}
	return func(row []float64, y float64) int {
		at := 0
		for _, p := range places {
			code := y
			if p.at >= 0 {
				code = row[p.at]
			}
			k := p.missing
			if !math.IsNaN(code) {
				k = int(code)
			}
			at = at*p.levels + k
		}
		return at
	}
}

// names are the levels of each group, in order.
func (g groups) names() [][]string {
	out := make([][]string, g.n)
	for i := range out {
		out[i] = make([]string, len(g.by))
		for at, c := i, len(g.by)-1; c >= 0; c-- {
			out[i][c] = g.levels[c][at%len(g.levels[c])]
			at /= len(g.levels[c])
		}
	}
	return out
}

// groupColumns are the levels of groups as columns of a gota frame.
func groupColumns(by []string, groups [][]string) (columns []series.Series) {
	for c, name := range by {
		levels := make([]string, len(groups))
		for g := range levels {
			levels[g] = groups[g][c]
		}
		columns = append(columns, origin.Words(name, levels))
	}
	return columns
}
