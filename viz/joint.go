package viz

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/dpkit/cost"
)

// jointGrid is the cost of plans that are released together: a row for each, with its part.
func jointGrid(c dpkit.Cost) grid {
	g := grid{
		Columns: []column{
			{Head: "#", Right: true},
			{Head: "plan", Least: 28},
			{Head: "weight", Right: true},
			{Head: "part", Least: 18},
			{Head: "scope", Least: 13},
			{Head: "noise", Least: 22},
			{Head: "predicted error, 95 %", Least: 20},
		},
	}
	for i, m := range c.Members {
		p := m.Cost.Guarantee
		part := fmt.Sprintf("%s %%\nalone ε = %s, δ = %s", near(100*m.Share), up(p.Epsilon), up(p.Delta))
		if m.Mu > 0 {
			part += "\nμ = " + up(m.Mu)
		}
		noise := clean(m.Cost.Release.Event) + "\n" + sensitivity(m.Cost)
		for _, s := range m.Cost.Steps {
			noise += queryLines(s.Queries)
		}
		g.Rows = append(g.Rows, []string{strconv.Itoa(i + 1), clean(m.Plan), near(m.Weight), part, scopeWords(costGuarantee(m.Cost).Scope), noise, errorLines(m.Error)})
	}
	return g
}

// errorLines are a few margins of a prediction, the first ones.
func errorLines(p cost.Prediction) string {
	if p.Of == "" {
		return "not predicted"
	}
	const shown = 4
	var lines []string
	for i, m := range p.Margin[:min(shown, len(p.Margin))] {
		line := "± " + up(m)
		if i < len(p.Names) {
			line = clean(p.Names[i]) + ": " + line
		}
		lines = append(lines, line)
	}
	if more := len(p.Margin) - shown; more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(append(lines, clean(p.Of)), "\n")
}

// jointValues are the values of plans that were released together: what each printed, under one guarantee.
func jointValues(v any) (facts, bool) {
	j, ok := v.(dpkit.Joint)
	if !ok {
		return nil, false
	}
	var out facts
	for i, r := range j.Results() {
		f := fact{Name: fmt.Sprintf("%d. %s", i+1, clean(r.Cost.Release.Name))}
		if r.Cost.Release.Name == "" {
			f.Name = strconv.Itoa(i+1) + "."
		}
		if r.Refused != "" {
			f.Value, f.Alarm = "refused: the test did not pass ("+clean(r.Refused)+"); it was paid for, and there is no value", true
			out = append(out, f)
			continue
		}
		out = append(out, valueFacts(f, fmt.Sprintf("%d. counted", i+1), r.Value)...)
	}
	return out, true
}
