package viz

import (
	"fmt"
	"math"
	"strings"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/viz/internal/theme"
)

// Waterfall plots where ε goes. The first panel builds up the noise that the release needs, in
// multiples of what it would need without preprocessing: the free row's share, what each step
// adds, the total A = S/S_free. The second compares the ε that is promised with those of an
// accountant that ignores the preprocessing.
func Waterfall(c dpkit.Cost) View {
	g := costGuarantee(c)
	title := "Where ε goes: what the preprocessing adds to the noise"
	f := &figure{Title: title, Notes: []string{guaranteeLine(g)}, Panels: []panel{buildUp(c), comparison(c)}}
	if weak(g.Scope) || !complete(g) {
		f.Notes, f.Alarms = nil, []string{guaranteeLine(g)}
	}
	v := View{title: title, fig: f, alt: waterfallAlt(c, g)}
	v.blocks = append(scopeBanners(g), facts{{Name: "guarantee", Value: guaranteeLine(g), Alarm: weak(g.Scope)}})
	for _, p := range f.Panels {
		v.blocks = append(v.blocks, p.words()...)
	}
	return v
}

// buildUp is the panel of the noise.
func buildUp(c dpkit.Cost) barPanel {
	r := c.Release
	s, free := finite(r.Sensitivity), finite(r.FreeSensitivity)
	unit, axis := free, "noise, in multiples of what the same release needs without preprocessing"
	if !(free > 0) {
		unit, axis = 1, "ℓ2 sensitivity S of one noisy sum"
	}
	p := barPanel{Title: "Noise needed", Axis: axis}
	p.Bars = append(p.Bars, bar{Label: "the free row alone", End: near(free / unit), Spans: []span{{To: free / unit, Color: theme.RGB(theme.Blue)}}})
	at := free
	for i, share := range shares(c.Steps) {
		step := c.Steps[i]
		to := at + share*(s-free)
		b := bar{Label: fmt.Sprintf("%d. %s", step.Step, clean(step.Name)), Spans: []span{{From: at / unit, To: to / unit, Color: theme.RGB(theme.Orange)}}}
		b.End = "adds nothing"
		if to > at {
			b.End = "+" + near((to-at)/unit)
		}
		if weak(step.Scope) {
			b.End += ", " + strings.ToUpper(step.Scope.Kind.String())
		}
		p.Bars = append(p.Bars, b)
		at = to
	}
	end := bar{Label: "together", End: "× " + amplification(r)}
	if s > 0 {
		end.Spans = []span{
			{To: free / unit, Color: theme.RGB(theme.Blue), Label: "free row " + percent(free/s)},
			{From: free / unit, To: s / unit, Color: theme.RGB(theme.Orange), Label: "preprocessing " + percent(1-free/s), Short: percent(1 - free/s)},
		}
	}
	p.Bars = append(p.Bars, end)
	return p
}

// shares splits the displacement at the end of the chain by the steps that caused it. A step that
// is fitted to the data causes what it adds to τ, amplification of earlier displacement included.
// A public map causes none: it changes the units in which all earlier shares are measured, and so
// does a fitted step that lowers τ. The shares add up to 1, or are all 0.
func shares(steps []cost.Step) []float64 {
	part := make([]float64, len(steps))
	before := 0.0
	for i, s := range steps {
		after := finite(s.Displacement)
		switch {
		case before == 0 || (s.Role != stage.RolePublic && after > before):
			part[i] += after - before
		default:
			for j := range i {
				part[j] *= after / before
			}
		}
		before = after
	}
	for i := range part {
		if before > 0 {
			part[i] /= before
		} else {
			part[i] = 0
		}
	}
	return part
}

func percent(x float64) string {
	return near(math.Round(1000*x)/10) + " %"
}

// comparison is the panel of ε.
func comparison(c dpkit.Cost) barPanel {
	r := c.Release
	one := func(label string, e float64, colour uint32) bar {
		return bar{Label: label, End: "ε = " + up(e), Spans: []span{{To: finite(e), Color: theme.RGB(colour)}}}
	}
	return barPanel{
		Title: "What an accountant that ignores the preprocessing gets wrong",
		Axis:  fmt.Sprintf("ε at δ = %s, %v", up(c.Guarantee.Delta), c.Guarantee.Neighbours),
		Bars: []bar{
			one("promised, preprocessing counted", c.Guarantee.Epsilon, theme.Blue),
			one("same noise, would be sold as", r.Uncounted, theme.SkyBlue),
			one("noise not raised, is proved to give", r.Nominal, theme.Vermillion),
		},
	}
}

func waterfallAlt(c dpkit.Cost, g accountant.Guarantee) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Horizontal bar charts of where epsilon goes. Guarantee: %s.", guaranteeLine(g))
	for _, s := range c.Steps {
		fmt.Fprintf(&b, " After step %d, %s: displacement %s.", s.Step, clean(s.Name), up(s.Displacement))
	}
	r := c.Release
	fmt.Fprintf(&b, " The noise needed is %s times that without preprocessing. The same noise with preprocessing ignored would be sold as ε = %s; noise calibrated without counting is proved to give only ε = %s.",
		amplification(r), up(r.Uncounted), up(r.Nominal))
	return b.String()
}

// grid is the panel in words, with the bars drawn in characters.
func (p barPanel) grid() grid {
	caption := p.Title + " [" + p.Axis + "]"
	if p.Title == "" {
		caption = p.Axis
	}
	g := grid{Caption: caption, Columns: []column{{Head: "", Least: 24}, {Head: ""}, {Head: "", Least: 40}}}
	const cells = 40
	lo, hi := p.extent()
	at := func(v float64) int { return int(math.Round((v/2 - lo/2) / (hi/2 - lo/2) * cells)) }
	for _, b := range p.Bars {
		line := []rune(strings.Repeat("·", cells))
		for k, s := range b.Spans {
			mark := []rune{'█', '▒'}[k%2]
			for i := at(min(s.From, s.To)); i < at(max(s.From, s.To)); i++ {
				line[i] = mark
			}
		}
		label := b.Label
		if b.Kind != "" {
			label += " (" + b.Kind + ")"
		}
		g.Rows = append(g.Rows, []string{label, b.End, string(line)})
	}
	return g
}
