package accountant

import "fmt"

// Neighbours is the relation between two datasets that a guarantee speaks of.
// It is part of every curve, event and guarantee: a number without it means nothing.
type Neighbours uint8

const (
	// ReplaceOne relates datasets of the same public size n that differ in one row's value.
	ReplaceOne Neighbours = iota + 1
	// AddRemove relates datasets in one of which a row contributes nothing: it is zeroed out of a table whose
	// number of rows n stays public, not deleted from the file. That hides what a person's row holds, that it holds
	// anything included, and not how many rows there are. Where an event reads no n (a clipped sum, Poisson
	// sampling) its price covers a deleted row too.
	AddRemove
)

// String names the relation as it is printed beside every ε.
func (r Neighbours) String() string {
	switch r {
	case ReplaceOne:
		return "replace-one"
	case AddRemove:
		return "add/remove"
	default:
		return fmt.Sprintf("Neighbours(%d)", uint8(r))
	}
}

// Validate reports whether r is one of the defined relations.
func (r Neighbours) Validate() error {
	if r != ReplaceOne && r != AddRemove {
		return fmt.Errorf("accountant: neighbours: got %v, want ReplaceOne (a row's values change) or AddRemove (a row is zeroed out, not deleted from the file); the number of rows stays public under both: %w", r, ErrNeighbours)
	}
	return nil
}

// MarshalText writes the relation's name: "replace-one" or "add/remove".
func (r Neighbours) MarshalText() ([]byte, error) {
	if err := r.Validate(); err != nil {
		return nil, err
	}
	return []byte(r.String()), nil
}

// UnmarshalText reads what MarshalText writes.
func (r *Neighbours) UnmarshalText(text []byte) error {
	for _, rel := range []Neighbours{ReplaceOne, AddRemove} {
		if string(text) == rel.String() {
			*r = rel
			return nil
		}
	}
	return fmt.Errorf("accountant: neighbours: got %q, want %q or %q: %w", text, ReplaceOne, AddRemove, ErrNeighbours)
}

// match reports whether an event priced under r may be read under rel.
func (r Neighbours) match(event string, rel Neighbours) error {
	if err := rel.Validate(); err != nil {
		return err
	}
	if err := r.Validate(); err != nil {
		return fmt.Errorf("accountant: %s: %w", event, err)
	}
	if r != rel {
		return fmt.Errorf("accountant: %s: priced under %v, asked for %v; compute its sensitivity for %v: %w",
			event, r, rel, rel, ErrNeighbours)
	}
	return nil
}
