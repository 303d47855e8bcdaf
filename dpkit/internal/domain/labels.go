package domain

import (
	"fmt"

	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// Classifiable reports rows that a classifier into two classes cannot read.
func Classifiable(in frames.Schema) error {
	label, ok := in.Label()
	if !ok || len(label.Levels) != 2 {
		return fmt.Errorf("the schema has no label with two classes; declare one with frames.Label(name, negative, positive): %w", stage.ErrColumn)
	}
	return EncodedFeatures(in, "")
}
