package viz

import (
	"fmt"
	"math"
)

// Losses is a set of ex-post per-instance privacy losses, opened by the curator (pdp.Curator.Open).
type Losses struct {
	Name   string // of the people, "members" say
	Values []float64
}

const curatorOnly = "losses are functions of all the data and are covered by no guarantee: each is for the record's owner, and this plot is not for release"

// PDP plots the ex-post per-instance privacy losses of one release as a histogram, beside the ε that was
// promised to everybody. It is for the curator only: it says so, and nothing in it is private.
func PDP(promised float64, sets ...Losses) View {
	const bins = 30
	lo, hi, odd := 0.0, 0.0, 0
	for _, s := range sets {
		for _, v := range s.Values {
			if v-v != 0 {
				odd++
				continue
			}
			lo, hi = min(lo, v), max(hi, v)
		}
	}
	if !(hi-lo > 1e-300) || math.IsInf(hi-lo, 0) {
		lo, hi = 0, 1
	}
	c := HistogramChart{
		X: Axis{Name: "privacy loss of a record", Unit: "nats"}, Y: Axis{Name: "records"},
		Edges: evenly(lo, hi, bins+1),
		Rules: []Rule{{Name: "promised to all: ε = " + up(promised), At: promised, Vertical: true}},
	}
	if reach := max(hi, finite(promised)); reach > hi {
		c.X.Range = [2]float64{lo, reach * 1.03}
	}
	for _, s := range sets {
		counts := make([]float64, bins)
		for _, v := range s.Values {
			if i := int((v - lo) / (hi - lo) * bins); v-v == 0 && i >= 0 && i <= bins {
				counts[min(i, bins-1)]++
			}
		}
		c.Sets = append(c.Sets, HistogramSet{Name: s.Name, Counts: counts})
	}
	note := ""
	if odd > 0 {
		note = fmt.Sprintf("%s not finite and not shown.", plural(odd, "loss")+" is")
		if odd > 1 {
			note = fmt.Sprintf("%d losses are not finite and not shown.", odd)
		}
	}
	v := alone(c, "What one release cost each person", note)
	f := *v.fig
	f.Alarms = append([]string{"FOR THE CURATOR ONLY: " + curatorOnly + "."}, f.Alarms...)
	v.fig = &f
	v.blocks = append([]block{banner{"FOR THE CURATOR ONLY", curatorOnly}}, v.blocks...)
	v.alt = "For the curator only. " + v.alt
	return v
}
