package stagetest

import (
	"fmt"

	"github.com/dpkit-go/dpnb/frames"
)

// domains are those that a step is attacked on where its author names none.
func domains() []frames.Schema {
	label := frames.NumericLabel("y", -3, 5)
	classes := frames.Label("y", "no", "yes")
	numeric, category := frames.Numeric, frames.Category
	block := func(name string) frames.Column {
		c := numeric(name, 0, 1)
		c.Block = "town"
		return c
	}
	const most, least = frames.MaxBound / 8, 8 * frames.MinWidth
	var all []frames.Schema
	for _, cols := range [][]frames.Column{
		{numeric("x", -1, 1), numeric("z", 0, 2), label},
		{numeric("x", 0, 3)},
		{numeric("far", 1, 2), numeric("near", -1, 1), numeric("below", -0.5, -0.1), classes},
		{numeric("a", 0, 1), numeric("b", 0, 30), classes},
		{numeric("x", -1, 1).MayMiss(), numeric("z", 0, 2).MayMiss(), numeric("w", -1, 1), label},
		{category("town", "a", "b", "c"), numeric("x", -1, 1), category("job", "p", "q").MayMiss(), numeric("z", 0, 2).MayMiss(), classes},
		{block("town=a"), block("town=b"), numeric("x", -1, 1), label},
		{numeric("x", -most, most), numeric("z", 0, most)},
		{numeric("x", -least, least), numeric("z", 0, least)},
		{numeric("x", -most, most), numeric("thin", 0, least), numeric("z", -1, 1)},
	} {
		s, err := frames.NewSchema(cols...)
		if err != nil {
			panic(fmt.Sprintf("stagetest: a domain of the package: %v", err))
		}
		all = append(all, s)
	}
	return all
}
