package steps

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// JoinPeople is dpkit.Pipeline.JoinPeople: each row gets the cells that its person has in a second table of the same people.
type JoinPeople struct {
	With Second
	Kept []PairedRows // one where rows are joined to rows, otherwise none
}

// PairedRows bounds the rows of each person that are paired.
type PairedRows struct {
	First  int // rows of a person in the first table
	Second int // rows of a person in the second table
}

// check refuses bounds whose product is no bound of a person's rows.
func (r PairedRows) check() error {
	for _, p := range []struct {
		name  string
		value int
	}{{"First", r.First}, {"Second", r.Second}} {
		if p.value < 1 || p.value > mostRows {
			return fmt.Errorf("PairedRows: %s: got %d rows of a person, want 1 to 2^20: %w", p.name, p.value, kind.ErrParameter)
		}
	}
	if most := int64(r.First) * int64(r.Second); most > mostRows {
		return fmt.Errorf("PairedRows: First times Second: got %d rows of a person, want at most 2^20: keep fewer rows of one table: %w", most, kind.ErrParameter)
	}
	return nil
}

// Second is a chain over a second table that makes one row a person of it, or leaves its rows.
type Second struct {
	Table string               // name in the session
	Steps []stage.Preprocessor // public maps of one row, then PerPerson or nothing
	In    frames.Schema        `dp:"-"` // of the table, which the session has by its name
}

// Text is the chain as it is written.
func (s Second) Text() string {
	calls := []string{kind.Call("Table", strconv.Quote(s.Table))}
	for _, step := range s.Steps {
		calls = append(calls, kind.TextOf(step))
	}
	return strings.Join(calls, ".")
}

// schema is of the rows behind the chain.
func (s Second) schema() (frames.Schema, error) {
	in := s.In
	for _, step := range s.Steps {
		var err error
		if in, err = step.Check(in); err != nil {
			return in, fmt.Errorf("table %q: %s: %w", s.Table, kind.Describe(step), err)
		}
	}
	return in, nil
}

func (JoinPeople) Kind() kind.Kind { return kind.Kind{Name: "people/join", Law: 1, Call: "JoinPeople"} }

// Product says that the chain leaves rows of people as they are: each kept row is joined to each kept row of the same person.
func (j JoinPeople) Product() bool {
	for _, step := range j.With.Steps {
		switch step.(type) {
		case PerPerson, Bound:
			return false
		}
	}
	return true
}

// onePerson is what makes the second table's rows.
func (j JoinPeople) onePerson() (PerPerson, error) {
	if len(j.With.Steps) > 0 {
		switch last := j.With.Steps[len(j.With.Steps)-1].(type) {
		case PerPerson:
			return last, nil
		case Bound:
			//dp:advises the return below refuses it too
			return PerPerson{}, fmt.Errorf("table %q: its rows are kept by Bound, and a join with as many rows multiplies rows: leave out Bound and name both bounds in the join, as in JoinPeople(second, PairedRows{First: 10, Second: 10}), or end its chain with PerPerson(…): %w", j.With.Table, stage.ErrOrder)
		}
	}
	//dp:refuses join/rows-by-rows a join of rows multiplies what a person has
	return PerPerson{}, fmt.Errorf("table %q has any number of rows of a person, and a join with as many rows multiplies rows: end its chain with PerPerson(…), which makes one row a person: %w", j.With.Table, stage.ErrOrder)
}

// Keeps are the public bounds of the rows that are paired: an error where rows are joined to rows without them, or where they bound nothing.
func (j JoinPeople) Keeps() (PairedRows, error) {
	switch {
	case j.Product() && len(j.Kept) == 0:
		//dp:refuses join/unbounded-rows one person's rows would decide how many rows there are
		return PairedRows{}, fmt.Errorf("table %q: each row of a person is joined to each row of the same person there, and one person may have any number of both: name how many rows of a person are paired, as in JoinPeople(second, PairedRows{First: 10, Second: 10}), or end its chain with PerPerson(…), which makes one row a person: %w", j.With.Table, stage.ErrOrder)
	case len(j.Kept) == 0:
		return PairedRows{}, nil
	case !j.Product():
		return PairedRows{}, fmt.Errorf("table %q: its chain makes one row a person, so that no rows are paired: leave out PairedRows: %w", j.With.Table, kind.ErrParameter)
	case len(j.Kept) > 1:
		return PairedRows{}, fmt.Errorf("got %d PairedRows, want one: %w", len(j.Kept), kind.ErrParameter)
	}
	return j.Kept[0], j.Kept[0].check()
}

// Joined are the columns of the second table's rows, and the cells of somebody who has none there, features and then the label: NaN where
// they miss.
func (j JoinPeople) Joined() (cols []frames.Column, absent []float64, err error) {
	if j.Product() {
		return j.joinedRows()
	}
	one, err := j.onePerson()
	if err != nil {
		return nil, nil, err
	}
	in, err := j.With.schema()
	if err != nil {
		return nil, nil, err
	}
	label := 0.0
	for i, c := range in.Columns() {
		v := ofNobody(one.Of[i])
		switch {
		case c.Kind == frames.KindLabel:
			if label = v; math.IsNaN(v) {
				return nil, nil, fmt.Errorf("table %q: the label %q misses where somebody has no rows there, which a label cannot: make it of the first table, or of CountRows or SumOf: %w", j.With.Table, c.Name, stage.ErrColumn)
			}
		case math.IsNaN(v):
			c = c.MayMiss()
			fallthrough
		default:
			absent = append(absent, v)
		}
		cols = append(cols, c)
	}
	return cols, append(absent, label), nil
}

// joinedRows are the columns of rows that are joined one by one, which all miss where somebody has none.
func (j JoinPeople) joinedRows() (cols []frames.Column, absent []float64, err error) {
	in, err := j.With.schema()
	if err != nil {
		return nil, nil, err
	}
	for _, c := range in.Columns() {
		switch c.Kind {
		case frames.KindPerson, frames.KindIgnored:
			continue
		case frames.KindLabel, frames.KindText:
			return nil, nil, fmt.Errorf("table %q: column %q is a label or of texts, which do not miss where somebody has no rows there: leave it out by Select(…), or make one row a person of it by PerPerson(…): %w", j.With.Table, c.Name, stage.ErrColumn)
		}
		cols, absent = append(cols, c.MayMiss()), append(absent, math.NaN())
	}
	if len(cols) == 0 {
		return nil, nil, fmt.Errorf("table %q: its rows have no columns but whose they are: count them by PerPerson(CountRows{…}): %w", j.With.Table, stage.ErrColumn)
	}
	return cols, append(absent, math.NaN()), nil
}

// ofNobody is a statistic of no rows: a count and a sum are 0, within their bounds, and all else misses.
func ofNobody(s PersonStatistic) float64 {
	switch s := s.(type) {
	case CountRows:
		return 0
	case SumOf:
		return num.Clamp(0, s.Lo, s.Hi)
	case PersonLabel:
		return ofNobody(s.Of)
	}
	return math.NaN()
}

func (j JoinPeople) Check(in frames.Schema) (frames.Schema, error) {
	made, _, err := j.Joined()
	if err != nil {
		return in, err
	}
	cols := in.Columns()
	for _, m := range made {
		if slices.ContainsFunc(cols, func(there frames.Column) bool { return there.Name == m.Name || there.Block == m.Name }) {
			return in, fmt.Errorf("column %q is there already: name that of table %q otherwise, by As: %w", m.Name, j.With.Table, stage.ErrColumn)
		}
		if there, ok := in.Label(); ok && m.Kind == frames.KindLabel {
			return in, fmt.Errorf("there is a label, %q, already: leave PersonLabel out of the chain of table %q: %w", there.Name, j.With.Table, stage.ErrColumn)
		}
		cols = append(cols, m)
	}
	return frames.NewSchema(cols...)
}

// Propagate (docs/theory/tables.md#two-tables-of-the-same-people): a person's rows are a function of that person's rows in both tables.
func (j JoinPeople) Propagate(st stage.Stage) (stage.Propagation, error) {
	keep, err := j.Keeps()
	if j.Product() && !st.People {
		_, err = j.onePerson()
	}
	if err != nil {
		return stage.Propagation{}, err
	}
	if st.Before.F != 1 || st.Before.Displaced() || st.Unordered || st.Contributions.Rows > 1 {
		return stage.Propagation{}, j.misplaced()
	}
	if most := keep.First * keep.Second; most > 0 && st.Before.N > math.MaxInt32/most {
		return stage.Propagation{}, fmt.Errorf("PairedRows: %d times %d rows of each of %d people: want at most 2^31 − 1 joined rows: keep fewer rows of a person: %w", keep.First, keep.Second, st.Before.N, kind.ErrParameter)
	}
	after, err := pair.Start(st.Before.N, stage.StartRadius(st.Out), st.Before.Neighbours)
	if st.Empty && err == nil {
		after, err = after.Group(0)
	}
	constants := []stage.Constant{
		{Symbol: "n", Value: float64(after.N), Origin: stage.FromSchema, Meaning: fmt.Sprintf("people of the first table: how many have rows in %q is private", j.With.Table)},
		{Symbol: "R", Value: after.R, Origin: stage.FromSchema, Meaning: "bound on the norm of a row with the new cells"},
	}
	note := "the new cells are made of the same person's rows in the second table: free, as one who differs may differ in both"
	if j.Product() {
		note = "a hash of the person's own rows keeps at most K₁ and K₂ of them, each kept row is joined to each of the same person: free, and a person has at most K₁K₂ rows"
		constants = append(constants,
			stage.Constant{Symbol: "K₁", Value: float64(keep.First), Origin: stage.FromParameter, Meaning: "rows of a person in the first table that are paired: others are dropped"},
			stage.Constant{Symbol: "K₂", Value: float64(keep.Second), Origin: stage.FromParameter, Meaning: fmt.Sprintf("rows of a person in %q that are paired: others are dropped", j.With.Table)})
	}
	return stage.Propagation{
		Pair: after, Scope: accountant.Scope{Kind: accountant.Unconditional}, Role: stage.RolePublic,
		Constants: constants,
		Note:      note,
		Reference: "tables of people §2, two tables of the same people",
	}, err
}

func (j JoinPeople) misplaced() error {
	//dp:refuses join/others-rows a joined row would be several people's
	return fmt.Errorf("a joined row must be one person's alone: put it right behind PerPerson(…), or before PerPerson or Bound and the steps that are fitted to the data; rows that are others' are joined by what is public: release a table of one side by key, and Join that: %w", stage.ErrOrder)
}

// Follow refuses rows of which nothing says any more whose they are: behind PerPerson it stands at once.
func (j JoinPeople) Follow(before []PricedStep, st stage.Stage, _ *stage.Propagation) error {
	if st.People {
		return nil
	}
	if len(before) > 0 {
		switch before[len(before)-1].Step.(type) {
		case PerPerson, JoinPeople:
			return nil
		}
	}
	return j.misplaced()
}

// Fit has nothing to learn: the engine joins the rows.
func (JoinPeople) Fit(context.Context, frames.Source, stage.Stage) (stage.Transform, error) {
	return stage.ByRow(CopyRow), nil
}

// Deploy is the identity: a model reads rows that are joined.
func (JoinPeople) Deploy(stage.Stage) (stage.RowMap, error) { return stage.RowMap{}, nil }

// Origin (see [domain.ByColumn]): what is new is of no column of the first table.
func (j JoinPeople) Origin(unit string) []string {
	made, _, _ := j.Joined()
	if slices.ContainsFunc(made, func(c frames.Column) bool { return c.Name == unit }) {
		return nil
	}
	return []string{unit}
}

// LabelBlind says that no label is read.
func (JoinPeople) LabelBlind() {}

// ReadsUnbounded says that no bound of a column enters.
func (JoinPeople) ReadsUnbounded() {}

// LeavesTexts says that cells of texts are left alone, or name groups.
func (JoinPeople) LeavesTexts() {}
