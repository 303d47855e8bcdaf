package viz

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/viz/internal/theme"
)

// Groups shows a released table of statistics by groups, each number with the interval that holds the exact one with probability 95 %:
// privacy noise alone, not sampling. By one column it is bars with whiskers, or a line with a band where its levels stand in an order, as
// bins do; by two a heat map, one panel for each statistic; by none or more, or with more groups than a picture has room for, the table
// alone, of whose groups the first ones are shown. A statistic of which the noise leaves nothing known, because its group may have no
// rows, is shown as the interval alone. A quantile that no other one of the table bounds says within how many rows of its group its rank
// is. The text form is the table, in the order of its groups: [dpkit.Table.SortedBy] makes another. The HTML form has the table in the order of each
// statistic too, folded. In a notebook a picture is a PNG image, which has none of them.
func Groups(t dpkit.Table) View {
	g, err := groupedOf(t)
	if err != nil {
		return View{title: "Table", blocks: []block{para{"This table is incomplete: its groups, numbers and noise do not fit together."}}}.promising(t.Provenance)
	}
	holds := exactOf(t.Provenance, g.intervals())
	v := View{title: g.title(), blocks: slices.Concat(g.table(), g.sorted())}
	if holds != "" {
		v.blocks = append([]block{para{holds}}, v.blocks...)
	}
	var says []string
	for _, s := range g.stats {
		if s.says != "" {
			says = append(says, s.name+": "+s.says)
			v.blocks = append(v.blocks, para{says[len(says)-1]})
		}
	}
	if holds == "" { // ranks stand in their place
		holds = strings.Join(says, " ")
	}
	dropped := t.DroppedWords()
	if dropped != "" {
		dropped = strings.ToUpper(dropped[:1]) + dropped[1:] + "."
		v.blocks = append(v.blocks, para{dropped})
	}
	if t.Threshold > 0 {
		v.blocks = append(v.blocks, para{fmt.Sprintf("Groups were found, with noise: those in which fewer than %.4g people came out are left out, and how many those are is not told.", t.Threshold)})
	}
	panels, kind := g.bars(), "Horizontal bar chart. "
	switch {
	case len(t.By) == 2:
		panels, kind = g.maps(), "Heat map. "
	case len(t.By) == 1 && slices.Contains(t.Ordered, t.By[0]):
		panels, kind = g.lines(), "Line chart. "
	}
	if len(panels) > 0 {
		v.fig = &figure{Title: v.title, Notes: []string{holds}, Panels: panels}
		v.alt = kind + v.title + ". " + holds + g.alt()
		if dropped != "" {
			v.fig.Notes, v.alt = append(v.fig.Notes, dropped), v.alt+" "+dropped
		}
	}
	return v.promising(t.Provenance)
}

// grouped95 says what the intervals are; see [exactOf].
const grouped95 = "Intervals hold " + exactNumber + " of a group with probability 95 % each; they cover the privacy noise."

// intervals says what the intervals of a table hold; "" where it shows none.
func (g grouped) intervals() string {
	quantiles, closed := len(g.stats) > 0, false
	for _, s := range g.stats {
		quantiles = quantiles && s.of == "quantile"
		closed = closed || slices.ContainsFunc(s.cells, func(c dpkit.TableCell) bool { return !math.IsNaN(c.Low) })
	}
	switch {
	case !quantiles:
		return grouped95
	case !closed:
		return ""
	}
	of := exactNumber + " of a group"
	return strings.Replace(grouped95, of, "the exact quantile of "+strings.TrimPrefix(exactOf(g.Provenance, of), exactNumber+" of "), 1)
}

// missingLevel is that of rows without a level of an ordered column: it stands nowhere in the order.
const missingLevel = "(missing)"

const (
	tableGroups = 50 // groups that a table shows
	tableBars   = 60 // bars of a picture, all statistics together
	tableAcross = 12 // levels side by side in a heat map
	tableDown   = 30 // levels below each other
)

// grouped is a table with its statistics read.
type grouped struct {
	dpkit.Table
	stats []grouping
}

// grouping is a statistic of every group.
type grouping struct {
	name    string
	of      string // "count", "sum", "mean" or "share"
	cells   []dpkit.TableCell
	unknown []bool // nothing is known of it but its bounds
	ranks   string // of a quantile, in place of intervals that tell nothing, whose ends are NaN
	says    string // what ranks means; "" where every interval tells something
}

func groupedOf(t dpkit.Table) (grouped, error) {
	out := grouped{Table: t}
	parts := t
	parts.Provenance = dpkit.Provenance{} // an unsound promise stands out by itself
	if err := parts.Check(); err != nil {
		return out, err
	}
	for _, s := range t.Of {
		cells, err := t.Column(s.String(), 0.95)
		if err != nil {
			return out, err
		}
		g := grouping{name: clean(s.String()), of: s.Of, cells: cells, unknown: make([]bool, len(cells))}
		k := slices.IndexFunc(t.Measures, func(m dpkit.TableMeasure) bool {
			return m.Column == s.Column && m.Level == s.Level && (!m.PerPerson || m.Lo == s.Lo && m.Hi == s.Hi)
		})
		margin := 0.0
		var q dpkit.TableQuantile
		if s.Of == "quantile" {
			q = t.Quantiles[slices.IndexFunc(t.Quantiles, func(q dpkit.TableQuantile) bool { return q.Column == s.Column && q.Q == s.Q })]
			if margin, err = q.RankMargin(0.95); err != nil {
				return out, err
			}
			if g.ranks = "within " + plural(int(math.Ceil(margin)), "row"); q.Rate == 0 {
				g.ranks = ""
			}
		}
		for i, c := range cells {
			switch s.Of {
			case "mean", "share", "mean total":
				m := t.Measures[k]
				ulps := 1e-9 * (m.Hi - m.Lo)
				g.unknown[i] = m.Lo < m.Hi && c.Low <= m.Lo+ulps && c.High >= m.Hi-ulps
			case "variance", "standard deviation":
				most := (t.Measures[k].Hi - t.Measures[k].Lo) / 2
				if s.Of == "variance" {
					most *= most
				}
				g.unknown[i] = most > 0 && c.Low <= 1e-9*most && c.High >= most*(1-1e-9)
			case "quantile": // every rank of the group is within the margin
				g.unknown[i] = q.Rate > 0 && len(t.Counts) > 0 && t.Counts[i] <= margin
				if !(c.Low > q.Lo) && !(c.High < q.Hi) {
					cells[i].Low, cells[i].High = math.NaN(), math.NaN()
					g.says = q.InWords()
				}
			}
		}
		out.stats = append(out.stats, g)
	}
	return out, nil
}

// title names what is in the table.
func (g grouped) title() string {
	var names []string
	for _, s := range g.stats {
		names = append(names, s.name)
	}
	title := "Released table"
	if len(names) > 0 {
		title += ": " + strings.Join(names, ", ")
	}
	if len(g.By) > 0 {
		last := len(g.By) - 1
		title += " by " + strings.TrimPrefix(strings.Join(cleanAll(g.By[:last]), ", ")+" and "+clean(g.By[last]), " and ")
	}
	return title
}

// value is the number of a group; – where nothing is known of it.
func (s grouping) value(i int) string {
	if s.unknown[i] {
		return "–"
	}
	return toMargin(s.cells[i].Value, s.margin(i))
}

// interval is that of 0.95.
func (s grouping) interval(i int) string {
	c := s.cells[i]
	open := math.IsNaN(c.Low)
	switch {
	case open && s.unknown[i], c.Low == c.High:
		return ""
	case open:
		return s.ranks
	case s.unknown[i]:
		return "[" + near(c.Low) + ", " + near(c.High) + "]"
	}
	return "[" + toMargin(c.Low, s.margin(i)) + ", " + toMargin(c.High, s.margin(i)) + "]"
}

// margin says how many digits are worth printing.
func (s grouping) margin(i int) float64 {
	c := s.cells[i]
	if s.of == "quantile" { // whose interval may reach to one bound of its column
		if near := min(c.Value-c.Low, c.High-c.Value); near > 0 {
			return near
		}
		return math.Abs(c.Value) / 100
	}
	return (c.High - c.Low) / 2
}

// group is the name of a group.
func (g grouped) group(i int) string {
	if len(g.By) == 0 {
		return "all rows"
	}
	return strings.Join(cleanAll(g.Groups[i]), ", ")
}

// table has a row for each group, of the first groups.
func (g grouped) table() []block {
	var out grid
	for _, name := range g.By {
		out.Columns = append(out.Columns, column{Head: clean(name)})
	}
	apart := len(g.By)+2*len(g.stats) <= 8 // fits a line of text
	for _, s := range g.stats {
		out.Columns = append(out.Columns, column{Head: s.name, Right: true})
		if apart {
			out.Columns = append(out.Columns, column{Head: "95 %", Right: true})
		}
	}
	for i := range g.Groups[:min(len(g.Groups), tableGroups)] {
		out.Rows = append(out.Rows, g.row(i, apart))
	}
	if more := len(g.Groups) - tableGroups; more > 0 {
		return []block{out, para{fmt.Sprintf("And %s more: Gota and WriteCSV have all.", plural(more, "group"))}}
	}
	return []block{out}
}

// row is that of a group; apart says that intervals have columns of their own.
func (g grouped) row(i int, apart bool) []string {
	row := cleanAll(g.Groups[i])
	for _, s := range g.stats {
		if apart {
			row = append(row, s.value(i), s.interval(i))
		} else {
			row = append(row, strings.TrimSpace(s.value(i)+" "+s.interval(i)))
		}
	}
	return row
}

// bars are a panel for each statistic of groups by one column; none where they are too many.
func (g grouped) bars() []panel {
	if len(g.By) != 1 || len(g.Groups) == 0 || len(g.Groups) > manyBars || len(g.Groups)*len(g.stats) > tableBars {
		return nil
	}
	var out []panel
	for k, s := range g.stats {
		p := barPanel{Title: s.name + " by " + clean(g.By[0]), Axis: s.name}
		for i, c := range s.cells {
			b := bar{Label: g.group(i), End: strings.TrimSpace(s.value(i) + " " + s.interval(i)), Whisk: whisker(c.Low, c.High)}
			if !s.unknown[i] {
				b.Spans = []span{{To: finite(c.Value), Color: theme.RGB(lookColours[k%len(lookColours)])}}
			}
			p.Bars = append(p.Bars, b)
		}
		out = append(out, p)
	}
	return out
}

// lines are a panel for each statistic of groups by one column whose levels stand in an order.
func (g grouped) lines() []panel {
	const most = 400
	if len(g.Groups) == 0 || len(g.Groups) > most || len(g.stats) > manyBars {
		return nil
	}
	var out []panel
	for _, s := range g.stats {
		c := LineChart{Title: s.name + " by " + clean(g.By[0]), X: Axis{Name: g.By[0], whole: true}, Y: Axis{Name: s.name}}
		line := Series{gaps: true}
		for i, cell := range s.cells {
			name := g.group(i)
			if name == missingLevel {
				c.Note = strings.TrimSpace(fmt.Sprintf("Of rows without a level: %s %s", s.value(i), s.interval(i))) + "."
				continue
			}
			c.X.names = append(c.X.names, name)
			if s.unknown[i] {
				cell = dpkit.TableCell{Value: math.NaN(), Low: math.NaN(), High: math.NaN()}
			}
			line.X, line.Y = append(line.X, float64(len(line.X))), append(line.Y, cell.Value)
			line.Lo, line.Hi = append(line.Lo, cell.Low), append(line.Hi, cell.High)
		}
		if s.of == "quantile" && slices.ContainsFunc(line.Lo, math.IsNaN) {
			if !slices.ContainsFunc(line.Lo, func(v float64) bool { return !math.IsNaN(v) }) {
				line.Lo, line.Hi = nil, nil
			}
			if c.Note == "" && s.ranks != "" {
				c.Note = "Ranks are " + s.ranks + " of a group, with probability 95 %."
			}
		}
		c.X.Range = [2]float64{-0.5, float64(len(line.X)) - 0.5}
		c.Series = []Series{line}
		out = append(out, c.build().panel)
	}
	return out
}

// alt says of each statistic where it is largest and smallest.
func (g grouped) alt() string {
	var b strings.Builder
	for _, s := range g.stats {
		lo, hi := -1, -1
		for i, c := range s.cells {
			if s.unknown[i] {
				continue
			}
			if lo < 0 || c.Value < s.cells[lo].Value {
				lo = i
			}
			if hi < 0 || c.Value > s.cells[hi].Value {
				hi = i
			}
		}
		if lo < 0 {
			fmt.Fprintf(&b, " %s: unknown in every group.", s.name)
			continue
		}
		fmt.Fprintf(&b, " %s: largest in %s, %s %s; smallest in %s, %s %s.", s.name,
			g.group(hi), s.value(hi), s.interval(hi), g.group(lo), s.value(lo), s.interval(lo))
	}
	return b.String()
}
