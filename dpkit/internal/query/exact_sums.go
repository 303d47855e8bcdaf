package query

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/frames"
)

// CheckColumns reports a target out of range, and features that have no sum.
func (t Target) CheckColumns(in frames.Schema) error {
	if err := t.Check(); err != nil {
		return err
	}
	return domain.EncodedFeatures(in, ", or release its Histogram")
}
