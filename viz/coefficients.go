package viz

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/dpkit"
)

// Coefficients plots the released coefficients of the largest magnitude, at most top of them; all
// if top < 1. The plot does not know how the model came about: show [Result] beside it.
func Coefficients(m dpkit.LogisticModel, top int) View {
	order := make([]int, min(len(m.Coef), len(m.Columns)))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(math.Abs(m.Coef[j]), math.Abs(m.Coef[i])) })
	all := len(order)
	if top >= 1 {
		order = order[:min(top, all)]
	}
	outcome := clean(m.Label) + " = " + clean(m.Classes[1])
	p := barPanel{Title: "Toward " + outcome + " on the right, away from it on the left", Axis: "change of the log-odds per unit of the encoded, scaled column"}
	for _, i := range order {
		colour := uint32(blue)
		if m.Coef[i] < 0 {
			colour = vermillion
		}
		p.Bars = append(p.Bars, bar{
			Label: clean(m.Columns[i]), End: near(m.Coef[i]),
			Spans: []span{{To: finite(m.Coef[i]), Color: rgb(colour)}},
		})
	}
	title := fmt.Sprintf("Coefficients of the logistic model of %s", outcome)
	note := fmt.Sprintf("The largest %d of %d by magnitude; intercept %s.", len(order), all, near(m.Intercept))
	v := View{
		title:  title,
		fig:    &figure{Title: title, Notes: []string{note}, Panels: []barPanel{p}},
		blocks: []block{para{note}, p.grid()},
		alt:    "Horizontal bar chart. " + title + ". " + note,
	}
	for _, b := range p.Bars[:min(5, len(p.Bars))] {
		v.alt += fmt.Sprintf(" %s: %s.", b.Label, b.End)
	}
	return v
}
