package viz

import (
	"fmt"
	"slices"
	"strings"
)

// LineChart is a plot of lines and points: curves with bands (a mean and its confidence interval),
// points with intervals. Series are told apart by colour, dashes and markers.
type LineChart struct {
	Title  string
	Note   string // sentences below the title; in [Panels], below the axes
	X, Y   Axis
	Series []Series
	Rules  []Rule

	warnings []string // of what made the chart
}

// Lines plots a chart of lines and points. The text form draws each of them in a line of characters,
// with its values.
func Lines(c LineChart) View {
	title, note := c.Title, c.Note
	c.Title, c.Note = "", ""
	return alone(c, title, note)
}

func (c LineChart) build() built {
	b := axesPanel{title: clean(c.Title), xAxis: c.X, yAxis: c.Y, rules: slices.Clone(c.Rules)}
	out := built{name: b.title, alarms: slices.Clone(c.warnings)}
	var layers []seriesLayer
	drawn := 0
	for _, s := range c.Series {
		if w := s.wrong(); w != "" {
			out.alarms = append(out.alarms, w)
			continue
		}
		l := seriesLayer{Series: s.clone(), look: referenceLook()}
		if s.Style != ReferenceStyle {
			l.look = lookOf(drawn)
			drawn++
		}
		layers = append(layers, l)
	}
	var xs, ys [][]float64
	for _, l := range layers {
		xs, ys = append(xs, l.X), append(ys, l.Y, l.Lo, l.Hi)
	}
	for _, r := range c.Rules {
		if r.Vertical {
			xs = append(xs, []float64{r.At})
		} else {
			ys = append(ys, []float64{r.At})
		}
	}
	b.x, b.y = scaleOf(c.X, xs...), scaleOf(c.Y, ys...)
	lost := 0
	for _, l := range layers {
		b.layers = append(b.layers, l)
		if len(layers) > 1 || l.Name != "" {
			b.legend = append(b.legend, l.key())
		}
		if !l.gaps {
			lost += l.lost(b.x, b.y)
		}
	}
	if note := clean(c.Note); note != "" {
		b.notes = append(b.notes, note)
	}
	b.notes = append(b.notes, lostNote(lost)...)
	b.text = lineWords(c, b, layers)
	out.panel, out.alt = b, lineAlt(c, layers)
	return out
}

// axesLine names both axes.
func axesLine(title string, x, y Axis) string {
	s := y.label() + " over " + x.label()
	if x.Log || y.Log {
		log := "both logarithmic"
		if !x.Log {
			log = "logarithmic upward"
		} else if !y.Log {
			log = "logarithmic to the right"
		}
		s += ", " + log
	}
	if title != "" {
		return title + ": " + s
	}
	return s
}

func lineAlt(c LineChart, layers []seriesLayer) string {
	var s strings.Builder
	fmt.Fprintf(&s, "Line chart of %s.", axesLine("", c.X, c.Y))
	for i, l := range layers {
		if i == 6 {
			fmt.Fprintf(&s, " And %d more.", len(layers)-i)
			break
		}
		if n := len(l.X); n > 0 {
			name := l.Name
			if name == "" {
				name = "The line"
			}
			fmt.Fprintf(&s, " %s: from %s to %s.", name, pointWords(c.X, c.Y, l.Series, 0), pointWords(c.X, c.Y, l.Series, n-1))
		}
	}
	for _, r := range c.Rules {
		fmt.Fprintf(&s, " %s", sentence(ruleWords(c.X, c.Y, r)))
	}
	return s.String()
}

func ruleWords(x, y Axis, r Rule) string {
	axis := y
	if r.Vertical {
		axis = x
	}
	return fmt.Sprintf("Line at %s = %s: %s", axis.label(), axis.print(r.At), orDash(clean(r.Name)))
}

func pointWords(x, y Axis, s Series, i int) string {
	return valueOf(y, s, i) + " at " + x.print(s.X[i])
}

// valueOf is the i-th value with its interval.
func valueOf(y Axis, s Series, i int) string {
	v := y.print(s.Y[i])
	if s.Lo != nil {
		v += " [" + y.print(s.Lo[i]) + ", " + y.print(s.Hi[i]) + "]"
	}
	return v
}

// lineWords are the words that stand for a chart: every series drawn in characters, and where all of them
// have the same x values a table of some of them.
func lineWords(c LineChart, b axesPanel, layers []seriesLayer) []block {
	shared := len(layers) > 0 && len(layers) <= maxColumns
	for _, l := range layers {
		shared = shared && len(l.X) > 0 && slices.Equal(l.X, layers[0].X)
	}
	x := b.x // characters are few: none are lost on margins
	var xs [][]float64
	for _, l := range layers {
		xs = append(xs, l.X)
	}
	if lo, hi := reach(x.log, xs...); lo < hi && c.X.Range == [2]float64{} {
		x.lo, x.hi = lo, hi
	}
	g := grid{
		Caption: axesLine(b.title, c.X, c.Y),
		Columns: []column{{Head: "series"}, {Head: fmt.Sprintf("from %s to %s", c.X.print(x.lo), c.X.print(x.hi)), Least: sparkCells}},
	}
	if !shared {
		g.Columns = append(g.Columns, column{Head: "first"}, column{Head: "last"})
	}
	for _, l := range layers {
		row := []string{orDash(l.Name), spark(l.Series, x, b.y)}
		if !shared {
			first, last := "–", "–"
			if n := len(l.X); n > 0 {
				first, last = pointWords(c.X, c.Y, l.Series, 0), pointWords(c.X, c.Y, l.Series, n-1)
			}
			row = append(row, first, last)
		}
		g.Rows = append(g.Rows, row)
	}
	out := []block{g}
	if shared {
		t := grid{Columns: []column{{Head: c.X.label(), Right: true}}}
		for _, l := range layers {
			head := l.Name
			if head == "" {
				head = c.Y.label()
			}
			t.Columns = append(t.Columns, column{Head: head, Right: true})
		}
		for _, i := range some(len(layers[0].X)) {
			row := []string{c.X.print(layers[0].X[i])}
			for _, l := range layers {
				row = append(row, valueOf(c.Y, l.Series, i))
			}
			t.Rows = append(t.Rows, row)
		}
		out = append(out, t)
	}
	for _, r := range c.Rules {
		out = append(out, para{ruleWords(c.X, c.Y, r)})
	}
	for _, n := range b.notes {
		out = append(out, para{n})
	}
	return out
}

const (
	maxColumns = 4 // series whose values fit a table
	maxRows    = 9 // values that such a table shows
)

// some are up to maxRows indices below n, evenly spaced, the first and the last among them.
func some(n int) []int {
	k := min(n, maxRows)
	out := make([]int, k)
	for i := range out {
		if k > 1 {
			out[i] = i * (n - 1) / (k - 1)
		}
	}
	return out
}
