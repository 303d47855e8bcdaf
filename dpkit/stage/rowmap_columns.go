package stage

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/dpkit/internal/num"
)

func (op *IndicateOp) compile(in int) (num.Block, int, error) {
	watch := op.Columns
	if err := positions(watch, in); err != nil {
		return nil, 0, fmt.Errorf("indicate: %w", err)
	}
	out := in + len(watch)
	return func(dst, src []float64, n int) {
		num.Widened(dst, src, n)
		for i, j := range watch {
			to := in + i
			for range n {
				dst[to] = 0
				if math.IsNaN(src[j]) {
					dst[to] = 1
				}
				to, j = to+out, j+in
			}
		}
	}, out, nil
}

func (op *FillOp) compile(in int) (num.Block, int, error) {
	if len(op.Values) != len(op.Columns) {
		return nil, 0, fmt.Errorf("fill: got %d values for %d columns", len(op.Values), len(op.Columns))
	}
	if err := positions(op.Columns, in); err != nil {
		return nil, 0, fmt.Errorf("fill: %w", err)
	}
	values := num.MissingRow(in)
	for i, j := range op.Columns {
		values[j] = op.Values[i]
	}
	return num.FillRows(values), in, nil
}

func (op *SelectOp) compile(in int) (num.Block, int, error) {
	keep := op.Columns
	if err := positions(keep, in); err != nil {
		return nil, 0, fmt.Errorf("select: %w", err)
	}
	type run struct{ to, from, columns int }
	var runs []run // of columns that stay neighbours
	for i, j := range keep {
		if last := len(runs) - 1; last >= 0 && runs[last].from+runs[last].columns == j {
			runs[last].columns++
		} else {
			runs = append(runs, run{i, j, 1})
		}
	}
	return func(dst, src []float64, n int) {
		for _, r := range runs {
			num.CopyColumns(dst, src, r.to, r.from, r.columns, len(keep), in, n)
		}
	}, len(keep), nil
}

func (op *GridOp) compile(in int) (num.Block, int, error) {
	if len(op.Lo) != len(op.Columns) || len(op.Hi) != len(op.Columns) || !(op.Width > 0) {
		return nil, 0, fmt.Errorf("grid: got width %g, %d lower and %d upper bounds for %d columns", op.Width, len(op.Lo), len(op.Hi), len(op.Columns))
	}
	if err := positions(op.Columns, in); err != nil {
		return nil, 0, fmt.Errorf("grid: %w", err)
	}
	return func(dst, src []float64, _ int) {
		copy(dst, src)
		width := op.Width
		for k, j := range op.Columns {
			lo, hi := op.Lo[k], op.Hi[k]
			for i := j; i < len(src); i += in {
				// NaN for a missing cell, which stays missing. A filled value can lie below Lo by rounding:
				// the cell before the first would leave the domain.
				cell := max(math.Floor((src[i]-lo)/width), 0)
				dst[i] = min(lo+(cell+0.5)*width, hi)
			}
		}
	}, in, nil
}

func (op *OneHotOp) compile(in int) (num.Block, int, error) {
	if len(op.Levels) != in {
		return nil, 0, fmt.Errorf("one-hot: got %d columns, want %d", in, len(op.Levels))
	}
	type part struct{ to, from, columns, levels int } // a run of columns that pass, or one of so many levels
	var parts []part
	out := 0
	for j, k := range op.Levels {
		if k < 0 || k > maxRowWidth {
			return nil, 0, fmt.Errorf("one-hot: got %d levels, want 0 to %d", k, maxRowWidth)
		}
		if last := len(parts) - 1; k == 0 && last >= 0 && parts[last].levels == 0 {
			parts[last].columns++
		} else {
			parts = append(parts, part{out, j, 1, k})
		}
		out += max(k, 1)
	}
	return func(dst, src []float64, n int) {
		clear(dst)
		for _, p := range parts {
			if p.levels == 0 {
				num.CopyColumns(dst, src, p.to, p.from, p.columns, out, in, n)
			} else {
				num.Encode(dst, src, p.to, p.from, p.levels, out, in, n)
			}
		}
	}, out, nil
}
