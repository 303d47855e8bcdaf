package dpkit

import "github.com/dpkit-go/dpnb/frames"

// secondOfTest is the chain over a further table of a session that there is none of: in the search it has the rows of the first.
func secondOfTest(s frames.Schema) Pipeline {
	return Pipeline{s: &Session{schema: s, rows: 2, neighbours: ReplaceOne, second: "again"}}
}

// joinOfRows joins rows of people with rows: what follows makes one row a person of them or bounds them, so that the search over rows has no end there.
var joinOfRows = attackedStep{
	name: "rows with rows",
	domain: func(u float64) frames.Schema {
		return mustSchema(frames.Person("id"), frames.Numeric("x", -u, u), frames.Numeric("z", -u, u))
	},
	chain: func(p Pipeline, u float64) Pipeline {
		return p.Select("x").JoinPeople(secondOfTest(mustSchema(frames.Person("id"), frames.Numeric("x", -u, u), frames.Numeric("z", -u, u))).Select("z"), PairedRows{First: 2, Second: 3})
	},
}

// peopleEntries are the steps that make rows of people. In the search everybody has one row; TestPerPersonIsOfOnePerson and
// TestEveryStepBehindABound have people of many.
func peopleEntries() map[string]stepEntry {
	domain := func(u float64) frames.Schema {
		return mustSchema(frames.Person("id"), frames.Numeric("x", -u, u), frames.Numeric("y", 0, u), frames.Numeric("z", -u, u))
	}
	return map[string]stepEntry{
		"where": {oneWay: "which rows an analysis is of is what it asks", attacks: []attackedStep{{
			name: "by a number and a level", floors: floors{norm: 0.999, freeRow: 0.6}, domain: holesDomain, empty: true, chain: func(p Pipeline, u float64) Pipeline {
				return p.Where(Or(Between("u", 0, u), Not(Is("town", "a"))))
			},
		}, {
			name: "beside a displaced column", floors: floors{total: 0.999, frobenius: 0.999, largest: 0.999, movedRows: 0.999, norm: 0.999, freeRow: 0.5}, domain: holesDomain, displaced: []string{"v"}, chain: func(p Pipeline, u float64) Pipeline {
				return p.Where(Between("u", 0, u))
			},
		}}},
		"holdout": {oneWay: "who is set aside is what the analysis asks", attacks: []attackedStep{{
			name: "most of them", floors: floors{norm: 0.9, freeRow: 0.5}, domain: holesDomain, rows: []int{8, 40}, chain: func(p Pipeline, _ float64) Pipeline {
				train, _ := p.Holdout(0.2) // the first person of TestEveryStepBehindABound is among them
				return train
			},
		}, {
			name: "those who are set aside", floors: floors{norm: 0.9, freeRow: 0.5}, domain: holesDomain, rows: []int{8, 40}, chain: func(p Pipeline, _ float64) Pipeline {
				_, test := p.Holdout(0.25)
				return test
			},
		}}},
		"join": {oneWay: "what is known of a key is what the analysis asks", attacks: []attackedStep{{
			name: "by a town", floors: floors{total: 0.999, frobenius: 0.999, largest: 0.999, movedRows: 0.999, norm: 0.7, freeRow: 0.4}, domain: holesDomain, displaced: []string{"u", "v"}, chain: func(p Pipeline, u float64) Pipeline {
				return p.Join(townsOfTest(u), "town")
			},
		}, {
			name: "where rows may be gone", floors: floors{norm: 0.7, freeRow: 0.4}, domain: holesDomain, empty: true, chain: func(p Pipeline, u float64) Pipeline {
				return p.Join(townsOfTest(u), "town")
			},
		}}},
		"people/join": {oneWay: "what is known of a person elsewhere is what the analysis asks", attacks: []attackedStep{{
			name: "one row each", floors: floors{norm: 0.9, freeRows: 0.9}, domain: domain, chain: func(p Pipeline, u float64) Pipeline {
				return p.PerPerson(MeanOf{Column: "x"}, SumOf{Column: "y", Hi: u / 2}).JoinPeople(secondOfTest(domain(u)).PerPerson(MaxOf{Column: "z"}))
			},
		}, {
			name: "of rows that meet a condition", floors: floors{norm: 0.7, freeRows: 0.9}, domain: domain, chain: func(p Pipeline, u float64) Pipeline {
				return p.PerPerson(MeanOf{Column: "x"}).JoinPeople(secondOfTest(domain(u)).Where(Between("x", 0, u)).PerPerson(CountRows{Max: 2}, SumOf{Column: "z", Lo: -u, Hi: u}))
			},
		}}},
		"people/bound": {attacks: []attackedStep{{
			name: "one row each", floors: floors{norm: 0.97, freeRows: 0.97}, domain: domain, chain: func(p Pipeline, _ float64) Pipeline {
				return p.Bound(Contributing{Rows: 1})
			},
		}}},
		"people/collapse": {oneWay: "what a person's row is made of is what the analysis asks", attacks: []attackedStep{{
			name: "one row each", floors: floors{norm: 0.97, freeRows: 0.97}, domain: domain, chain: func(p Pipeline, u float64) Pipeline {
				return p.PerPerson(MeanOf{Column: "x"}, SumOf{Column: "y", Hi: u / 2}, MaxOf{Column: "z"})
			},
		}}},
	}
}
