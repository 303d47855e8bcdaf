package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/steps"
)

// Ball finds good clusters (Hu, Sanyal, Schölkopf 2024): a row is a centre if no row lies at a
// distance in (η, 3η] from it, and the rows within η of a centre are its cluster. [Pipeline.Dedup]
// keeps the centre of each, [Pipeline.QuantizeBall] moves the others to it. Distances are Euclidean
// over the numeric columns, in their units (Scale first if those differ), between rows that agree in
// all else that is compared: categories, encoded or not, and which cells are missing.
//
// One row can destroy several good clusters, so that the price grows with the number of columns and
// with the largest cluster; [Exact] duplicates and a public [Grid] are free.
type Ball = steps.Ball
