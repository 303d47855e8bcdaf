package dpkit

import (
	"crypto/hmac"
	"crypto/sha256"
	"fmt"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// ofPeople reports a step that takes rows for people where each may be one of many of a person: its price counts one row that differs.
// What maps one row at a time by public facts, and makes one row a person or bounds their rows, does not.
func ofPeople(step stage.Preprocessor, st stage.Stage, pr stage.Propagation) error {
	_, collapses := step.(rows.Collapser)
	_, bounds := step.(rows.Bounder)
	_, rewrites := step.(rows.Rewriter)
	_, deploys := step.(stage.Deployer)
	_, filters := step.(steps.Where)
	_, joins := step.(steps.JoinPeople)
	own := kind.IsOwn(step)
	switch {
	case filters || joins:
		return nil
	case own && (pr.Collapses && collapses || pr.Bounds.Rows > 0 && bounds):
		return nil
	case own && pr.Role == stage.RolePublic && deploys && !rewrites && !pr.Empties && !pr.Collapses && !pr.Pair.Displaced() && pr.Pair.F == st.Before.F:
		return nil
	}
	//dp:refuses people/step-on-their-rows a step on rows of people is priced for one row
	return manyRows(st.In)
}

// manyRows is the error of what stands on rows of people.
func manyRows(in frames.Schema) error {
	c, _ := in.Person()
	//dp:advises the words of both refusals of people
	return fmt.Errorf("rows are of people, by %q, and one person may have any number of them: make one row a person before it, by PerPerson(…), for instance of CountRows, MeanOf and MostFrequent, or bound what a person contributes, by Bound(Contributing{Rows: k}): %w", c.Name, ErrOrder)
}

// ofOnePerson adds to an error of what is priced for one row of a person, and meets several, what to do: the way without the error is to make
// one row of them.
func ofOnePerson(st stage.Stage, err error, again func(stage.Stage) error) error {
	k := st.Contributions.Rows
	if err == nil || k <= 1 {
		return err
	}
	one := st
	one.Contributions, one.Empty, one.Unordered = stage.Contributions{}, false, false
	before, serr := pair.Start(st.Before.N, st.Before.R, st.Before.Neighbours)
	if one.Before = before; serr != nil || again(one) != nil {
		return err // of something else
	}
	return fmt.Errorf("a person may have %d rows here, by Bound, all of which may differ, and it is not priced for so many: make one row a person, by PerPerson(…) in the place of Bound: %w", k, err)
}

// unitOf is what a schema's person says that guarantees protect.
func unitOf(person frames.Column) accountant.Unit {
	switch period, _ := person.Period(); period {
	case frames.Day:
		return accountant.PerPersonDay
	case frames.Week:
		return accountant.PerPersonWeek
	case frames.Month:
		return accountant.PerPersonMonth
	case frames.Year:
		return accountant.PerPersonYear
	}
	return accountant.PerPerson
}

// place is what people are placed by: under a ledger its secret, in a demonstration and on public data what everybody knows.
func (s *Session) place() (rows.PlaceKey, error) {
	if s.ledger == nil {
		return rows.PlaceKey("dpnb: no secret"), nil
	}
	key, err := s.ledger.Key()
	if err != nil {
		return nil, err
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("dpnb/dpkit.people/1"))
	return mac.Sum(nil), nil
}
