package viz

import (
	"fmt"

	"github.com/dpkit-go/dpnb/dpkit"
)

// correlation95 says what the intervals are.
const correlation95 = "Brackets: 95 % intervals over the privacy noise, each by itself."

// correlationAcross is how many columns a heat map of correlations has room for.
const correlationAcross = 10

// Correlation shows released correlations as a heat map of their lower triangle with the number and its 95 % interval in each cell, of at most 10 columns, and
// as a table with the covariances. A cell without colour is one whose sign the noise leaves open. The picture says what the release promises.
func Correlation(m dpkit.CorrelationMatrix) View {
	title := fmt.Sprintf("Correlations of %s", plural(len(m.Columns), "column"))
	parts := m
	parts.Provenance = dpkit.Provenance{} // an unsound promise stands out by itself
	if parts.Check() != nil {
		return View{title: title, blocks: []block{para{"This matrix is incomplete: its columns, bounds and moments do not fit together."}}}.promising(m.Provenance)
	}
	h := heatPanel{title: "Correlation", lo: -1, hi: 1, zero: true, says: "Blue: both rise together. Red: one falls where the other rises. Stronger colour is farther from 0."}
	out := grid{Columns: []column{{Head: "of"}, {Head: "with"}, {Head: "correlation", Right: true}, {Head: "95 %", Right: true}, {Head: "covariance", Right: true}, {Head: "95 %", Right: true}}}
	d, open, pairs := len(m.Columns), 0, 0
	for j := 1; j < d; j++ {
		h.rows, h.columns = append(h.rows, clean(m.Columns[j])), append(h.columns, clean(m.Columns[j-1]))
		row := make([]heatCell, d-1)
		for k := range row {
			row[k].blank = k >= j
		}
		for k := range j {
			r, err := m.Correlation(m.Columns[j], m.Columns[k], 0.95)
			v, verr := m.Covariance(m.Columns[j], m.Columns[k], 0.95)
			if err != nil || verr != nil {
				continue
			}
			pairs++
			c := heatCell{value: r.Value, text: fixed2(r.Value), interval: "[" + fixed2(r.Low) + ", " + fixed2(r.High) + "]", within: fixed2(r.Low) + "…" + fixed2(r.High)}
			if r.Low == r.High { // of public rows
				c.interval = ""
			}
			if r.Low <= 0 && r.High >= 0 && r.Low < r.High {
				c.unknown, open = true, open+1
			}
			if r.Low <= -1 && r.High >= 1 {
				c.text = "–"
			}
			row[k] = c
			out.Rows = append(out.Rows, []string{clean(m.Columns[j]), clean(m.Columns[k]), c.text, c.interval, near(v.Value), "[" + near(v.Low) + ", " + near(v.High) + "]"})
		}
		h.cells = append(h.cells, row)
	}
	note := correlation95
	if open > 0 {
		h.says += " No colour: the interval holds 0, and the sign is not known."
		note += fmt.Sprintf(" Of %s the sign is not known.", plural(open, "pair"))
	}
	v := View{title: title, blocks: []block{para{note}, out}}
	if d <= correlationAcross {
		v.fig = &figure{Title: title, Notes: []string{note}, Panels: []panel{h}}
		v.alt = "Heat map. " + title + ". " + note
		for _, r := range out.Rows {
			v.alt += " " + r[0] + " with " + r[1] + ": " + r[2] + " " + r[3] + "."
		}
	}
	return v.promising(m.Provenance)
}

// fixed2 has two digits behind the point, and a minus sign that is one.
func fixed2(v float64) string {
	s := fmt.Sprintf("%.2f", v)
	if s == "-0.00" {
		return "0.00"
	}
	if v < 0 {
		return "−" + s[1:]
	}
	return s
}
