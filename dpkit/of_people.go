package dpkit

import (
	"crypto/hmac"
	"crypto/sha256"
	"fmt"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// ofPeople reports a step that takes rows for people where each may be one of many of a person: its price counts one row that differs.
// What maps one row at a time by public facts, and makes one row a person, does not.
func ofPeople(step stage.Preprocessor, st stage.Stage, pr stage.Propagation) error {
	_, collapses := step.(rows.Collapser)
	_, rewrites := step.(rows.Rewriter)
	_, deploys := step.(stage.Deployer)
	_, filters := step.(steps.Where)
	own := kind.IsOwn(step)
	switch {
	case filters:
		return nil
	case pr.Collapses && collapses && own:
		return nil
	case own && pr.Role == stage.RolePublic && deploys && !rewrites && !pr.Empties && !pr.Collapses && !pr.Pair.Displaced() && pr.Pair.F == st.Before.F:
		return nil
	}
	return manyRows(st.In)
}

// manyRows is the error of what stands on rows of people.
func manyRows(in frames.Schema) error {
	c, _ := in.Person()
	return fmt.Errorf("rows are of people, by %q, and one person may have any number of them: make one row a person before it, by PerPerson(…), for instance of CountRows, MeanOf and MostFrequent: %w", c.Name, ErrOrder)
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
