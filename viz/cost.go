package viz

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// Cost is the cost table of a plan: one row for each step, one for the release, and below it what
// the preprocessing does to ε. τ is the total displacement (sum of ℓ2 norms) of the rows that two
// neighbouring datasets have in common, after the step. Of plans that are released together it has a row for each plan, with its part.
func Cost(c dpkit.Cost) View {
	g := grid{
		Columns: []column{
			{Head: "#", Right: true},
			{Head: "call", Least: 22},
			{Head: "role", Least: 11},
			{Head: "scope", Least: 13},
			{Head: "τ so far", Right: true},
			{Head: "moved rows", Right: true},
			{Head: "note", Least: 24},
		},
		Foot: true,
	}
	for _, s := range c.Steps {
		g.Rows = append(g.Rows, []string{
			strconv.Itoa(s.Step), clean(s.Name), clean(string(s.Role)), scopeWords(s.Scope),
			up(s.Displacement), strconv.Itoa(s.Moved), clean(s.Note) + freeLine(s.Free) + queryLines(s.Queries),
		})
	}
	r, promise := c.Release, costGuarantee(c)
	g.Rows = append(g.Rows, []string{
		strconv.Itoa(len(c.Steps) + 1), clean(r.Name), "release", scopeWords(promise.Scope), "", "",
		clean(r.Event) + "\n" + sensitivity(c),
	})
	blocks := scopeBanners(promise)
	if c.NotPrivate != "" {
		blocks = append([]block{banner{"NOT PRIVATE", clean(c.NotPrivate) + "; the numbers are those of a private session"}}, blocks...)
	}
	for _, w := range c.Warnings {
		blocks = append(blocks, banner{"WARNING", clean(w)})
	}
	below := facts{{Name: "guarantee", Value: guaranteeLine(promise) + route(promise), Alarm: weak(promise.Scope)}}
	if c.Together != nil {
		below = facts{
			{Name: "noise alone", Value: "(ε = " + up(promise.Epsilon) + ", δ = " + up(promise.Delta) + ")"},
			{Name: "guarantee", Value: "of all plans released together: " + guaranteeLine(*c.Together) + route(*c.Together), Alarm: weak(c.Together.Scope)},
		}
	}
	if c.Amplified() && len(c.Members) == 0 {
		below = append(below,
			fact{Name: "not counted", Value: "the same noise with preprocessing ignored would be sold as ε = " + up(r.Uncounted)},
			fact{Name: "not paid", Value: "noise calibrated without counting is proved to give only ε = " + up(r.Nominal)})
	}
	if p := c.Predicted; p != nil && p.Level == 0 { // of a model; of statistics Plan.Error tells more
		below = append(below, fact{Name: "predicted", Value: clean(p.Line())})
	}
	if f := foundFact(c.Release.Constants); f != "" {
		below = append(below, fact{Name: "found", Value: f})
	}
	if h := c.Held.String(); h != "" {
		below = append(below, fact{Name: "memory", Value: h})
	}
	if len(c.Members) > 0 {
		g = jointGrid(c)
	}
	blocks = append(blocks, g, append(below, chargedFact(c)...))
	return View{title: costTitle("Cost", c), blocks: blocks}
}

// foundFact says how many people a group takes to be found; "" where groups are listed.
func foundFact(of []stage.Constant) string {
	half := slices.IndexFunc(of, func(c stage.Constant) bool { return c.Symbol == "T" })
	nearly := slices.IndexFunc(of, func(c stage.Constant) bool { return c.Symbol == "T₀.₉₅" })
	if half < 0 || nearly < 0 {
		return ""
	}
	return fmt.Sprintf("a group from %s people on with probability ½, from %s on with 0.95", up(of[half].Value), up(of[nearly].Value))
}

// sensitivity says what the noise is scaled to, and how much of it is due to the preprocessing.
func sensitivity(c dpkit.Cost) string {
	r := c.Release
	if !c.Amplified() {
		return "S = " + up(r.Sensitivity)
	}
	return fmt.Sprintf("S = %s, S_free = %s\nnoise amplification A = %s", up(r.Sensitivity), up(r.FreeSensitivity), amplification(r))
}

// chargedFact says what a ledger charges where that is not what the guarantee says.
func chargedFact(c dpkit.Cost) facts {
	if s := c.ChargedAs(); s != "" {
		return facts{{Name: "ledger", Value: clean(s)}}
	}
	return nil
}

// freeLine tells of rows that a step freed.
func freeLine(free int) string {
	if free <= 1 {
		return ""
	}
	return fmt.Sprintf("\nfree rows so far: %d", free)
}

// queryLines tells what a step asks of the rows privately, a line each.
func queryLines(qs []cost.Query) string {
	text := ""
	for _, q := range qs {
		text += fmt.Sprintf("\nasks privately: %s (%s of the budget", clean(q.Name), near(100*q.Share)+" %")
		if q.Delta > 0 {
			text += ", δ₀ = " + up(q.Delta)
		}
		text += ")"
	}
	return text
}

func costTitle(what string, c dpkit.Cost) string {
	return fmt.Sprintf("%s: %d %s, %v neighbours, no row read", what, c.Rows, c.Guarantee.Unit.Counted(), c.Neighbours)
}

// costGuarantee is the end-to-end guarantee. It rests on what every step rests on, also if a cost
// that was put together by hand forgot to say so.
func costGuarantee(c dpkit.Cost) accountant.Guarantee {
	g := c.Guarantee
	for _, s := range c.Steps {
		g = g.Within(s.Scope)
	}
	return g
}

func route(g accountant.Guarantee) string {
	if g.Route == "" {
		return ""
	}
	return " (" + clean(g.Route) + ")"
}

// amplification prints A = S/S_free.
func amplification(r cost.Release) string { return near(r.Amplification()) }
