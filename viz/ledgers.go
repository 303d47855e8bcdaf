package viz

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dpkit-go/dpnb/accountant/ledger"
)

// Ledgers lists ledgers that the user's state folder knows of, as [ledger.List] returns them. It warns of those that
// carry one dataset's name and have a budget each.
func Ledgers(known []ledger.Known) View {
	g := grid{Columns: []column{
		{Head: "ledger", Whole: true},
		{Head: "dataset"},
		{Head: "releases", Right: true},
		{Head: "spent ε ≤", Right: true},
		{Head: "of", Right: true},
		{Head: "file"},
	}}
	v := View{}
	told := map[string]bool{}
	for _, k := range known {
		state := "there"
		if k.Missing {
			state = "MISSING"
		}
		g.Rows = append(g.Rows, []string{
			clean(k.Path), clean(k.Config.Dataset), strconv.Itoa(k.Releases), up(k.Spent.Epsilon), down(k.Config.Budget.Epsilon), state,
		})
		if len(k.Others) == 0 || told[k.Path] {
			continue // none, or in the warning of the first of them
		}
		paths := []string{clean(k.Path)}
		for _, o := range k.Others {
			told[o] = true
			paths = append(paths, clean(o))
		}
		v.blocks = append(v.blocks, banner{"WARNING", fmt.Sprintf(
			"%q has %d ledgers (%s), each with a budget of its own: for the same people the budgets add up: go on with one, or keep them under one Project",
			clean(k.Config.Dataset), len(paths), strings.Join(paths, ", "))})
	}
	v.blocks = append(v.blocks, g)
	return v
}
