package perinstance

import (
	"fmt"

	"github.com/dpkit-go/dpnb/viz"
)

// SweepFigure plots the largest loss over the records and the largest bounds, with two standard errors around each mean.
func SweepFigure(title, note, axis string, points []Sweep) viz.View {
	band := func(name string, get func(Sweep) (m, se float64)) viz.Series {
		s := viz.Series{Name: name}
		for _, p := range points {
			m, se := get(p)
			s.X, s.Y = append(s.X, p.At), append(s.Y, m)
			s.Lo, s.Hi = append(s.Lo, m-2*se), append(s.Hi, m+2*se)
		}
		return s
	}
	return viz.Lines(viz.LineChart{
		Title: title, Note: note, X: viz.Axis{Name: axis, Log: true}, Y: viz.Axis{Name: "largest loss or bound over the records", Unit: "nats"},
		Series: []viz.Series{
			band("true loss", func(p Sweep) (float64, float64) { return p.Loss, p.LossSE }),
			band("bound, independent of the data", func(p Sweep) (float64, float64) { return p.Independent, p.IndependentSE }),
			band("bound, data-dependent (half of the budget)", func(p Sweep) (float64, float64) { return p.Dependent, p.DependSE }),
		},
		Rules: []viz.Rule{{Name: "promised to all: ε = 1", At: 1}},
	})
}

// bars is a summary as a set of a histogram in shares.
func bars(name string, s Summary, records int) viz.HistogramSet {
	set := viz.HistogramSet{Name: name}
	for _, n := range s.Counts {
		set.Counts = append(set.Counts, float64(n)/float64(max(1, records)))
	}
	return set
}

// window is the part of the edges that the sets use.
func window(sets []viz.HistogramSet) ([]float64, []viz.HistogramSet) {
	edges := Edges()
	lo, hi := len(edges)-1, 0
	for _, s := range sets {
		for i, n := range s.Counts {
			if n > 0.0005 {
				lo, hi = min(lo, i), max(hi, i+1)
			}
		}
	}
	if lo >= hi {
		lo, hi = 0, len(edges)-1
	}
	for i := range sets {
		sets[i].Counts = sets[i].Counts[lo:hi]
	}
	return edges[lo : hi+1], sets
}

func histogram(title, axis string, rules []viz.Rule, sets ...viz.HistogramSet) viz.HistogramChart {
	edges, sets := window(sets)
	return viz.HistogramChart{
		Title: title, X: viz.Axis{Name: axis, Log: true}, Y: viz.Axis{Name: "share of records"}, Edges: edges, Sets: sets, Rules: rules,
	}
}

// Losses plots true losses and published bounds of some ways to release, one panel each.
func Losses(title, note string, kinds ...Kind) viz.View {
	var charts []viz.Chart
	for _, k := range kinds {
		var rules []viz.Rule
		name := k.Name
		if k.Epsilon > 0 {
			rules = []viz.Rule{{Name: fmt.Sprintf("promised: ε = %g", k.Epsilon), At: k.Epsilon, Vertical: true}}
		} else {
			name = fmt.Sprintf("%s, σ = %g, Λ = %g", name, k.Sigma, k.Lambda)
		}
		sets := []viz.HistogramSet{bars("true loss", k.Losses, k.Records)}
		if k.Bounds.Counts != nil {
			sets = append(sets, bars("published bound", k.Bounds, k.Records))
		}
		charts = append(charts, histogram(name, "absolute loss, nats", rules, sets...))
	}
	return viz.Panels(title, note, charts...)
}

// Ratios plots bound over true loss, all ways in one panel.
func Ratios(title, note string, kinds ...Kind) viz.View {
	var sets []viz.HistogramSet
	for _, k := range kinds {
		name := k.Name
		if k.Epsilon == 0 {
			name = fmt.Sprintf("σ = %g, Λ = %g", k.Sigma, k.Lambda)
		}
		sets = append(sets, bars(fmt.Sprintf("%s (median %.3g)", name, k.Ratios.Median), k.Ratios, k.Records))
	}
	c := histogram("", "bound / true loss", []viz.Rule{{Name: "exact", At: 1, Vertical: true}}, sets...)
	c.Title, c.Note = title, note
	return viz.Histogram(c)
}

// Table lists the ways to release as text.
func Table(kinds ...Kind) string {
	out := fmt.Sprintf("%-34s %5s %6s %7s %7s  %-21s %8s %8s %8s %7s %7s\n", "release", "ε", "share", "σ", "Λ", "in the report", "loss", "bound", "total", "ratio", "beyond")
	for _, k := range kinds {
		row := func(v float64) string {
			if v == 0 {
				return "–"
			}
			return fmt.Sprintf("%.3g", v)
		}
		out += fmt.Sprintf("%-34s %5s %6s %7s %7s  %-21s %8s %8s %8s %7s %7s\n", k.Name, row(k.Epsilon), row(k.Share), row(k.Sigma), row(k.Lambda), k.Parts,
			row(k.Losses.Median), row(k.Bounds.Median), row(k.Totals.Median), row(k.Ratios.Median), fmt.Sprintf("%.2g%%", 100*k.Beyond))
	}
	return out
}
