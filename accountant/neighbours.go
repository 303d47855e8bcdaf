package accountant

import "fmt"

// Neighbours is the relation between two datasets that a guarantee speaks of.
// It is part of every curve, event and guarantee: a number without it means nothing.
type Neighbours uint8

const (
	// ReplaceOne relates datasets of the same public size n that differ in one row's value.
	ReplaceOne Neighbours = iota + 1
	// AddRemove relates datasets where one row is present on one side only
	// (in a table of public size: zeroed out).
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
		return fmt.Errorf("accountant: neighbours: got %v, want ReplaceOne or AddRemove", r)
	}
	return nil
}
