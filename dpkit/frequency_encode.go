package dpkit

import (
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
)

// FrequencyEncode replaces the named categories, or all of them, by a number in [0, 1] for each
// level: its number of rows over n, the public number of rows. Missing cells stay missing. The
// counts are fitted without noise and priced; they are needed at prediction time and are not
// private, so that no model which reads rows can be released behind this step.
func (p Pipeline) FrequencyEncode(columns ...string) Pipeline {
	return p.with(steps.FrequencyEncode{Columns: slices.Clone(columns)})
}
