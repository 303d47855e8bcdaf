package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// Origin says where a constant of a bound comes from. Statistics that were observed on private
// rows have no origin here: they are refused.
type Origin = stage.Origin

const (
	// FromSchema is a fact of the public schema.
	FromSchema = stage.FromSchema
	// FromParameter is a public parameter of the step, chosen by the caller or by a public default.
	FromParameter = stage.FromParameter
	// FromConstruction holds because of how the step computes (a floor, a cap, a projection).
	FromConstruction = stage.FromConstruction
	// FromDeclaration is a promise of the caller about the data: the scope becomes Conditional.
	FromDeclaration = stage.FromDeclaration
	// FromTest was established by propose-test-release or by a private bound, and is paid for.
	FromTest = stage.FromTest
)

// Constant is one number that a bound rests on.
type Constant = stage.Constant
