package viz

import (
	"fmt"
	"strconv"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/ledger"
)

// Ledger shows what a ledger has left: budget, spent, left, and the charges that gave no value.
func Ledger(s ledger.Status) View {
	v := View{title: "Privacy ledger of " + strconv.Quote(clean(s.Dataset)), facts: ledgerFacts(s)}
	if !(s.Budget.Epsilon > 0) {
		v.title = "Privacy ledger"
		v.blocks = []block{banner{"NO LEDGER", "this status holds no budget: a demonstration and public data have none"}}
		return v
	}
	promise := accountant.Guarantee{Budget: s.Budget, Neighbours: s.Neighbours, Scope: s.Scope}
	v.blocks = append(scopeBanners(promise),
		spent(s),
		grid{
			Columns: []column{{Head: ""}, {Head: "ε", Right: true}, {Head: "", Least: 40}},
			Rows: [][]string{
				{"budget", down(s.Budget.Epsilon), "for all releases together, however each was chosen"},
				{"spent", up(s.Spent.Epsilon), plural(s.Releases, "release")},
				{"left", down(s.Left.Epsilon), "as one release; spent and left do not add up: in Gaussian DP μ² adds, ε does not"},
			},
		},
		facts{
			{Name: "δ", Value: up(s.Budget.Delta)},
			{Name: "neighbours", Value: s.Neighbours.String(), Alarm: s.Neighbours.Validate() != nil},
			{Name: "scope", Value: scopeWords(s.Scope), Alarm: weak(s.Scope)},
		})
	v.blocks = append(v.blocks, interrupted(s)...)
	if s.Torn > 0 {
		v.blocks = append(v.blocks, para{fmt.Sprintf("An unfinished record of %d bytes at the end is ignored: nothing was drawn after it.", s.Torn)})
	}
	return v
}

// interrupted lists the charges without a value, if there are any.
func interrupted(s ledger.Status) []block {
	if len(s.Interrupted) == 0 {
		return nil
	}
	g := grid{
		Caption: "Charged, but without a value: the charge stands, and Fresh pays again",
		Columns: []column{{Head: "release", Least: 16}, {Head: "charged"}, {Head: "state"}, {Head: "ε", Right: true}, {Head: "event", Least: 24}},
	}
	for _, e := range s.Interrupted {
		name := clean(e.Name)
		if name == "" {
			name = clean(e.ID)
			name, _ = cut(name, 12)
		}
		g.Rows = append(g.Rows, []string{name, when(e.When), e.State.String(), up(e.Guarantee.Epsilon), clean(e.Event)})
	}
	return []block{g}
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}
