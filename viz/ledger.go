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
	v.blocks = append(scopeBanners(promise), warnings(s)...)
	v.blocks = append(v.blocks,
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
			{Name: "neighbours", Value: relationWords(s.Neighbours, s.Unit), Alarm: s.Neighbours.Validate() != nil},
			{Name: "scope", Value: scopeWords(s.Scope), Alarm: weak(s.Scope)},
		})
	if f := unitFact(s.Unit); f != nil {
		v.blocks = append(v.blocks, f)
	}
	if s.Pure > 0 {
		v.blocks = append(v.blocks, facts{{Name: "pure", Value: fmt.Sprintf("ε = %s for releases of pure DP, alone or beside μ, of which %s is spent", down(s.Pure), up(s.PureSpent))}})
	}
	if s.Rehearsal {
		v.blocks = append(v.blocks, facts{{Name: "rehearsal", Value: "the rows need no protection"}})
	}
	if !s.Expires.IsZero() {
		v.blocks = append(v.blocks, facts{{Name: "expires", Value: when(s.Expires)}})
	}
	if p := s.Project; p != nil {
		v.blocks = append(v.blocks,
			para{"Every release is charged to the project " + strconv.Quote(clean(p.Dataset)) + " too, whose budget holds as well:"},
			spent(*p), facts{{Name: "left", Value: "ε = " + down(p.Left.Epsilon) + " as one release, at δ = " + up(p.Budget.Delta)}})
	}
	v.blocks = append(v.blocks, interrupted(s)...)
	if s.Torn > 0 {
		v.blocks = append(v.blocks, para{fmt.Sprintf("An unfinished record of %d bytes at the end is ignored: nothing was drawn after it.", s.Torn)})
	}
	return v
}

// Releases shows what [Ledger] does, and below it all charges in their order: what each was sold as and
// what became of it.
func Releases(s ledger.Status, entries []ledger.Entry) View {
	g := grid{
		Caption: "All charges",
		Columns: []column{
			{Head: "record", Right: true},
			{Head: "charged"},
			{Head: "release", Least: 9},
			{Head: "ε", Right: true},
			{Head: "δ", Right: true},
			{Head: "taken", Least: 12},
			{Head: "scope", Least: 13},
			{Head: "state"},
			{Head: "what", Least: 28},
		},
	}
	for _, e := range entries {
		what := clean(e.Mechanism)
		if what == "" {
			what = clean(e.Event)
		}
		g.Rows = append(g.Rows, []string{
			strconv.Itoa(e.Seq), when(e.When), label(e), up(e.Guarantee.Epsilon), up(e.Guarantee.Delta), e.Taken(),
			scopeWords(e.Guarantee.Scope), e.State.String(), what,
		})
	}
	v := Ledger(s)
	v.blocks = append(v.blocks, facts{{Name: "unit", Value: "a " + s.Unit.String()}}, g)
	return v
}

// label names an entry: its name, else the beginning of its ID.
func label(e ledger.Entry) string {
	if name := clean(e.Name); name != "" {
		return name
	}
	id, _ := cut(clean(e.ID), 12)
	return id
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
		g.Rows = append(g.Rows, []string{label(e), when(e.When), e.State.String(), up(e.Guarantee.Epsilon), clean(e.Event)})
	}
	return []block{g}
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}
