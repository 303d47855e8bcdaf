package viz

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/dpkit-go/dpnb/viz/internal/theme"
)

// HistogramChart is a plot of counts, or of shares or densities, in the bins between Edges. The counts are
// the caller's: made of public values, or released by a DP histogram, whose noise can make them negative.
type HistogramChart struct {
	Title string
	Note  string // sentences below the title; in [Panels], below the axes
	X, Y  Axis
	Edges []float64 // increasing; one more than each set has counts
	Sets  []HistogramSet
	Rules []Rule

	names []string // of the bins, where those at the ends are open; nil for none
}

// HistogramSet is one set of counts; several are drawn over each other.
type HistogramSet struct {
	Name   string
	Counts []float64
	Lo, Hi []float64 // the interval of each count; nil for none
}

// Histogram plots counts over the bins of one variable.
func Histogram(c HistogramChart) View {
	title, note := c.Title, c.Note
	c.Title, c.Note = "", ""
	return alone(c, title, note)
}

func (c HistogramChart) wrong() []string {
	var out []string
	for i := 1; i < len(c.Edges); i++ {
		if !(c.Edges[i] > c.Edges[i-1]) {
			return []string{fmt.Sprintf("the histogram is not drawn: edge %d is not above the one before it, want increasing edges", i+1)}
		}
	}
	for _, s := range c.Sets {
		switch bins := len(c.Edges) - 1; {
		case len(s.Counts) != bins:
			out = append(out, fmt.Sprintf("the set %q is not drawn: got %d counts for %d edges, want one fewer than edges", clean(s.Name), len(s.Counts), len(c.Edges)))
		case (s.Lo != nil || s.Hi != nil) && (len(s.Lo) != bins || len(s.Hi) != bins):
			out = append(out, fmt.Sprintf("the set %q is not drawn: got intervals of %d lower and %d upper ends around %d counts", clean(s.Name), len(s.Lo), len(s.Hi), bins))
		}
	}
	return out
}

func (c HistogramChart) build() built {
	b := axesPanel{title: clean(c.Title), xAxis: c.X, yAxis: c.Y, rules: slices.Clone(c.Rules)}
	out := built{name: b.title, alarms: c.wrong()}
	c.Edges = slices.Clone(c.Edges)
	sets := c.Sets
	if len(out.alarms) > 0 {
		sets = nil
	}
	ys := [][]float64{}
	if !c.Y.Log {
		ys = append(ys, []float64{0})
	}
	for _, s := range sets {
		ys = append(ys, s.Counts, s.Lo, s.Hi)
	}
	x := c.X
	if n := len(c.Edges); n > 1 && x.Range == [2]float64{} {
		x.Range = [2]float64{c.Edges[0], c.Edges[n-1]}
	}
	b.x, b.y = scaleOf(x, c.Edges), scaleOf(c.Y, ys...)
	if c.names != nil && len(c.Edges) > 2 { // the edges that are known
		b.x.marks = c.Edges[1 : len(c.Edges)-1]
	}
	for i, s := range sets {
		l := histogramLayer{edges: c.Edges, look: lookOf(i)}
		l.look.box, l.look.width = true, 1.5*px
		l.Name, l.Counts, l.Lo, l.Hi = clean(s.Name), slices.Clone(s.Counts), slices.Clone(s.Lo), slices.Clone(s.Hi)
		b.layers = append(b.layers, l)
		if len(sets) > 1 || l.Name != "" {
			b.legend = append(b.legend, key{name: l.Name, look: l.look})
		}
	}
	if note := clean(c.Note); note != "" {
		b.notes = append(b.notes, note)
	}
	b.text = c.words(b, sets)
	out.panel, out.alt = b, c.altText(sets)
	return out
}

// fillOpacity lets sets that are drawn over each other show through.
const fillOpacity = 0.3

// histogramLayer draws a set.
type histogramLayer struct {
	HistogramSet
	edges []float64
	look  look
}

func (histogramLayer) under(*pen, area) {}

func (l histogramLayer) draw(p *pen, a area) {
	zero, ok := a.y.at(0)
	if !ok {
		zero = 0 // logarithmic: from the bottom
	}
	var outline []pair
	for i, n := range l.Counts {
		u0, ok0 := a.x.at(l.edges[i])
		u1, ok1 := a.x.at(l.edges[i+1])
		v, ok := a.y.at(n)
		if !ok0 || !ok1 {
			continue
		}
		if !ok {
			v = zero
		}
		p.area(faded(l.look.colour, fillOpacity), a.points(clipArea([]pair{{u0, zero}, {u0, v}, {u1, v}, {u1, zero}})))
		if len(outline) == 0 {
			outline = append(outline, pair{u0, zero})
		}
		outline = append(outline, pair{u0, v}, pair{u1, v})
	}
	if n := len(outline); n > 0 {
		outline = append(outline, pair{outline[n-1].x, zero})
	}
	for _, piece := range clipLine(outline) {
		p.polyline(theme.RGB(l.look.colour), l.look.width, l.look.dashes, a.points(piece))
	}
	l.intervals(p, a)
}

// places are points along the tops.
func (l histogramLayer) places(a area) []pair {
	var out []pair
	for i, n := range l.Counts {
		u0, ok0 := a.x.at(l.edges[i])
		u1, ok1 := a.x.at(l.edges[i+1])
		if v, ok := a.y.at(n); ok && ok0 && ok1 {
			for k := range 9 {
				out = append(out, pair{u0 + float64(k)/8*(u1-u0), v})
			}
		}
	}
	return out
}

func (l histogramLayer) intervals(p *pen, a area) {
	if l.Lo == nil {
		return
	}
	mid := make([]float64, len(l.Counts))
	for i := range mid {
		mid[i] = l.edges[i]/2 + l.edges[i+1]/2
		if a.x.log && l.edges[i] > 0 {
			mid[i] = math.Sqrt(l.edges[i]) * math.Sqrt(l.edges[i+1])
		}
	}
	s := seriesLayer{Series: Series{X: mid, Y: l.Counts, Lo: l.Lo, Hi: l.Hi, Style: PointStyle}, look: l.look}
	s.look.colour = theme.Ink
	s.intervals(p, a)
	if zero, ok := a.y.at(0); ok && zero > 0 && zero < 1 {
		line := a.points([]pair{{0, zero}, {1, zero}})
		p.line(theme.Faint, px, line[0].X, line[0].Y, line[1].X, line[1].Y)
	}
}

// binRows is the number of bins up to which the text form has a line for each.
const binRows = 24

func (c HistogramChart) words(b axesPanel, sets []HistogramSet) []block {
	g := grid{Caption: axesLine(b.title, c.X, c.Y)}
	bins := max(0, len(c.Edges)-1)
	switch {
	case len(sets) == 1 && bins <= binRows:
		g.Columns = []column{{Head: c.X.label()}, {Head: orName(sets[0].Name, c.Y), Right: true}, {Head: "", Least: sparkCells}}
		top := 0.0
		for _, n := range sets[0].Counts {
			top = max(top, finite(n))
		}
		for i, n := range sets[0].Counts {
			v := c.Y.print(n)
			if sets[0].Lo != nil {
				v += " [" + c.Y.print(sets[0].Lo[i]) + ", " + c.Y.print(sets[0].Hi[i]) + "]"
			}
			length := 0
			if top > 0 {
				length = int(math.Round(max(0, finite(n)) / top * sparkCells))
			}
			g.Rows = append(g.Rows, []string{c.bin(i), v, strings.Repeat("█", length)})
		}
	default:
		head := "bins"
		if bins > 0 {
			head = "from " + c.X.print(c.Edges[0]) + " to " + c.X.print(c.Edges[bins])
		}
		g.Columns = []column{{Head: "set"}, {Head: head, Least: sparkCells}, {Head: "total", Right: true}, {Head: "highest"}}
		for _, s := range sets {
			total, at := 0.0, 0
			heights := Series{Style: StepStyle, X: c.Edges, Y: append(slices.Clone(s.Counts), 0)}
			for i, n := range s.Counts {
				total += n
				if n > s.Counts[at] {
					at = i
				}
			}
			highest := "–"
			if bins > 0 {
				highest = c.Y.print(s.Counts[at]) + " in " + c.bin(at)
			}
			g.Rows = append(g.Rows, []string{orDash(clean(s.Name)), spark(heights, b.x, b.y), c.Y.print(total), highest})
		}
	}
	out := []block{g}
	for _, r := range c.Rules {
		out = append(out, para{ruleWords(c.X, c.Y, r)})
	}
	for _, n := range b.notes {
		out = append(out, para{n})
	}
	return out
}

func (c HistogramChart) bin(i int) string {
	if c.names != nil {
		return clean(c.names[i])
	}
	return c.X.print(c.Edges[i]) + " to " + c.X.print(c.Edges[i+1])
}

func orName(name string, y Axis) string {
	if name != "" {
		return clean(name)
	}
	return y.label()
}

func (c HistogramChart) altText(sets []HistogramSet) string {
	s := fmt.Sprintf("Histogram of %s.", axesLine("", c.X, c.Y))
	for i, set := range sets {
		if i == 6 {
			break
		}
		at := 0
		for j, n := range set.Counts {
			if n > set.Counts[at] {
				at = j
			}
		}
		if len(set.Counts) > 0 {
			s += fmt.Sprintf(" %s: highest in %s, %s.", orName(set.Name, c.Y), c.bin(at), c.Y.print(set.Counts[at]))
		}
	}
	return s
}
