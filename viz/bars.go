package viz

import (
	"fmt"
	"slices"

	"github.com/dpkit-go/dpnb/viz/internal/theme"
)

// BarChart is a plot of horizontal bars with intervals, for values that have names instead of numbers.
type BarChart struct {
	Title string
	Note  string
	Axis  Axis // of the values; its Log and Range do not apply, as a bar begins at 0
	Bars  []Bar
}

// Bar is one value.
type Bar struct {
	Label  string
	Value  float64
	Lo, Hi float64 // its interval; none where they are equal
	Kind   string  // bars of one kind have one colour, and the legend names it; "" for none
}

// Bars plots named values, one below the other.
func Bars(c BarChart) View {
	title, note := c.Title, c.Note
	c.Title, c.Note = "", ""
	return alone(c, title, note)
}

func (c BarChart) build() built {
	p := barPanel{Title: clean(c.Title), Axis: c.Axis.label(), Note: clean(c.Note)}
	out := built{name: p.Title, alt: "Bar chart of " + sentence(p.Axis)}
	var kinds []string
	for _, b := range c.Bars {
		if b.Kind != "" && !slices.Contains(kinds, b.Kind) {
			kinds = append(kinds, b.Kind)
			l := lookOf(len(kinds) - 1)
			l.box, l.solid, l.dashes = true, true, nil
			p.Keys = append(p.Keys, key{name: clean(b.Kind), look: l})
		}
		colour := lookColours[max(0, slices.Index(kinds, b.Kind))%len(lookColours)]
		row := bar{Label: clean(b.Label), End: c.Axis.print(b.Value), Spans: []span{{To: finite(b.Value), Color: theme.RGB(colour)}}}
		if b.Lo < b.Hi {
			row.End += " [" + c.Axis.print(b.Lo) + ", " + c.Axis.print(b.Hi) + "]"
			row.Whisk = whisker(b.Lo, b.Hi)
		}
		if b.Kind != "" {
			row.Kind = clean(b.Kind)
		}
		p.Bars = append(p.Bars, row)
	}
	for i, b := range p.Bars {
		if i == 8 {
			out.alt += fmt.Sprintf(" And %d more.", len(p.Bars)-i)
			break
		}
		out.alt += fmt.Sprintf(" %s: %s.", b.Label, b.End)
	}
	out.panel = p
	return out
}
