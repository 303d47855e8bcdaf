package accountant

import (
	"fmt"
	"strings"
)

// Unit is what two neighbouring datasets differ in: whom a guarantee protects.
type Unit uint8

const (
	// PerRow protects each row: who has several rows is protected in one of them at a time.
	PerRow Unit = iota
	// PerPerson protects each person with all of their rows.
	PerPerson

	// PerPersonDay protects what a person did on one day, with all rows of it: who has rows on several is protected on one of them at a time.
	PerPersonDay
	// PerPersonWeek does so for weeks.
	PerPersonWeek
	// PerPersonMonth does so for months.
	PerPersonMonth
	// PerPersonYear does so for years.
	PerPersonYear
)

// units are the words that files and statements have.
var units = [...]string{
	PerRow: "row", PerPerson: "person",
	PerPersonDay: "person and day", PerPersonWeek: "person and week", PerPersonMonth: "person and month", PerPersonYear: "person and year",
}

// Counted is what n counts where the unit is protected: "rows", "people", "person-weeks".
func (u Unit) Counted() string {
	switch period, ok := strings.CutPrefix(u.String(), "person and "); {
	case ok:
		return "person-" + period + "s"
	case u == PerPerson:
		return "people"
	}
	return "rows"
}

// String is "row", "person", or one such as "person and week".
func (u Unit) String() string {
	if int(u) < len(units) {
		return units[u]
	}
	return fmt.Sprintf("Unit(%d)", uint8(u))
}

// Validate reports a unit that is none of the constants.
func (u Unit) Validate() error {
	if int(u) >= len(units) {
		return fmt.Errorf("accountant: unit: got %v, want PerRow, PerPerson or a period of a person: a newer version may know it: %w", u, ErrParameter)
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
	return fmt.Errorf("accountant: unit: got %.20q, want %q, %q or one such as %q: a newer version may know it: %w", b, PerRow, PerPerson, PerPersonWeek, ErrParameter)
}

// each is how a guarantee names the unit, where it is not a row.
func (u Unit) each() string {
	if u == PerRow {
		return ""
	}
	return " per " + u.String()
}
