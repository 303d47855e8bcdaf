package dpkit

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// AddTable adds a further table of the session's people, and returns the chain over it that [Pipeline.JoinPeople] takes:
//
//	drugs, err := session.AddTable("drugs", frame)
//
// Its schema names the person too, under whatever name, written as in the first table: somebody who is "7" there and "007" here is two
// people. The unit of privacy is one for both; where it is a period, both columns of days have the same first and last day. Whom a release
// protects are the people of the session's table, each with all of their rows in both: rows of others in the added table are not read.
// Releases are charged to the session's ledger, which binds the columns of the added table to its name. A table that has a ledger of its own
// beside is protected by each of them: give both one project ([Options].Project).
func (s *Session) AddTable(name string, source frames.Source) (Pipeline, error) {
	fail := func(err error) (Pipeline, error) {
		return Pipeline{}, fmt.Errorf("dpkit: add table %q: %w", name, err)
	}
	if strings.TrimSpace(name) != name || name == "" {
		return fail(fmt.Errorf("got a name of blanks, or with blanks around it, want one such as \"drugs\": %w", ErrParameter))
	}
	if s.second != "" {
		return fail(fmt.Errorf("the session is of table %q, which was added itself: add it to the first one's: %w", s.second, ErrParameter))
	}
	if s.mode == modePublic {
		return fail(fmt.Errorf("the session is on public data, and the table would be read without noise: join public tables before they are opened: %w", ErrParameter))
	}
	if err := checkSource(source); err != nil {
		return fail(err)
	}
	if _, elsewhere := source.(*frames.Sharded); elsewhere {
		return fail(fmt.Errorf("its rows lie elsewhere, and a join needs them here: open its shards in this process: %w", frames.ErrElsewhere))
	}
	first, ok := s.schema.Person()
	person, also := source.Schema().Person()
	switch {
	case !ok:
		return fail(fmt.Errorf("the session's schema names no person, want a column frames.Person(\"…\") in both tables: %w", ErrColumn))
	case !also:
		return fail(fmt.Errorf("its schema names no person, want the column that names the people of the session's %q, as frames.Person(\"…\"); what is known of other keys is joined as a public table: %w", first.Name, ErrColumn))
	case unitOf(person) != s.unit:
		return fail(fmt.Errorf("it is kept per %v, and the session's table per %v: want one unit of privacy: %w", unitOf(person), s.unit, ErrColumn))
	}
	if unit, day := first.Period(); unit != "" {
		_, here := person.Period()
		a, _ := s.schema.Column(day)
		b, _ := source.Schema().Column(here)
		if a.Lo != b.Lo || a.Hi != b.Hi {
			return fail(fmt.Errorf("its days, %q, and the session's, %q, have other first or last days, so that a %s of the one is none of the other: declare both with the same: %w", here, day, unit, ErrColumn))
		}
	}
	t := &Session{
		src: source, schema: source.Schema().Computed(), rows: s.rows, unit: s.unit, neighbours: s.neighbours, mode: s.mode, ledger: s.ledger,
		version: s.version, seed: s.seed, tables: s.tables, second: name,
	}
	for _, c := range t.boundNames() { // each name in the ledger is bound to one column
		if _, taken := s.schema.Column(c); taken {
			return fail(fmt.Errorf("the session's table has a column %q, which is what the ledger would know one of this table by: take another name: %w", c, ErrParameter))
		}
	}
	if !s.tables.add(t) {
		return fail(fmt.Errorf("the session has a table of that name, or one whose columns the ledger would know by the same names: take another: %w", ErrParameter))
	}
	return t.Data(), nil
}

// JoinPeople gives each row the cells that the same person has in a further table of the session's people ([Session.AddTable]), of which one
// row a person was made:
//
//	visits.PerPerson(dpkit.CountRows{Max: 40}).
//		JoinPeople(drugs.PerPerson(dpkit.CountRows{Max: 20, As: "drugs"}))
//
// A chain over the second table that leaves its rows as they are, without PerPerson, gives each row of a person next to each row that the same
// person has there, or next to no values. This is for what depends on two rows, such as days between a visit and a prescription. It takes
// [PairedRows], public bounds on the rows of a person in both tables:
//
//	visits.JoinPeople(drugs, dpkit.PairedRows{First: 10, Second: 20}).PerPerson(…)
//
// Rows beyond the bounds are dropped before rows are paired, by a hash of the person's rows under the session's key, as [Pipeline.Bound] does.
// A person then has at most First·Second rows; PerPerson or Bound follows. How many rows are dropped is not told. The kept rows of both tables
// are held in memory. Their cells in the columns that the plan reads decide which rows are kept.
//
// It costs nothing: a row is one person's alone, made of that person's rows in both tables, and all of them may differ. It stands right behind
// [Pipeline.PerPerson], where everybody has one row, or before PerPerson or [Pipeline.Bound], where each row gets its person's cells. The
// people are those of the first table, n of them: who has no rows in the second keeps a row, with a count and a sum of 0 and no value in other
// columns, which Impute fills; who has rows in the second alone has none. A model that is released behind it reads joined rows.
//
// Rows of different people are never joined: see [Pipeline.Join].
func (p Pipeline) JoinPeople(second Pipeline, rows ...PairedRows) Pipeline {
	broken := func(err error) Pipeline { return p.with(steps.Broken{Name: "JoinPeople", Err: err}) }
	switch {
	case second.s == nil || second.s.second == "":
		return broken(fmt.Errorf("got a chain that is not over a table of Session.AddTable, want one, with PerPerson at its end: %w", ErrParameter))
	case p.s != nil && p.s.tables != second.s.tables:
		return broken(fmt.Errorf("table %q was added to another session, want one that was added to this one: %w", second.s.second, ErrParameter))
	//dp:advises chain/second-table refuses the end of such a chain
	case p.s != nil && p.s.second != "":
		return broken(fmt.Errorf("table %q was added to a session: join it to a chain over Session.Data: %w", p.s.second, ErrOrder))
	}
	return p.with(steps.JoinPeople{With: steps.Second{Table: second.s.second, Steps: second.steps, In: second.s.schema}, Kept: slices.Clone(rows)})
}

// PairedRows are the most rows of each person that [Pipeline.JoinPeople] pairs where both tables have any number of them. Both are at least 1, and
// their product is at most 2²⁰.
//
// Its fields:
//
//	First  int // rows of a person in the first table
//	Second int // rows of a person in the second table
type PairedRows = steps.PairedRows

// secondTables are further tables of the people of a session, by name.
type secondTables struct {
	mu sync.Mutex
	of []*Session
}

// add is false where there is one of that name, or one whose columns have the same names in the ledger.
func (t *secondTables) add(s *Session) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	names := s.boundNames()
	for _, there := range t.of {
		taken := func(name string) bool { return slices.Contains(names, name) }
		if there.second == s.second || slices.ContainsFunc(there.boundNames(), taken) {
			return false
		}
	}
	t.of = append(t.of, s)
	return true
}

// boundNames are what a ledger knows the columns of a further table by.
func (s *Session) boundNames() (names []string) {
	for _, c := range s.schema.Columns() {
		names = append(names, s.boundTo(c.Name))
	}
	return names
}

// boundTo is what a ledger knows a column of a further table by.
func (s *Session) boundTo(column string) string { return columnOfTable(s.second, column) }

func (t *secondTables) named(name string) (*Session, error) {
	if t != nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		for _, s := range t.of {
			if s.second == name {
				return s, nil
			}
		}
	}
	return nil, fmt.Errorf("the session has no table %q: add it with Session.AddTable: %w", name, ErrParameter)
}

func (t *secondTables) source(name string) (frames.Source, error) {
	s, err := t.named(name)
	if err != nil {
		return nil, err
	}
	return s.src, nil
}

// stagesOfSecond are the priced steps over a further table in front of a join at that state. They are public maps, and cost nothing.
func stagesOfSecond(j steps.JoinPeople, at pair.State) ([]stageOf, error) {
	chain := Pipeline{s: &Session{schema: j.With.In, rows: at.N, neighbours: at.Neighbours}, steps: j.With.Steps}
	stages, _, err := chain.traced()
	if err != nil {
		err = fmt.Errorf("table %q: %w", j.With.Table, err)
	}
	return stages, err
}

// joined are rows with the cells of their people in a further table.
func (q quote) joined(ctx context.Context, in frames.Source, i int, s stageOf, j steps.JoinPeople) (frames.Source, error) {
	src, err := q.second(j.With.Table)
	if err != nil {
		return nil, err
	}
	stages, err := stagesOfSecond(j, s.Before)
	if err != nil {
		return nil, err
	}
	a, err := quote{stages: stages, place: q.place, held: q.held, columns: q.readOf(j)}.apply(ctx, src, nil)
	if err != nil {
		return nil, err
	}
	_, absent, err := j.Joined()
	if err != nil {
		return nil, err
	}
	if j.Product() {
		return q.paired(ctx, in, i, s, j, stages, a.rows, absent)
	}
	second := rows.ByPerson(a.rows.(*rows.Matrix), absent) // PerPerson holds what it makes
	if m, ok := in.(*rows.Matrix); ok && !s.Stage.People {
		return rows.JoinRows(ctx, m, s.Out, second)
	}
	beside := &rows.Beside{In: in, Domain: s.Out, Second: second}
	if !q.fits(in.Rows(), s.Out) {
		return beside, nil
	}
	return rows.Materialise(ctx, beside, s.Out, rows.SameRow)
}

// paired are kept rows of both tables, each next to each of the same person. What is kept is chosen before rows are paired, so that one person has
// so many at most.
func (q quote) paired(ctx context.Context, in frames.Source, i int, s stageOf, j steps.JoinPeople, stages []stageOf, second frames.Source, absent []float64) (frames.Source, error) {
	to, err := j.Keeps()
	if err != nil {
		return nil, err
	}
	key, err := q.place()
	if err != nil {
		return nil, err
	}
	keep := func(in frames.Source, most int, unread []rows.Blank) (*rows.Places, error) {
		return rows.BoundPeople(ctx, in, stage.Stage{In: in.Schema(), Out: in.Schema()}, key, q.ofPeople(), rows.KeptRows{Rows: most, PerGroup: most, Groups: most, Unread: unread})
	}
	of, err := keep(second, to.Second, q.unreadOfSecond(j, stages, second.Schema()))
	if err != nil {
		return nil, err
	}
	own, err := keep(in, to.First, q.unread(i))
	if err != nil {
		return nil, err
	}
	person, _ := in.Schema().Person()
	return rows.Pair(s.Out, person, own, of, absent), nil
}

// readOf names the columns of a further table that the plan reads, by their names in it; nil where
// all are read.
func (q quote) readOf(j steps.JoinPeople) (columns []string) {
	for _, c := range j.With.In.Columns() {
		if slices.Contains(q.columns, columnOfTable(j.With.Table, c.Name)) {
			columns = append(columns, c.Name)
		}
	}
	return columns
}

// secondOf names the further tables that a release reads to the ledger, and what it is to be bound to of them.
func (s *Session) secondOf(ctx context.Context, q quote) (data string, columns map[string]string, err error) {
	columns = map[string]string{}
	for _, of := range q.stages {
		j, ok := of.Step.(steps.JoinPeople)
		if !ok {
			continue
		}
		fail := func(err error) (string, map[string]string, error) {
			return "", nil, fmt.Errorf("dpkit: release: %w", err)
		}
		t, err := s.tables.named(j.With.Table)
		if err != nil {
			return fail(err)
		}
		names := q.readOf(j)
		sum, err := t.fingerprint(ctx, names...)
		if err != nil {
			return fail(err)
		}
		data += sum
		for _, c := range names {
			if columns[boundName(t.boundTo(c))], err = t.boundFingerprint(ctx, c); err != nil {
				return fail(err)
			}
		}
	}
	return data, columns, nil
}

// jointSecond is secondOf all plans of a joint.
func (pl *plan) jointSecond(ctx context.Context, q *jointQuote) (data string, columns map[string]string, err error) {
	columns = map[string]string{}
	for _, p := range q.parts {
		d, c, err := pl.p.s.secondOf(ctx, p.q)
		if err != nil {
			return "", nil, err
		}
		data += d
		maps.Copy(columns, c)
	}
	return data, columns, nil
}

// joinPeople reads the chain over a further table: Table("drugs").PerPerson(…).
func (p *planParser) joinPeople(chain Pipeline) (Pipeline, error) {
	if err := p.Take("("); err != nil {
		return chain, err
	}
	if err := p.Take("Table("); err != nil {
		return chain, err
	}
	var name string
	if err := p.Value(reflect.ValueOf(&name).Elem()); err != nil {
		return chain, err
	}
	if err := p.Take(")"); err != nil {
		return chain, err
	}
	t, err := chain.s.tables.named(name)
	if err != nil {
		return chain, p.Fail("%w", err)
	}
	second := t.Data()
	for p.Skip(); p.At < len(p.Text) && p.Text[p.At] == '.'; p.Skip() {
		p.At++
		call, err := p.Name()
		if err != nil {
			return chain, err
		}
		if len(second.steps) == maxPlanSteps {
			return chain, p.Fail("more than %d steps", maxPlanSteps)
		}
		if call == "JoinPeople" {
			return chain, p.Fail("table %q joins another: want a chain over one table alone", name)
		}
		var end *plan
		if end, second, err = p.call(second, call); err != nil {
			return chain, err
		}
		if end != nil {
			return chain, p.Fail("got %s, which ends a chain, want one row a person by PerPerson(…)", call)
		}
	}
	var keep []PairedRows
	for p.Skip(); p.At < len(p.Text) && p.Text[p.At] == ','; p.Skip() {
		if err := p.Take(","); err != nil {
			return chain, err
		}
		if len(keep) == maxPlanSteps {
			return chain, p.Fail("more than %d PairedRows", maxPlanSteps)
		}
		var rows PairedRows
		if err := p.Value(reflect.ValueOf(&rows).Elem()); err != nil {
			return chain, err
		}
		keep = append(keep, rows)
	}
	return chain.JoinPeople(second, keep...), p.Take(")")
}
