package viz

import (
	"fmt"
	"strconv"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/dpkit/cost"
)

// Compare is the comparison of a plan's steps: for each of them the ways in which it can be taken, the
// recommended one marked, and what each does to the noise at the end of the chain.
func Compare(c dpkit.Comparison) View {
	g := grid{
		Columns: []column{
			{Head: "step", Right: true},
			{Head: "way", Least: 11},
			{Head: "call", Least: 31},
			{Head: "take"},
			{Head: "τ at the end", Right: true},
			{Head: "A", Right: true},
			{Head: "budget share", Right: true},
			{Head: "noise ×", Right: true},
			{Head: "note", Least: 24},
		},
		Foot: true,
	}
	for _, s := range c.Steps {
		// The way to take comes first among those of its step; the last row, of the whole chain, stays in view while others scroll.
		for i, v := range s.Variants {
			if i == s.Best {
				g.Rows = append(g.Rows, append([]string{strconv.Itoa(s.Step)}, variantCells(v, "✓", clean(v.Note)+"\n"+clean(s.Why))...))
			}
		}
		for i, v := range s.Variants {
			if i != s.Best {
				g.Rows = append(g.Rows, append([]string{strconv.Itoa(s.Step)}, variantCells(v, "", clean(v.Note))...))
			}
		}
	}
	g.Rows = append(g.Rows, append([]string{""}, variantCells(c.Recommended, "", "the recommended way at every step")...))
	title := fmt.Sprintf("Comparison: noise × %s as written, × %s as recommended", near(c.Written.Noise), near(c.Recommended.Noise))
	return View{title: title, blocks: []block{g}}
}

// Variants is the same table for plans of your own, made by [cost.Of].
func Variants(vs ...cost.Variant) View {
	g := grid{Columns: []column{
		{Head: "kind"},
		{Head: "plan", Least: 22},
		{Head: "", Least: 1},
		{Head: "τ at the end", Right: true},
		{Head: "A", Right: true},
		{Head: "budget share", Right: true},
		{Head: "noise ×", Right: true},
		{Head: "note", Least: 24},
	}}
	for _, v := range vs {
		g.Rows = append(g.Rows, variantCells(v, "", clean(v.Note)))
	}
	return View{title: "Plans", blocks: []block{g}}
}

func variantCells(v cost.Variant, take, note string) []string {
	if v.Refused != "" {
		return []string{clean(string(v.Kind)), clean(v.Name), take, "", "", "", "", "refused: " + clean(v.Refused)}
	}
	return []string{
		clean(string(v.Kind)), clean(v.Name), take, up(v.Displacement), near(v.Amplification), near(v.Share), near(v.Noise), note,
	}
}
