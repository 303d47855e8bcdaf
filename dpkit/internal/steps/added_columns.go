package steps

import (
	"fmt"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// Steps that add columns, each cell of which is a function of the row.

// added is the schema with the columns behind it. hint says what to do where a name is taken.
func added(in frames.Schema, made []frames.Column, hint string) (frames.Schema, error) {
	cols := in.Columns()
	for _, m := range made {
		if slices.ContainsFunc(cols, func(there frames.Column) bool { return there.Name == m.Name || there.Block == m.Name }) {
			return in, fmt.Errorf("column %q is there already%s: %w", m.Name, hint, stage.ErrColumn)
		}
		cols = append(cols, m)
	}
	return frames.NewSchema(cols...)
}

// radiusWith bounds the norm of a row behind a step that adds the columns; a category counts with norm 1 (see [stage.StartRadius]).
func radiusWith(st stage.Stage, made []frames.Column) float64 {
	squares := 0.0
	for _, m := range made {
		largest := 1.0
		if len(m.Levels) == 0 {
			largest = max(math.Abs(m.Lo), math.Abs(m.Hi))
		}
		squares += largest * largest
	}
	return domain.EncodedRadius(st, stage.Up(math.Sqrt(squares)))
}
