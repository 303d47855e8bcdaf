package domain

import (
	"fmt"
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// NumericColumns checks that every name is a numeric column that encodes no category.
func NumericColumns(in frames.Schema, names []string) error {
	if len(names) == 0 {
		return fmt.Errorf("got no column; name at least one: %w", kind.ErrParameter)
	}
	for _, name := range names {
		col, ok := in.Column(name)
		if _, feature := in.FeatureIndex(name); !ok || !feature {
			return UnknownColumn(name, in)
		}
		if col.Kind != frames.KindNumeric || col.Block != "" {
			return fmt.Errorf("column %q: got a category or a part of one, want a numeric column: %w", name, stage.ErrColumn)
		}
	}
	return nil
}

// DataColumns are the features and the label, in the order of the schema.
func DataColumns(s frames.Schema) []frames.Column {
	return slices.DeleteFunc(s.Columns(), func(c frames.Column) bool { return c.Kind == frames.KindIgnored || c.Kind == frames.KindPerson })
}

// FeatureNames are the columns that a mechanism reads which looks at no label.
func FeatureNames(in frames.Schema) []string {
	var names []string
	for _, c := range in.Features() {
		names = append(names, c.Name)
	}
	return names
}

// UnitName is the name that a feature goes by in steps: that of the category which it encodes, or its own.
func UnitName(c frames.Column) string {
	if c.Block != "" {
		return c.Block
	}
	return c.Name
}
