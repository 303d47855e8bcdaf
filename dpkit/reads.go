package dpkit

import (
	"slices"

	"github.com/dpkit-go/dpnb/frames"
)

// A byColumn is a step that makes each column, or block of columns, of some columns of the same row alone, at no cost: others
// change neither its image nor the price of what comes behind.
type byColumn interface {
	// origin names the columns and blocks that a column or block behind the step is made of.
	origin(unit string) []string
}

// A labelBlind step looks at no label: neither its fit nor its price changes with it.
type labelBlind interface{ labelBlind() }

// A columnReader is a mechanism that reads some columns of its schema. One that does not say so reads all.
type columnReader interface {
	columnsRead(in frames.Schema) []string
}

// reads names the columns of the session's schema that a plan reads, in order: the cells and declarations of the others
// change nothing of what it releases. A step that is no byColumn reads all features that are there, and the label if it is not
// labelBlind either.
func (q quote) reads(raw frames.Schema, m any) []string {
	of := map[string][]string{} // of each column or block at this point, the raw columns that it is made of
	for _, c := range dataColumns(raw) {
		of[unitName(c)] = append(of[unitName(c)], c.Name)
	}
	read := map[string]bool{}
	note := func(units ...string) {
		for _, u := range units {
			for _, name := range of[u] {
				read[name] = true
			}
		}
	}
	all := func(s frames.Schema, label bool) {
		for _, c := range dataColumns(s) {
			if label || c.Kind != frames.KindLabel {
				note(unitName(c))
			}
		}
	}
	for _, st := range q.stages {
		step, local := st.step.(byColumn)
		if _, blind := st.step.(labelBlind); !local {
			all(st.In, !blind)
		}
		next := map[string][]string{}
		for _, c := range dataColumns(st.Out) {
			u := unitName(c)
			if c.Kind == frames.KindLabel {
				next[u] = of[u]
				continue
			}
			if _, done := next[u]; done || !local {
				continue
			}
			for _, o := range step.origin(u) {
				next[u] = append(next[u], of[o]...)
			}
		}
		of = next
	}
	if r, ok := m.(columnReader); ok {
		for _, name := range r.columnsRead(q.end.In) {
			if c, there := q.end.In.Column(name); there {
				name = unitName(c)
			}
			note(name)
		}
	} else {
		all(q.end.In, true)
	}
	var names []string
	for _, c := range dataColumns(raw) {
		if read[c.Name] {
			names = append(names, c.Name)
		}
	}
	return names
}

// dataColumns are the features and the label, in the order of the schema.
func dataColumns(s frames.Schema) []frames.Column {
	return slices.DeleteFunc(s.Columns(), func(c frames.Column) bool { return c.Kind == frames.KindIgnored })
}

// featureNames are the columns that a mechanism reads which looks at no label.
func featureNames(in frames.Schema) []string {
	var names []string
	for _, c := range in.Features() {
		names = append(names, c.Name)
	}
	return names
}
