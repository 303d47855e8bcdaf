package viz

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/viz/internal/theme"
)

// Coefficients plots the released coefficients of the largest magnitude, at most top of them; all
// if top < 1. The picture says what the model promises, or that it is not private.
func Coefficients(m dpkit.LogisticModel, top int) View {
	outcome := clean(m.Label) + " = " + clean(m.Classes[1])
	return coefficients{
		columns: m.Columns, coef: m.Coef, intercept: m.Intercept, top: top, from: m.Provenance,
		title: "Coefficients of the logistic model of " + outcome,
		panel: "Toward " + outcome + " on the right, away from it on the left",
		axis:  "change of the log-odds per unit of the encoded, scaled column",
	}.view()
}

// LinearCoefficients is [Coefficients] of a linear model, with the 95 % intervals of the coefficients that
// the privacy noise leaves, where their law is known.
func LinearCoefficients(m dpkit.LinearModel, top int) View {
	c := coefficients{
		columns: m.Columns, coef: m.Coef, intercept: m.Intercept, top: top, from: m.Provenance,
		title: "Coefficients of the linear model of " + clean(m.Label),
		panel: "Raising " + clean(m.Label) + " on the right, lowering it on the left",
		axis:  "change of " + clean(m.Label) + " per unit of the encoded, scaled column",
	}
	if in, err := m.Intervals(0.95); err == nil {
		c.intervals = in
	}
	return c.view()
}

// coefficients is the plot of a model's coefficients.
type coefficients struct {
	columns            []string
	coef               []float64
	intercept          float64
	intervals          []dpkit.Interval // of each coefficient, if any
	top                int
	from               dpkit.Provenance
	title, panel, axis string
}

func (c coefficients) view() View {
	order := make([]int, min(len(c.coef), len(c.columns)))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(math.Abs(c.coef[j]), math.Abs(c.coef[i])) })
	all := len(order)
	if c.top >= 1 {
		order = order[:min(c.top, all)]
	}
	p := barPanel{Title: c.panel, Axis: c.axis}
	for _, i := range order {
		colour := uint32(theme.Blue)
		if c.coef[i] < 0 {
			colour = theme.Vermillion
		}
		end := near(c.coef[i])
		if i < len(c.intervals) {
			end += fmt.Sprintf(" [%s, %s]", near(c.intervals[i].Lo), near(c.intervals[i].Hi))
		}
		row := bar{
			Label: clean(c.columns[i]), End: end,
			Spans: []span{{To: finite(c.coef[i]), Color: theme.RGB(colour)}},
		}
		if i < len(c.intervals) {
			row.Whisk = whisker(c.intervals[i].Lo, c.intervals[i].Hi)
		}
		p.Bars = append(p.Bars, row)
	}
	note := fmt.Sprintf("The largest %d of %d by magnitude; intercept %s.", len(order), all, near(c.intercept))
	if len(c.intervals) > 0 {
		note += " Whiskers and brackets: 95 % intervals over the privacy noise."
	}
	v := View{
		title:  c.title,
		fig:    &figure{Title: c.title, Notes: []string{note}, Panels: []panel{p}},
		blocks: []block{para{note}, p.grid()},
		alt:    "Horizontal bar chart. " + c.title + ". " + note,
	}
	for _, b := range p.Bars[:min(5, len(p.Bars))] {
		v.alt += fmt.Sprintf(" %s: %s.", b.Label, b.End)
	}
	return v.promising(c.from)
}
