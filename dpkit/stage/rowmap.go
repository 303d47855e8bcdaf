package stage

import (
	"fmt"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
)

// RowMap is a composition of public row operations: what a released model needs to read raw rows.
// It is plain data, so that a model can be stored and read back.
type RowMap []RowOp

// RowOp is one operation; exactly one field is set.
type RowOp struct {
	OneHot   *OneHotOp   `json:"onehot,omitempty"`
	Indicate *IndicateOp `json:"indicate,omitempty"`
	Fill     *FillOp     `json:"fill,omitempty"`
	Affine   *AffineOp   `json:"affine,omitempty"`
	Clip     *ClipOp     `json:"clip,omitempty"`
	Select   *SelectOp   `json:"select,omitempty"`
	Clamp    *ClampOp    `json:"clamp,omitempty"`
	Grid     *GridOp     `json:"grid,omitempty"`
	Linear   *LinearOp   `json:"linear,omitempty"`
	Bin      *BinOp      `json:"bin,omitempty"`
	Mutate   *MutateOp   `json:"mutate,omitempty"`
	Calendar *CalendarOp `json:"calendar,omitempty"`
	Levels   *LevelsOp   `json:"levels,omitempty"`
	Join     *JoinOp     `json:"join,omitempty"`
}

// OneHotOp replaces each column of Levels[j] > 0 levels by so many 0/1 columns; 0 passes it on.
type OneHotOp struct {
	Levels []int `json:"levels"`
}

// IndicateOp appends a 0/1 column for each of the columns at these positions: 1 where it is missing.
type IndicateOp struct {
	Columns []int `json:"columns"`
}

// FillOp replaces missing cells (NaN) of the columns named by position by public values.
type FillOp struct {
	Columns []int     `json:"columns"`
	Values  []float64 `json:"values"`
}

// AffineOp maps column j to (x − Shift[j])·Scale[j].
type AffineOp struct {
	Shift []float64 `json:"shift"`
	Scale []float64 `json:"scale"`
}

// ClipOp projects the row onto the ball of radius R.
type ClipOp struct {
	R float64 `json:"r"`
}

// SelectOp keeps the columns at these positions.
type SelectOp struct {
	Columns []int `json:"columns"`
}

// ClampOp clamps the columns at these positions to [Lo, Hi].
type ClampOp struct {
	Columns []int   `json:"columns"`
	Lo      float64 `json:"lo"`
	Hi      float64 `json:"hi"`
}

// GridOp moves column Columns[i] to the centre of its cell of the grid Lo[i] + Width·Z, at most Hi[i].
type GridOp struct {
	Columns []int     `json:"columns"`
	Lo      []float64 `json:"lo"`
	Hi      []float64 `json:"hi"`
	Width   float64   `json:"width"`
}

// maxRowWidth bounds the rows between the operations of a map: a model may come from a file that nobody vouches for.
const maxRowWidth = 1 << 22

// Transform compiles the map for rows of width in; it returns the map and the width that comes out.
func (m RowMap) Transform(in int) (Transform, int, error) {
	maps := make([]num.Block, 0, len(m))
	var between []int
	w := in
	for i, op := range m {
		f, out, err := op.compile(w)
		if err != nil {
			return nil, 0, fmt.Errorf("dpkit: row operation %d: %w", i+1, err)
		}
		if out > maxRowWidth {
			return nil, 0, fmt.Errorf("dpkit: row operation %d: got %d columns, want at most %d: %w", i+1, out, maxRowWidth, kind.ErrParameter)
		}
		if i > 0 {
			between = append(between, w)
		}
		maps, w = append(maps, f), out
	}
	return ByBlock(num.Chain(maps, between)), w, nil
}

// compile checks the operation for rows of width in and returns its map, with the width that comes out.
func (op RowOp) compile(in int) (num.Block, int, error) {
	switch {
	case op.OneHot != nil:
		return op.OneHot.compile(in)
	case op.Indicate != nil:
		return op.Indicate.compile(in)
	case op.Fill != nil:
		return op.Fill.compile(in)
	case op.Affine != nil:
		a := op.Affine
		if len(a.Shift) != in || len(a.Scale) != in {
			return nil, 0, fmt.Errorf("affine: got %d shifts and %d scales for %d columns", len(a.Shift), len(a.Scale), in)
		}
		return num.Affine(a.Shift, a.Scale), in, nil
	case op.Clip != nil:
		r := op.Clip.R
		if !(r > 0) {
			return nil, 0, fmt.Errorf("clip: got radius %g, want > 0", r)
		}
		return func(dst, src []float64, n int) { num.ClipRows(dst, src, r, n) }, in, nil
	case op.Select != nil:
		return op.Select.compile(in)
	case op.Clamp != nil:
		c := op.Clamp
		if err := positions(c.Columns, in); err != nil {
			return nil, 0, fmt.Errorf("clamp: %w", err)
		}
		return num.ClampColumns(c.Columns, func(int) (lo, hi float64) { return c.Lo, c.Hi }), in, nil
	case op.Grid != nil:
		return op.Grid.compile(in)
	case op.Linear != nil:
		return op.Linear.compile(in)
	case op.Bin != nil:
		return op.Bin.compile(in)
	case op.Mutate != nil:
		return op.Mutate.compile(in)
	case op.Calendar != nil:
		return op.Calendar.compile(in)
	case op.Levels != nil:
		return op.Levels.compile(in)
	case op.Join != nil:
		return op.Join.compile(in)
	default:
		return nil, 0, fmt.Errorf("unknown operation; the model was written by a newer version")
	}
}

// positions checks column positions against the width of a row.
func positions(columns []int, in int) error {
	for _, j := range columns {
		if j < 0 || j >= in {
			return fmt.Errorf("got column %d of %d", j, in)
		}
	}
	return nil
}
