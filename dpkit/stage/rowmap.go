package stage

import (
	"fmt"
	"math"

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
	fs := make([]Transform, 0, len(m))
	widths := []int{in}
	w := in
	for i, op := range m {
		f, out, err := op.compile(w)
		if err != nil {
			return nil, 0, fmt.Errorf("dpkit: row operation %d: %w", i+1, err)
		}
		if out > maxRowWidth {
			return nil, 0, fmt.Errorf("dpkit: row operation %d: got %d columns, want at most %d: %w", i+1, out, maxRowWidth, kind.ErrParameter)
		}
		fs, w = append(fs, f), out
		widths = append(widths, w)
	}
	if len(fs) == 1 {
		return fs[0], w, nil
	}
	return func(dst, src []float64) {
		cur := src
		for i, f := range fs {
			next := dst
			if i < len(fs)-1 {
				next = make([]float64, widths[i+1])
			}
			f(next, cur)
			cur = next
		}
		if len(fs) == 0 {
			copy(dst, src)
		}
	}, w, nil
}

func (op RowOp) compile(in int) (Transform, int, error) {
	switch {
	case op.OneHot != nil:
		return op.OneHot.compile(in)
	case op.Indicate != nil:
		watch := op.Indicate.Columns
		if err := positions(watch, in); err != nil {
			return nil, 0, fmt.Errorf("indicate: %w", err)
		}
		return func(dst, src []float64) {
			copy(dst, src)
			for i, j := range watch {
				dst[in+i] = 0
				if math.IsNaN(src[j]) {
					dst[in+i] = 1
				}
			}
		}, in + len(watch), nil
	case op.Fill != nil:
		f := op.Fill
		if len(f.Values) != len(f.Columns) {
			return nil, 0, fmt.Errorf("fill: got %d values for %d columns", len(f.Values), len(f.Columns))
		}
		values := num.MissingRow(in)
		if err := positions(f.Columns, in); err != nil {
			return nil, 0, fmt.Errorf("fill: %w", err)
		}
		for i, j := range f.Columns {
			values[j] = f.Values[i]
		}
		return func(dst, src []float64) { num.Fill(dst, src, values) }, in, nil
	case op.Affine != nil:
		a := op.Affine
		if len(a.Shift) != in || len(a.Scale) != in {
			return nil, 0, fmt.Errorf("affine: got %d shifts and %d scales for %d columns", len(a.Shift), len(a.Scale), in)
		}
		shift, scale := a.Shift, a.Scale
		return func(dst, src []float64) {
			dst, shift, scale := dst[:len(src)], shift[:len(src)], scale[:len(src)] // one check in place of three a cell
			for j, x := range src {
				dst[j] = (x - shift[j]) * scale[j]
			}
		}, in, nil
	case op.Clip != nil:
		r := op.Clip.R
		if !(r > 0) {
			return nil, 0, fmt.Errorf("clip: got radius %g, want > 0", r)
		}
		return func(dst, src []float64) { num.ClipRow(dst, src, r) }, in, nil
	case op.Select != nil:
		keep := op.Select.Columns
		if err := positions(keep, in); err != nil {
			return nil, 0, fmt.Errorf("select: %w", err)
		}
		return func(dst, src []float64) {
			for i, j := range keep {
				dst[i] = src[j]
			}
		}, len(keep), nil
	case op.Clamp != nil:
		c := op.Clamp
		if err := positions(c.Columns, in); err != nil {
			return nil, 0, fmt.Errorf("clamp: %w", err)
		}
		return func(dst, src []float64) {
			copy(dst, src)
			for _, j := range c.Columns {
				dst[j] = num.Clamp(src[j], c.Lo, c.Hi) // a missing cell stays missing
			}
		}, in, nil
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

func (op *GridOp) compile(in int) (Transform, int, error) {
	if len(op.Lo) != len(op.Columns) || len(op.Hi) != len(op.Columns) || !(op.Width > 0) {
		return nil, 0, fmt.Errorf("grid: got width %g, %d lower and %d upper bounds for %d columns", op.Width, len(op.Lo), len(op.Hi), len(op.Columns))
	}
	if err := positions(op.Columns, in); err != nil {
		return nil, 0, fmt.Errorf("grid: %w", err)
	}
	return func(dst, src []float64) {
		copy(dst, src)
		for i, j := range op.Columns {
			// NaN for a missing cell, which stays missing. A filled value can lie below Lo by rounding:
			// the cell before the first would leave the domain.
			cell := math.Max(math.Floor((src[j]-op.Lo[i])/op.Width), 0)
			dst[j] = math.Min(op.Lo[i]+(cell+0.5)*op.Width, op.Hi[i])
		}
	}, in, nil
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

func (op *OneHotOp) compile(in int) (Transform, int, error) {
	if len(op.Levels) != in {
		return nil, 0, fmt.Errorf("one-hot: got %d columns, want %d", in, len(op.Levels))
	}
	out := 0
	var parts []int // k > 0: a column of k levels; k < 0: a run of −k columns that pass
	for _, k := range op.Levels {
		if k < 0 || k > maxRowWidth {
			return nil, 0, fmt.Errorf("one-hot: got %d levels, want 0 to %d", k, maxRowWidth)
		}
		out += max(k, 1)
		if last := len(parts) - 1; k == 0 && last >= 0 && parts[last] < 0 {
			parts[last]--
		} else if k == 0 {
			parts = append(parts, -1)
		} else {
			parts = append(parts, k)
		}
	}
	return func(dst, src []float64) {
		for _, k := range parts {
			if k < 0 {
				copy(dst, src[:-k])
				dst, src = dst[-k:], src[-k:]
				continue
			}
			encode(dst[:k], src[0])
			dst, src = dst[k:], src[1:]
		}
	}, out, nil
}

// encode writes the block of 0/1 cells of a level's code. What is none, as only a map that does not belong to the
// schema gives, misses.
func encode(block []float64, code float64) {
	if !(code >= 0 && code < float64(len(block))) {
		for i := range block {
			block[i] = math.NaN()
		}
		return
	}
	clear(block)
	block[int(code)] = 1
}
