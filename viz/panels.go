package viz

import (
	"slices"
	"strings"
)

// Chart is a plot of values that were released or are public: a [LineChart], a [HistogramChart] or a
// [BarChart]. It draws what it is given: private rows have no business here.
type Chart interface{ build() built }

// built is a chart, checked and measured.
type built struct {
	panel  panel
	name   string   // of the chart
	alt    string   // what it shows, in sentences
	alarms []string // what is wrong with it
}

// Panels plots several charts as one figure, two side by side where their kind allows, below a title
// and the sentences of a note. A legend that all of them share is drawn once.
func Panels(title, note string, charts ...Chart) View {
	title = clean(title)
	f := &figure{Title: title}
	v := View{title: title, fig: f, alt: sentence(title)}
	if note = clean(note); note != "" {
		f.Notes = []string{note}
		v.blocks = append(v.blocks, para{note})
		v.alt += " " + sentence(note)
	}
	for _, c := range charts {
		if c == nil {
			continue
		}
		b := c.build()
		f.Panels = append(f.Panels, b.panel)
		for _, a := range b.alarms {
			if !slices.Contains(f.Alarms, a) {
				f.Alarms = append(f.Alarms, a)
				v.blocks = append(v.blocks, banner{"WRONG INPUT", a})
			}
		}
		v.blocks = append(v.blocks, b.panel.words()...)
		if b.name != "" && b.name != title {
			v.alt += " " + sentence(b.name)
		}
		v.alt += " " + b.alt
	}
	f.shareLegend()
	if len(f.Panels) == 0 {
		v.blocks = append(v.blocks, para{"(nothing to plot)"})
	}
	v.alt = strings.TrimSpace(v.alt)
	return v
}

// alone is a chart with a figure to itself: its title is the figure's.
func alone(c Chart, title, note string) View { return Panels(title, note, c) }

// shareLegend draws one legend above the panels if all have the same.
func (f *figure) shareLegend() {
	if len(f.Panels) < 2 {
		return
	}
	var all []key
	for i, b := range f.Panels {
		a, ok := b.(axesPanel)
		if !ok || len(a.legend) == 0 || i > 0 && !sameKeys(all, a.legend) {
			return
		}
		all = a.legend
	}
	f.Keys = all
	for i, b := range f.Panels {
		a := b.(axesPanel)
		a.legend = nil
		f.Panels[i] = a
	}
}

func sameKeys(a, b []key) bool {
	return slices.EqualFunc(a, b, func(a, b key) bool {
		return a.name == b.name && a.look.colour == b.look.colour && a.look.shape == b.look.shape && a.line == b.line && a.marker == b.marker && a.look.box == b.look.box
	})
}

// sentence ends s as one.
func sentence(s string) string {
	if s == "" || strings.HasSuffix(s, ".") || strings.HasSuffix(s, "?") {
		return s
	}
	return s + "."
}
