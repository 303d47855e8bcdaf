package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
	"github.com/dpkit-go/dpnb/frames"
)

// reads names the columns of the session's schema that a plan reads, in order: the cells and declarations of the others
// change nothing of what it releases. A step that is no [domain.ByColumn] reads all features that are there, and the label if it is no
// [domain.LabelBlind] either.
func (q quote) reads(raw frames.Schema, m any) []string {
	of := map[string][]string{} // of each column or block at this point, the raw columns that it is made of
	for _, c := range domain.DataColumns(raw) {
		of[domain.UnitName(c)] = append(of[domain.UnitName(c)], c.Name)
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
		for _, c := range domain.DataColumns(s) {
			if label || c.Kind != frames.KindLabel {
				note(domain.UnitName(c))
			}
		}
	}
	name := func(s frames.Schema, columns []string) {
		for _, unit := range columns {
			if c, there := s.Column(unit); there {
				unit = domain.UnitName(c)
			}
			note(unit)
		}
	}
	for _, st := range q.stages {
		step, local := st.Step.(domain.ByColumn)
		_, blind := st.Step.(domain.LabelBlind)
		if j, joins := st.Step.(steps.JoinPeople); !kind.IsOwn(st.Step) || joins && j.Product() { // which rows are paired depends on all their cells
			local, blind = false, false
		}
		if !local {
			all(st.In, !blind)
		}
		if r, ok := st.Step.(mechanism.ColumnReader); ok { // what it was asked comes out, whatever becomes of the columns
			name(st.In, r.ColumnsRead(st.In))
		}
		next := map[string][]string{}
		for _, c := range domain.DataColumns(st.Out) {
			u := domain.UnitName(c)
			if c.Kind == frames.KindLabel {
				next[u] = of[u]
				continue
			}
			if _, done := next[u]; done || !local {
				continue
			}
			for _, o := range step.Origin(u) {
				next[u] = append(next[u], of[o]...)
			}
		}
		of = next
	}
	if r, ok := m.(mechanism.ColumnReader); ok {
		name(q.end.In, r.ColumnsRead(q.end.In))
	} else {
		all(q.end.In, true)
	}
	var names []string
	for _, c := range raw.Columns() { // whose rows they are decides what is made of them
		if read[c.Name] || c.Kind == frames.KindPerson {
			names = append(names, c.Name)
		}
	}
	return names
}
