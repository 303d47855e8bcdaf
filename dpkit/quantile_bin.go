package dpkit

import (
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
)

// QuantileBin replaces the values of the named numeric columns by the level of the equally filled
// bin that their rank falls in: (bin + 1/2)/bins, in [0, 1]. The row of rank r among m observed
// ones, from 0, is in bin ⌊r·bins/m⌋. Rows of the same value share the mean of the levels that
// their ranks span, so that no value is torn apart and the order of the rows does not matter.
// Missing cells stay missing and have no rank. Ranks are fitted without noise and priced; they are
// needed at prediction time and are not private, so that no model which reads rows can be released
// behind this step.
func (p Pipeline) QuantileBin(bins int, columns ...string) Pipeline {
	return p.with(steps.QuantileBin{Bins: bins, Columns: slices.Clone(columns)})
}
