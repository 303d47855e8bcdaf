package stage

import (
	"fmt"
)

// Origin says where a constant of a bound comes from. Statistics that were observed on private
// rows have no origin here: they are refused.
type Origin string

const (
	// FromSchema is a fact of the public schema.
	FromSchema Origin = "schema"
	// FromParameter is a public parameter of the step, chosen by the caller or by a public default.
	FromParameter Origin = "parameter"
	// FromConstruction holds because of how the step computes (a floor, a cap, a projection).
	FromConstruction Origin = "construction"
	// FromDeclaration is a promise of the caller about the data: the scope becomes Conditional.
	FromDeclaration Origin = "declared"
	// FromTest was established by propose-test-release or by a private bound, and is paid for.
	FromTest Origin = "tested"
)

// Constant is one number that a bound rests on.
type Constant struct {
	Symbol  string  `json:"symbol"`
	Value   float64 `json:"value"`
	Origin  Origin  `json:"origin"`
	Meaning string  `json:"meaning"`
}

// String renders the constant on one line, to six digits, with its origin.
func (c Constant) String() string {
	return fmt.Sprintf("%s = %.6g (%s: %s)", c.Symbol, c.Value, c.Origin, c.Meaning)
}
