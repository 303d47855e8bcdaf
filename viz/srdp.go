package viz

import (
	"fmt"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit"
)

// smoothPoints is on how many displacements a smooth curve is drawn.
const smoothPoints = 33

// defaultOrder is the order α of which SRDP draws where none is asked for.
const defaultOrder = 8

// SRDP plots what the release of a plan costs when the rows before it are displaced by τ in all: its smooth Rényi curve ε(α, τ),
// a panel for each order α (8 where none is given). One line is the displacement alone ([dpkit.Cost.SRDP]), one a row that
// changes and the displacement in one hop, as the price is computed ([dpkit.Cost.Displaced]), and one the two hops of Theorem 2
// of Hu, Sanyal, Schölkopf 2024 ([dpkit.Cost.Theorem2]). The chain's own τ and what the release costs there are marked. No row is
// read.
func SRDP(c dpkit.Cost, orders ...float64) View {
	if len(orders) == 0 {
		orders = []float64{defaultOrder}
	}
	tau, curves := c.Tau(), c.Curves()
	end := 2 * tau
	if end == 0 { // a chain that displaces nothing: up to what the table of curves has
		if t := curves.Tau; len(t) > 0 {
			end = t[len(t)-1] / 2
		}
	}
	note := "What distinguishes two tables whose rows differ by τ in all, as they reach the release: the cost of cleaning that looks at private rows."
	if tau == 0 {
		note += " Steps of this chain displace nothing: it pays for τ = 0."
	} else {
		note += fmt.Sprintf(" The steps displace rows by τ = %s at most, and the noise pays for that in one hop.", up(tau))
	}
	if why := curves.Why; why != "" {
		note += " No curve is known: " + clean(why) + "."
	} else if o := curves.Outside; o > 0 {
		note += fmt.Sprintf(" Outside a failure of probability %s, which δ covers.", up(o))
	}
	var charts []Chart
	for _, alpha := range orders {
		charts = append(charts, smoothChart(c, alpha, tau, end))
	}
	v := Panels("Smooth Rényi DP of the release", note, charts...)
	g := costGuarantee(c)
	if weak(g.Scope) || !complete(g) {
		v = v.alarming(guaranteeLine(g), scopeBanners(g)...)
	}
	if c.NotPrivate != "" {
		why := clean(c.NotPrivate) + "; the numbers are those of a private session"
		v = v.alarming("NOT PRIVATE: "+why, banner{"NOT PRIVATE", why})
	}
	return v
}

// alarming is the view with an alarm on its picture, in the text that stands for it, and in its words.
func (v View) alarming(line string, banners ...block) View {
	v.fig.Alarms = append(v.fig.Alarms, line)
	v.alt = sentence(line) + " " + v.alt
	v.blocks = append(slices.Clone(banners), v.blocks...)
	return v
}

func smoothChart(c dpkit.Cost, alpha, tau, end float64) LineChart {
	chart := LineChart{
		Title: "order α = " + near(alpha),
		X:     Axis{Name: "displacement τ of the rows that reach the release"},
		Y:     Axis{Name: "Rényi divergence ε(α, τ)", Unit: "nats", Loss: true},
	}
	x := evenly(0, end, smoothPoints)
	for _, line := range []struct {
		name string
		at   func(alpha, tau float64) float64
	}{
		{"one hop: a row changes, and rows are displaced by τ", c.Displaced},
		{"two hops: Theorem 2 of Hu, Sanyal, Schölkopf 2024", c.Theorem2},
		{"rows are displaced by τ, and no row changes: SRDP", c.SRDP},
	} {
		s := Series{Name: line.name, X: x, gaps: true, plain: true}
		for _, t := range x {
			s.Y = append(s.Y, line.at(alpha, t))
		}
		chart.Series = append(chart.Series, s)
	}
	if own := c.RDP(alpha); !math.IsInf(own, 1) {
		chart.Series = append(chart.Series, Series{Name: "this release", X: []float64{tau}, Y: []float64{own}, Style: PointStyle})
	}
	if tau > 0 {
		chart.Rules = []Rule{{Name: "the chain's τ", At: tau, Vertical: true}}
	}
	return chart
}

// Priced is a plan, of whatever it releases, as [EventOf] takes it.
type Priced interface {
	fmt.Stringer
	Event() (accountant.Event, accountant.Neighbours, error)
}

// EventOf is the release of a plan to draw by [RDP], [Profiles] or [Accountants], end to end; name is what the legend calls it,
// "" for the plan's own text. A plan that has no price is not drawn, and the picture says why.
func EventOf(name string, p Priced) NamedEvent {
	if p == nil {
		return NamedEvent{Name: name}
	}
	e, _, err := p.Event()
	if name == "" {
		name = p.String()
	}
	return NamedEvent{Name: name, Event: e, err: err}
}
