package steps

import (
	"context"
	"fmt"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// PerPerson is dpkit.Pipeline.PerPerson: one row for each person, made of all of their rows.
type PerPerson struct{ Of []PersonStatistic }

// A PersonStatistic is a number or a level that is made of all rows of a person, and of nothing else.
type PersonStatistic interface {
	// declared is the column that it makes.
	declared(in frames.Schema) (frames.Column, error)
	// made returns the name of the column, and the columns that it is made of.
	made() (name string, of []string)
	// reader makes its cell of a person's rows, behind a declaration without an error.
	reader(in frames.Schema) func(rows.Bag) float64
}

func (PerPerson) Kind() kind.Kind {
	return kind.Kind{Name: "people/collapse", Law: 1, Call: "PerPerson"}
}

// noPerson says what to do where no column names whose rows they are: the schema at hand does not tell whether an earlier step took it.
func noPerson() error {
	return fmt.Errorf("no column names whose rows they are: want a frames.Person(\"…\") in the schema. "+
		"Without one there every row is a person already: leave the step out. Where the schema has one, it is not carried on after Bound or PerPerson: put this step in its place: %w", stage.ErrColumn)
}

func (p PerPerson) Check(in frames.Schema) (frames.Schema, error) {
	if _, ok := in.Person(); !ok {
		return in, noPerson()
	}
	if len(p.Of) == 0 {
		return in, fmt.Errorf("got no statistic of a person's rows, want for instance CountRows{Max: 40}: %w", kind.ErrParameter)
	}
	cols := make([]frames.Column, len(p.Of))
	for i, s := range p.Of {
		if s == nil {
			return in, fmt.Errorf("statistic %d: got nil, want for instance CountRows{Max: 40}: %w", i+1, kind.ErrParameter)
		}
		err := kind.Closed(fmt.Sprintf("statistic %d", i+1), s)
		if err == nil {
			cols[i], err = s.declared(in)
		}
		if err != nil {
			return in, err
		}
	}
	return frames.NewSchema(cols...)
}

// Propagate (docs/theory/tables.md#one-row-a-person): the row of a person is a function of the multiset of their rows, so that two tables that
// differ in one person's rows lead to tables that differ in one row, at its place, whatever that person had. Under add/remove the person
// whose rows are gone leaves an empty row, and so does one of whom no row met the conditions before. n is the public number of people.
func (p PerPerson) Propagate(st stage.Stage) (stage.Propagation, error) {
	//dp:refuses per-person/nobody rows that are nobody's would be made one of
	if !st.People {
		return stage.Propagation{}, fmt.Errorf("a row is one person's already: leave the step out: %w", stage.ErrOrder)
	}
	if st.Before.F != 1 || st.Before.Displaced() {
		//dp:advises people/step-on-their-rows refuses such steps first; the price of the step alone holds too
		return stage.Propagation{}, fmt.Errorf("rows of others may differ where one person's do: put it before the steps that are fitted to the data: %w", stage.ErrOrder)
	}
	after, err := pair.Start(st.Before.N, stage.StartRadius(st.Out), st.Before.Neighbours)
	person, _ := st.In.Person()
	empties := person.Listed() > 0 || person.Periods() > 1 // who is listed may have no rows, nor has anybody in every period, on either side
	if empties && err == nil {
		after, err = after.Group(0)
	}
	counted := "people: public, as the number of rows is where rows are people"
	if period, _ := person.Period(); period != "" { // docs/theory/tables.md#periods-of-a-person
		counted = fmt.Sprintf("people times %d: public; each has a row for every %s", person.Periods(), period)
	}
	return stage.Propagation{
		Pair: after, Scope: accountant.Scope{Kind: accountant.Unconditional}, Role: stage.RolePublic,
		Constants: []stage.Constant{
			{Symbol: "n", Value: float64(after.N), Origin: stage.FromSchema, Meaning: counted},
			{Symbol: "R", Value: after.R, Origin: stage.FromSchema, Meaning: "bound on the norm of a person's row"},
		},
		Collapses: true, Empties: empties, InPlace: empties,
		Note:      "a person's row is made of that person's rows alone: free, and one row is free behind it",
		Reference: "tables of people §1, one row a person",
	}, err
}

// Fit has nothing to learn: Collapse makes the rows.
func (PerPerson) Fit(context.Context, frames.Source, stage.Stage) (stage.Transform, error) {
	return stage.ByRow(CopyRow), nil
}

// Collapse returns the map from a person's rows to the row of that person.
func (p PerPerson) Collapse(st stage.Stage) (func(dst []float64, y *float64, of rows.Bag), error) {
	read := make([]func(rows.Bag) float64, len(p.Of))
	at := make([]int, len(p.Of)) // of the features; -1 for the label
	cols := st.Out.Columns()
	for i, s := range p.Of {
		read[i], at[i] = s.reader(st.In), -1
		if j, ok := st.Out.FeatureIndex(cols[i].Name); ok {
			at[i] = j
		}
	}
	return func(dst []float64, y *float64, of rows.Bag) {
		for i, f := range read {
			if v := f(of) + 0; at[i] < 0 { // −0 is 0
				*y = v
			} else {
				dst[at[i]] = v
			}
		}
	}, nil
}

// Origin (see [domain.ByColumn]): a statistic is made of its columns, over all rows of a person.
func (p PerPerson) Origin(unit string) []string {
	for _, s := range p.Of {
		if name, of := s.made(); name == unit {
			return of
		}
	}
	return nil
}

// ReadsUnbounded says that columns without bounds may be there: what is made of them has none either.
func (PerPerson) ReadsUnbounded() {}

// LeavesTexts says that cells of texts are left alone, or name groups.
func (PerPerson) LeavesTexts() {}
