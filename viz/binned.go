package viz

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/dpkit-go/dpnb/dpkit"
)

// andAbove ends the name of the last bin.
const andAbove = " and above"

// binned is the histogram of released counts of the bins that [dpkit.Pipeline.Bin] makes of one number, with their margins; ok is
// false where the counts are of anything else.
func binned(e dpkit.Estimates, margin []float64) (c HistogramChart, ok bool) {
	names, rest := e.Names, ""
	if n := len(names) - 1; n > 0 && strings.HasSuffix(names[n-1], andAbove) { // rows without a value have a count of their own
		rest = fmt.Sprintf(" Beside the bins: %s ± %s of %s.", toMargin(e.Values[n], margin[n]), near(margin[n]), clean(names[n]))
		names = names[:n]
	}
	edges, ok := binEdges(names)
	if !ok || e.Of != "count" {
		return c, false
	}
	e.Values = e.Values[:len(names)]
	set := HistogramSet{Counts: e.Values}
	set.Lo, set.Hi, _ = e.Interval(0.95) // the level of the margins
	last := len(names) - 1
	if !alike(edges) {
		rest += " Heights are counts; the bins differ in width."
	}
	return HistogramChart{
		X: Axis{Name: "value"}, Y: Axis{Name: e.Of}, Edges: edges, Sets: []HistogramSet{set}, names: names,
		Note: fmt.Sprintf("The bins at the ends go on to the column's bounds: %s, and %s.%s", names[0], names[last], rest),
	}, true
}

// binEdges reads the edges back from the names of bins: "below 1", "1 to 3", "3 and above". The bins at the ends, which names leave
// open, are drawn as wide as those beside them.
func binEdges(names []string) ([]float64, bool) {
	n := len(names)
	if n < 3 {
		return nil, false
	}
	first, below := strings.CutPrefix(names[0], "below ")
	top, above := strings.CutSuffix(names[n-1], andAbove)
	if !below || !above {
		return nil, false
	}
	texts := []string{first}
	for _, name := range names[1 : n-1] {
		from, to, found := strings.Cut(name, " to ")
		if !found || from != texts[len(texts)-1] {
			return nil, false
		}
		texts = append(texts, to)
	}
	if top != texts[len(texts)-1] {
		return nil, false
	}
	edges := []float64{0}
	for i, text := range texts {
		v, err := strconv.ParseFloat(text, 64)
		if err != nil || v-v != 0 || i > 0 && !(v > edges[i]) {
			return nil, false
		}
		edges = append(edges, v)
	}
	last := len(edges) - 1
	lo, hi := edges[1]-(edges[2]-edges[1]), edges[last]+(edges[last]-edges[last-1])
	edges[0], edges = lo, append(edges, hi)
	return edges, lo < edges[1] && edges[last] < hi && hi-lo-(hi-lo) == 0
}

// alike reports bins of one width.
func alike(edges []float64) bool {
	w := edges[1] - edges[0]
	for i := 2; i < len(edges); i++ {
		if math.Abs(edges[i]-edges[i-1]-w) > 1e-9*w {
			return false
		}
	}
	return true
}

// parted are panels of the bars: one for each size of number, since bars of different size cannot be read on one axis.
func (p barPanel) parted() []panel {
	parts := bySize(p.Bars)
	if len(parts) < 2 || len(p.Bars) > manyBars {
		return []panel{p}
	}
	var out []panel
	for i, bars := range parts {
		q := p
		q.Bars = bars
		if i > 0 {
			q.Title = ""
		} else {
			q.Title += fmt.Sprintf("; %d axes, as the numbers differ in size", len(parts))
		}
		out = append(out, q)
	}
	return out
}
