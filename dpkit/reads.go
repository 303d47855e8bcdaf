package dpkit

import (
	"maps"
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// madeFrom maps each column or block at one point of a chain to the columns of the sources that
// it is made of. Columns of a further table go by [columnOfTable]. A column without an entry is
// made of columns that the plan reads anyway.
type madeFrom map[string][]string

// columnOfTable names a column of a further table, which no column of the session's own is called.
func columnOfTable(table, column string) string { return table + ": " + column }

// read returns the quote with the columns that its plan reads. It keeps those that it has: a plan
// of a joint release reads what any of the plans reads.
func (q quote) read(raw frames.Schema, m any) quote {
	if q.columns == nil {
		q.columns = q.reads(raw, m)
	}
	return q
}

// reads names the columns that a plan reads: those of the session's schema in order, then those of
// further tables ([columnOfTable]). Cells and declarations of others change nothing of what the plan
// releases. A step that is no [domain.ByColumn] reads all features that are there, and the label if
// it is no [domain.LabelBlind] either. [steps.PerPerson] and [steps.Bound] see the rows as if all
// other columns had been dropped: see [quote.unread].
func (q quote) reads(raw frames.Schema, m any) []string {
	read := map[string]bool{}
	at := q.noteSteps(raw, asIs, read)[len(q.stages)]
	if r, ok := m.(mechanism.ColumnReader); ok {
		at.noteNamed(read, q.end.In, r.ColumnsRead(q.end.In))
	} else {
		at.noteAll(read, q.end.In, true)
	}
	names := inOrderOf(raw, read, asIs)
	for _, st := range q.stages {
		if j, ok := st.Step.(steps.JoinPeople); ok {
			known := inTable(j.With.Table)
			for _, c := range inOrderOf(j.With.In, read, known) {
				if name := known(c); !slices.Contains(names, name) {
					names = append(names, name)
				}
			}
		}
	}
	return names
}

// noteSteps notes what the steps look at, by themselves, and returns the origins before each of
// them and after the last. Columns of raw go by other names where known gives them.
func (q quote) noteSteps(raw frames.Schema, known func(string) string, read map[string]bool) []madeFrom {
	at := q.origins(raw, known)
	for i, st := range q.stages {
		if local, blind := looksAt(st.Step); !local {
			at[i].noteAll(read, st.In, !blind)
		}
		// What a step was asked comes out, whatever becomes of the columns.
		if r, ok := st.Step.(mechanism.ColumnReader); ok {
			at[i].noteNamed(read, st.In, r.ColumnsRead(st.In))
		}
		if j, ok := st.Step.(steps.JoinPeople); ok {
			if stages, err := stagesOfSecond(j, st.Before); err == nil {
				quote{stages: stages}.noteSteps(j.With.In, inTable(j.With.Table), read)
			}
		}
	}
	return at
}

func asIs(column string) string { return column }

func inTable(table string) func(string) string {
	return func(column string) string { return columnOfTable(table, column) }
}

// noteAll notes what all columns are made of, the label where it is asked for.
func (of madeFrom) noteAll(read map[string]bool, in frames.Schema, label bool) {
	for _, c := range domain.DataColumns(in) {
		if label || c.Kind != frames.KindLabel {
			of.note(read, domain.UnitName(c))
		}
	}
}

func (of madeFrom) noteNamed(read map[string]bool, in frames.Schema, columns []string) {
	for _, unit := range columns {
		if c, there := in.Column(unit); there {
			unit = domain.UnitName(c)
		}
		of.note(read, unit)
	}
}

func (of madeFrom) note(read map[string]bool, unit string) {
	for _, c := range of[unit] {
		read[c] = true
	}
}

// inOrderOf names the columns of a schema that are read, and those that say whose the rows are and
// of which period: they decide what is made of them.
func inOrderOf(s frames.Schema, read map[string]bool, known func(column string) string) (names []string) {
	person, _ := s.Person()
	_, day := person.Period()
	for _, c := range s.Columns() {
		if read[known(c.Name)] || c.Kind == frames.KindPerson || day != "" && c.Name == day {
			names = append(names, c.Name)
		}
	}
	return names
}

// looksAt says of a step whether it makes each column of its own columns alone, and whether it looks
// at no label. A step of another module is taken to look at everything.
func looksAt(step stage.Preprocessor) (local, blind bool) {
	if !kind.IsOwn(step) {
		return false, false
	}
	_, local = step.(domain.ByColumn)
	_, blind = step.(domain.LabelBlind)
	return local, blind
}

// origins are those before each step, and those before the mechanism.
func (q quote) origins(raw frames.Schema, known func(string) string) []madeFrom {
	of := madeFrom{}
	for _, c := range domain.DataColumns(raw) {
		of[domain.UnitName(c)] = append(of[domain.UnitName(c)], known(c.Name))
	}
	all := []madeFrom{of}
	for _, st := range q.stages {
		of = of.after(st)
		all = append(all, of)
	}
	return all
}

// after are the origins after a step.
func (of madeFrom) after(st stageOf) madeFrom {
	local, _ := looksAt(st.Step)
	_, collapses := st.Step.(rows.Collapser)
	next := madeFrom{}
	for _, c := range domain.DataColumns(st.Out) {
		u := domain.UnitName(c)
		if c.Kind == frames.KindLabel && !(local && collapses) {
			next[u] = of[u]
			continue
		}
		if _, done := next[u]; done || !local {
			continue
		}
		for _, o := range st.Step.(domain.ByColumn).Origin(u) {
			next[u] = append(next[u], of[o]...)
		}
	}
	if j, ok := st.Step.(steps.JoinPeople); ok {
		next.join(j, st)
	}
	return next
}

// join adds the columns that come from a further table.
func (of madeFrom) join(j steps.JoinPeople, st stageOf) {
	stages, err := stagesOfSecond(j, st.Before)
	if err != nil {
		return // the step itself was refused
	}
	second := quote{stages: stages}.origins(j.With.In, inTable(j.With.Table))
	maps.Copy(of, second[len(stages)]) // no name is in both tables
}

// unread are the cells of the rows before the i-th step that nothing reads: [steps.PerPerson] and
// [steps.Bound] order and choose rows as if these cells were not there, so that the value depends on
// the columns that [quote.reads] names alone.
func (q quote) unread(i int) (cells []rows.Blank) {
	if q.columns == nil {
		return nil
	}
	read := map[string]bool{}
	for _, c := range q.columns {
		read[c] = true
	}
	in := q.stages[i].In
	of := q.origins(q.stages[0].In, asIs)[i]
	add := func(at int, c frames.Column) {
		if slices.ContainsFunc(of[domain.UnitName(c)], func(raw string) bool { return !read[raw] }) {
			cells = append(cells, rows.Blank{Cell: at, Value: min(max(0, c.Lo), c.Hi)})
		}
	}
	for at, c := range in.Features() {
		add(at, c)
	}
	if label, ok := in.Label(); ok {
		add(in.Width(), label)
	}
	return cells
}
