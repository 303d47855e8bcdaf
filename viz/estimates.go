package viz

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/viz/internal/theme"
)

// Estimates plots released means or counts as bars, each with the interval that holds the exact
// statistic with probability 95 %: privacy noise alone, not sampling. Released
// estimates say what they promise.
func Estimates(e dpkit.Estimates) View {
	margin, err := e.Margin(0.95)
	low, high, _ := e.Interval(0.95) // of the same level
	if err != nil || len(e.Values) != len(e.Names) || len(margin) != len(e.Names) {
		return View{title: "Estimates", blocks: []block{para{"These estimates are incomplete: names, values and noise differ in number."}}}
	}
	title, whiskers := "Released "+clean(e.Of)+"s", exactOf(e.Provenance, whiskers)
	if h, ok := binned(e, margin); ok {
		return alone(h, title, whiskers).promising(e.Provenance)
	}
	p := barPanel{Title: whiskers, Axis: clean(e.Of)}
	for i, name := range e.Names {
		v := e.Values[i]
		b := bar{
			Label: clean(name),
			End:   toMargin(e.Values[i], margin[i]) + " ± " + near(margin[i]),
			Spans: []span{{To: finite(v), Color: theme.RGB(theme.Blue)}},
			Whisk: whisker(low[i], high[i]),
		}
		p.Bars = append(p.Bars, b)
	}
	panels := []panel{p}
	if e.Of != "count" { // counts have one unit
		panels = p.parted()
	}
	v := View{
		title:  title,
		fig:    &figure{Title: title, Panels: panels},
		blocks: []block{p.grid()},
		alt:    "Horizontal bar chart. " + title + ", with 95 % intervals of the privacy noise.",
	}
	for _, b := range p.Bars[:min(5, len(p.Bars))] {
		v.alt += fmt.Sprintf(" %s: %s.", b.Label, b.End)
	}
	return v.promising(e.Provenance)
}

// whiskers says what the intervals of [Estimates] are.
const whiskers = "Whiskers: the interval that holds " + exactNumber + " with probability 95 %"

// toMargin prints v with as many digits as its margin m makes meaningful, and two more.
func toMargin(v, m float64) string {
	if !(m > 0) || math.IsInf(m, 1) {
		return near(v)
	}
	decimals := 1 - int(math.Floor(math.Log10(m)))
	return strings.Replace(strconv.FormatFloat(v, 'f', max(0, min(decimals, 12)), 64), "-", "−", 1)
}
