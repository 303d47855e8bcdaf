package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
)

// Grid removes all rows but one from each cell of a public grid: the numeric keys are cut into cells
// of the given width, counted from the column's lower bound, and the other keys (categories, encoded
// or not, the label, and which cells are missing) are compared as they are.
type Grid = steps.Grid

// Representative says which row stands for a cell.
type Representative = steps.Representative

const (
	// Center moves the numeric keys to the centres of their cells. Over whole rows that costs nothing:
	// what is left is the set of occupied cells.
	Center = steps.Center
	// Smallest keeps the row of the cell that comes first in the order of its values, as it is.
	Smallest = steps.Smallest
)
