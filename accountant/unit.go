package accountant

import "fmt"

// Unit is what two neighbouring datasets differ in: whom a guarantee protects.
type Unit uint8

const (
	// PerRow protects each row: who has several rows is protected in one of them at a time.
	PerRow Unit = iota
	// PerPerson protects each person with all of their rows.
	PerPerson
)

// units are the words that files and statements have.
var units = [...]string{PerRow: "row", PerPerson: "person"}

// String is "row" or "person".
func (u Unit) String() string {
	if int(u) < len(units) {
		return units[u]
	}
	return fmt.Sprintf("Unit(%d)", uint8(u))
}

// Validate reports a unit that is none of the constants.
func (u Unit) Validate() error {
	if int(u) >= len(units) {
		return fmt.Errorf("accountant: unit: got %v, want PerRow or PerPerson: a newer version may know it: %w", u, ErrParameter)
	}
	return nil
}

// MarshalText is String.
func (u Unit) MarshalText() ([]byte, error) { return []byte(u.String()), u.Validate() }

// UnmarshalText reads what MarshalText wrote.
func (u *Unit) UnmarshalText(b []byte) error {
	for i, name := range units {
		if string(b) == name {
			*u = Unit(i)
			return nil
		}
	}
	return fmt.Errorf("accountant: unit: got %.20q, want %q or %q: a newer version may know it: %w", b, PerRow, PerPerson, ErrParameter)
}

// each is how a guarantee names the unit, where it is not a row.
func (u Unit) each() string {
	if u == PerRow {
		return ""
	}
	return " per " + u.String()
}
