package viz

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/dpkit/cost"
)

// Compare is the comparison of a plan's steps and of what can end it: for each of them the ways in which it can be taken, the recommended
// one marked, and the others in the order of what they are worth: the predicted error of the whole plan, and the noise at the end of it.
func Compare(c dpkit.Comparison) View {
	g := grid{
		Columns: []column{
			{Head: "step", Right: true},
			{Head: "way", Least: 11},
			{Head: "call", Least: 31},
			{Head: "take"},
			{Head: "predicted error", Right: true},
			{Head: "noise ×", Right: true},
			{Head: "budget share", Right: true},
			{Head: "τ at the end", Right: true},
			{Head: "A", Right: true},
			{Head: "note", Least: 24},
		},
		Foot: true,
	}
	for _, s := range c.Steps {
		// The way to take comes first among those of its step; the last row, of the whole chain, stays in view while others scroll.
		for _, i := range s.Ranked() {
			v, take, note := s.Variants[i], "", clean(s.Variants[i].Note)
			if i == s.Best {
				take, note = "✓", strings.TrimPrefix(note+"\n"+clean(s.Why), "\n")
			}
			g.Rows = append(g.Rows, comparedCells(strconv.Itoa(s.Step), v, take, note))
		}
	}
	g.Rows = append(g.Rows, comparedCells("", c.Recommended, "", "the recommended ways together"))
	title := fmt.Sprintf("Comparison: noise × %s as written, × %s as recommended", near(c.Written.Noise), near(c.Recommended.Noise))
	lead := "Nothing is predicted of this release: ways are ranked by their noise."
	if c.Of != "" {
		title = fmt.Sprintf("Comparison: predicted error %s as written, %s as recommended", clean(c.Written.Predict()), clean(c.Recommended.Predict()))
		lead = "Predicted error: " + clean(c.Of) + "."
	}
	blocks := []block{para{lead}}
	if unknown := c.Unknown(); unknown != "" {
		blocks = append(blocks, para{strings.ToUpper(unknown[:1]) + clean(unknown[1:]) + "."})
	}
	if floor := c.Floor(); floor != "" {
		blocks = append(blocks, para{strings.ToUpper(floor[:1]) + clean(floor[1:]) + "."})
	}
	return View{title: title, blocks: append(blocks, g)}
}

func comparedCells(step string, v cost.Variant, take, note string) []string {
	cells := []string{step, clean(string(v.Kind)), clean(v.Name), take}
	if v.Refused != "" {
		return append(cells, "", "", "", "", "", "refused: "+clean(v.Refused))
	}
	return append(cells, clean(v.Predict()), near(v.Noise), near(v.Share), up(v.Displacement), near(v.Amplification), note)
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
