package dpkit

import (
	"fmt"
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
)

// A Deduper is [Exact], [Grid] or [Ball].
type Deduper = steps.Deduper

// Exact removes exact duplicates. Over whole rows it costs nothing: what is left is the set of rows,
// and one row that changes changes one element of it.
type Exact = steps.Exact

// Dedup removes duplicate rows of the training data: [Exact] ones, rows that share a cell of a public
// [Grid], or near ones in a [Ball]. A removed row keeps its place and contributes nothing; means and
// gradients are still divided by the public number of rows.
//
// Without keys, two rows are duplicates if they agree in everything, label included. With keys (names
// of features, or of the label) only those are compared, and of each group of duplicates the row
// stays that comes first in the order of its values (not in the order of the file).
//
// Whether two rows are duplicates is not continuous in them: put Dedup before the steps that are
// fitted to the data. At prediction time nothing is removed.
func (p Pipeline) Dedup(how Deduper, keys ...string) Pipeline {
	if how == nil {
		return p.with(steps.Broken{Name: "Dedup(nil)", Err: fmt.Errorf("got no method, want dpkit.Exact{}, dpkit.Grid{…} or dpkit.Ball{…}: %w", ErrParameter)})
	}
	return p.with(how.Deduper(slices.Clone(keys)))
}

// Grid removes all rows but one from each cell of a public grid: the numeric keys are cut into cells
// of the given width, counted from the column's lower bound, and the other keys (categories, encoded
// or not, the label, and which cells are missing) are compared as they are.
//
// Its fields:
//
//	Width          float64 // of a cell, in the units of the columns; no default
//	Representative Representative
type Grid = steps.Grid

// Representative says which row stands for a cell.
type Representative = steps.Representative

const (
	// CellCenter moves the numeric keys to the centres of their cells. Over whole rows that costs nothing:
	// what is left is the set of occupied cells.
	CellCenter = steps.CellCenter
	// CellSmallest keeps the row of the cell that comes first in the order of its values, as it is.
	CellSmallest = steps.CellSmallest
)

// Ball finds good clusters (Hu, Sanyal, Schölkopf 2024): a row is a centre if no row lies at a
// distance in (η, 3η] from it, and the rows within η of a centre are its cluster. [Pipeline.Dedup]
// keeps the centre of each, [Pipeline.QuantizeBall] moves the others to it. Distances are Euclidean
// over the numeric columns, in their units (Scale first if those differ), between rows that agree in
// all else that is compared: categories, encoded or not, and which cells are missing.
//
// One row can destroy several good clusters, so that the price grows with the number of columns and
// with the largest cluster; [Exact] duplicates and a public [Grid] are free.
//
// Its fields:
//
//	Eta float64 // η; no default
//	// MaxCluster is the largest good cluster that is changed: larger ones are left as they are, which
//	// makes the price hold for every dataset. No default; at least 2.
//	MaxCluster int
//	// Declared makes MaxCluster a promise about the data in place of a cap: larger clusters are changed
//	// too, and the guarantee is conditional on there being none. The price is that of the cap.
//	Declared bool
//	// MaxBlock takes the place of both: it certifies that no block of 2^d neighbouring cells of a public
//	// grid of side 8·Eta has more rows than so many, counted among rows that agree in what is not numeric. All
//	// that one row can change lies in one block, whatever the number of columns: the price is that of
//	// 2(MaxBlock − 1) rows in place of a K_d-fold of them, where K_d grows with the columns. At least 2.
//	MaxBlock Certificate
type Ball = steps.Ball
