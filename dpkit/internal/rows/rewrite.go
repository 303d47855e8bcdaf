package rows

import (
	"context"

	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// A Rewriter is a step of this package whose effect on a row depends on the rows around it: behind
// Fit's Transform it edits the rows themselves, in place. It may remove rows, by [Matrix.Remove].
type Rewriter interface {
	stage.Preprocessor
	// Rewrite edits m, the rows that Fit's Transform made of those of the source, before the next step sees them. Its error may not
	// depend on rows.
	Rewrite(ctx context.Context, m *Matrix, st stage.Stage) error
}
