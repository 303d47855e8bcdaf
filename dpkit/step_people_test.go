package dpkit

import "github.com/dpkit-go/dpnb/frames"

// peopleEntries are the steps that make rows of people. In the search everybody has one row; TestPerPersonIsOfOnePerson has people of many.
func peopleEntries() map[string]stepEntry {
	domain := func(u float64) frames.Schema {
		return mustSchema(frames.Person("id"), frames.Numeric("x", -u, u), frames.Numeric("y", 0, u), frames.Numeric("z", -u, u))
	}
	return map[string]stepEntry{
		"people/collapse": {oneWay: "what a person's row is made of is what the analysis asks", attacks: []attackedStep{{
			name: "one row each", floors: floors{norm: 0.97, freeRows: 0.97}, domain: domain, chain: func(p Pipeline, u float64) Pipeline {
				return p.PerPerson(MeanOf{Column: "x"}, SumOf{Column: "y", Hi: u / 2}, MaxOf{Column: "z"})
			},
		}}},
	}
}
