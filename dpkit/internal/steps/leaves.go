package steps

import (
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// Leaves reports whether a step is known to leave every cell of a numeric column without missing
// values as it is, where the column is still there after the step. Only steps that make each column
// of its own can be; of any other step the answer is no.
func Leaves(step stage.Preprocessor, column string) bool {
	switch s := step.(type) {
	case OneHot, Ordinal, Codebook: // they read categories and texts alone
		return true
	case Choose, Indicate: // they take columns away or add some
		return true
	case Quantize:
		return !slices.Contains(s.Columns, column)
	case ClipColumns:
		return !slices.Contains(s.Columns, column)
	case PublicWinsor:
		return !slices.Contains(s.Columns, column)
	case Bin:
		return !slices.Contains(s.Columns, column)
	case FixedImpute: // without names it fills missing cells, of which the column has none
		return !slices.Contains(s.Columns, column)
	case MidpointImpute:
		return !slices.Contains(s.Columns, column)
	case Mutation:
		return s.Name != column
	case Calendar:
		return s.Column != column
	case Join:
		return !slices.ContainsFunc(s.Takes, func(c Joined) bool { return c.Name == column })
	}
	return false
}
