package dpkit

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	"github.com/go-gota/gota/dataframe"

	"github.com/dpkit-go/dpnb/dpkit/internal/origin"
)

// History is the session's ledger as a gota frame, a row for each charge, in order: "name" (the mechanism where the plan has none), "when" (RFC 3339, UTC), "state",
// "mechanism", and what each promises: "epsilon", "delta", "unit", "entry", "promise". All of it is public. A session without a
// ledger has none: a demonstration, or one on public data.
func (s *Session) History() (dataframe.DataFrame, error) {
	if s.ledger == nil {
		return dataframe.DataFrame{}, errors.New("dpkit: history: this session has no ledger: it is a demonstration, or on public data")
	}
	entries, err := s.ledger.Entries()
	if err != nil {
		return dataframe.DataFrame{}, fmt.Errorf("dpkit: history: %w", err)
	}
	var name, when, state, mechanism []string
	promises := make([]origin.Provenance, len(entries))
	for i, e := range entries {
		name, when = append(name, cmp.Or(e.Name, e.Mechanism)), append(when, e.When.UTC().Format(time.RFC3339))
		state, mechanism = append(state, e.State.String()), append(mechanism, e.Mechanism)
		promises[i] = origin.Provenance{Guarantee: &e.Guarantee, Unit: e.Guarantee.Unit.String(), Entry: e.ID}
	}
	return origin.GotaEach(promises, origin.Words("name", name), origin.Words("when", when), origin.Words("state", state), origin.Words("mechanism", mechanism)), nil
}
