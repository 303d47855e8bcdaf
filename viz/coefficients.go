package viz

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/dpkit/coefficient"
	"github.com/dpkit-go/dpnb/viz/internal/theme"
)

// Coefficients plots released coefficients with the 95 % intervals of what the noise leaves of them, at most top of them; all if
// top < 1. Coefficients whose sign can be read come first, by magnitude, in colour; the others follow in grey, in the order of the
// model. Where nothing bounds the noise all are grey, and the picture says that signs and sizes cannot be read, and why. It says
// what the model promises, or that it is not private.
func Coefficients(m dpkit.LogisticModel, top int) View {
	outcome := clean(m.Label) + " = " + clean(m.Classes[1])
	return coefficients{
		columns: m.Columns, coef: m.Coef, intercept: m.Intercept, top: top, from: m.Provenance, known: known(m.Uncertainty(0.95)),
		title: "Coefficients of the logistic model of " + outcome,
		panel: "Toward " + outcome + " on the right, away from it on the left",
		axis:  "change of the log-odds per unit of the encoded, scaled column",
	}.view()
}

// LinearCoefficients is [Coefficients] of a linear model.
func LinearCoefficients(m dpkit.LinearModel, top int) View {
	return coefficients{
		columns: m.Columns, coef: m.Coef, intercept: m.Intercept, top: top, from: m.Provenance, known: known(m.Uncertainty(0.95)),
		title: "Coefficients of the linear model of " + clean(m.Label),
		panel: "Raising " + clean(m.Label) + " on the right, lowering it on the left",
		axis:  "change of " + clean(m.Label) + " per unit of the encoded, scaled column",
	}.view()
}

// known is what a model says of its noise; one that is damaged says nothing.
func known(u coefficient.Uncertainty, err error) coefficient.Uncertainty {
	if err != nil {
		u.Reason = "what the model says of its noise is damaged"
	}
	return u
}

// coefficients is the plot of a model's coefficients.
type coefficients struct {
	columns            []string
	coef               []float64
	intercept          float64
	known              coefficient.Uncertainty
	top                int
	from               dpkit.Provenance
	title, panel, axis string
}

// sign is what can be read of a coefficient's sign: of one without noise its own.
func (c coefficients) sign(i int) int {
	if c.known.Reason != "" || i >= len(c.known.Intervals) {
		return 0
	}
	return c.known.Intervals[i].Sign()
}

// order puts first what can be read, by magnitude; what cannot stays as the model has it.
func (c coefficients) order() []int {
	order := make([]int, min(len(c.coef), len(c.columns)))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		a, b := c.sign(i) != 0, c.sign(j) != 0
		switch {
		case a && b:
			return cmp.Compare(math.Abs(c.coef[j]), math.Abs(c.coef[i]))
		case a:
			return -1
		case b:
			return 1
		}
		return 0
	})
	return order
}

func (c coefficients) view() View {
	order := c.order()
	all, read := len(order), 0
	for _, i := range order {
		if c.sign(i) != 0 {
			read++
		}
	}
	if c.top >= 1 {
		order = order[:min(c.top, all)]
	}
	p := barPanel{Title: c.panel, Axis: c.axis}
	if c.known.Reason != "" {
		p.Title = "Released coefficients, whose signs and sizes cannot be read"
	}
	for _, i := range order {
		end, row := near(c.coef[i]), bar{Label: clean(c.columns[i])}
		colour := theme.RGB(theme.Blue)
		switch c.sign(i) {
		case -1:
			colour = theme.RGB(theme.Vermillion)
		case 0:
			colour = faded(theme.Faint, 0.4)
			if read > 0 { // else the note says it of all
				row.Kind = "sign cannot be read"
			}
		}
		if c.known.Reason == "" && i < len(c.known.Intervals) {
			if v := c.known.Intervals[i]; v.Lo < v.Hi {
				end += fmt.Sprintf(" [%s, %s]", near(v.Lo), near(v.Hi))
				row.Whisk = whisker(v.Lo, v.Hi)
			}
		}
		row.End, row.Spans = end, []span{{To: finite(c.coef[i]), Color: colour}}
		p.Bars = append(p.Bars, row)
	}
	notes := c.notes(len(order), all, read)
	v := View{
		title: c.title,
		fig:   &figure{Title: c.title, Notes: notes, Panels: []panel{p}},
		alt:   "Horizontal bar chart. " + c.title + ".",
	}
	for _, n := range notes {
		v.blocks = append(v.blocks, para{n})
		v.alt += " " + n
	}
	v.blocks = append(v.blocks, p.grid())
	for _, b := range p.Bars[:min(5, len(p.Bars))] {
		v.alt += fmt.Sprintf(" %s: %s", b.Label, b.End)
		if b.Kind != "" {
			v.alt += ", " + b.Kind
		}
		v.alt += "."
	}
	return v.promising(c.from)
}

// notes say which coefficients are shown, and what can be read of them.
func (c coefficients) notes(shown, all, read int) []string {
	which := fmt.Sprintf("%d of %d, in the order of the model", shown, all)
	if read > 0 {
		which = fmt.Sprintf("%d of %d: by magnitude the %d whose sign can be read, then the others in grey", shown, all, read)
		if read == all {
			which = fmt.Sprintf("The largest %d of %d by magnitude", shown, all)
		}
	}
	which += fmt.Sprintf("; intercept %s.", near(c.intercept))
	if all == 0 {
		return []string{which}
	}
	return []string{which, clean(c.known.String())}
}
