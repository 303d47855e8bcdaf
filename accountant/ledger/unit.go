package ledger

import "fmt"

// Unit is what two neighbouring datasets differ in: whom a budget protects.
type Unit uint8

// PerRow is a budget for each row: who has several rows has it several times. It is the only unit yet, and that of
// every ledger of the format's version 1, which does not say.
const PerRow Unit = 0

// String is the unit as it stands in the file.
func (u Unit) String() string {
	if u == PerRow {
		return "row"
	}
	return fmt.Sprintf("Unit(%d)", uint8(u))
}

// MarshalText is String, for statements.
func (u Unit) MarshalText() ([]byte, error) {
	if err := u.validate(); err != nil {
		return nil, err
	}
	return []byte(u.String()), nil
}

// UnmarshalText reads what MarshalText wrote.
func (u *Unit) UnmarshalText(b []byte) error {
	if string(b) != PerRow.String() {
		return fmt.Errorf("ledger: unit: got %.20q, want %q: a newer version may know it", b, PerRow.String())
	}
	*u = PerRow
	return nil
}

func (u Unit) validate() error {
	if u != PerRow {
		return fmt.Errorf("ledger: config: unit: got %v, want PerRow, the only one that this version prices", u)
	}
	return nil
}
