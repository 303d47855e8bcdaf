package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/stage"
)

// RowMap is a composition of public row operations: what a released model needs to read raw rows.
// It is plain data, so that a model can be stored and read back.
type RowMap = stage.RowMap

// RowOp is one operation; exactly one field is set.
type RowOp = stage.RowOp

// OneHotOp replaces each column of Levels[j] > 0 levels by so many 0/1 columns; 0 passes it on.
type OneHotOp = stage.OneHotOp

// IndicateOp appends a 0/1 column for each of the columns at these positions: 1 where it is missing.
type IndicateOp = stage.IndicateOp

// FillOp replaces missing cells (NaN) of the columns named by position by public values.
type FillOp = stage.FillOp

// AffineOp maps column j to (x − Shift[j])·Scale[j].
type AffineOp = stage.AffineOp

// ClipOp projects the row onto the ball of radius R.
type ClipOp = stage.ClipOp

// SelectOp keeps the columns at these positions.
type SelectOp = stage.SelectOp

// ClampOp clamps the columns at these positions to [Lo, Hi].
type ClampOp = stage.ClampOp

// GridOp moves column Columns[i] to the centre of its cell of the grid Lo[i] + Width·Z, at most Hi[i].
type GridOp = stage.GridOp
