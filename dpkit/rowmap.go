package dpkit

import (
	"fmt"
	"math"
)

// RowMap is a composition of public row operations: what a released model needs to read raw rows.
// It is plain data, so that a model can be stored and read back.
type RowMap []RowOp

// RowOp is one operation; exactly one field is set.
type RowOp struct {
	OneHot *OneHotOp `json:"onehot,omitempty"`
	Fill   *FillOp   `json:"fill,omitempty"`
	Affine *AffineOp `json:"affine,omitempty"`
	Clip   *ClipOp   `json:"clip,omitempty"`
}

// OneHotOp replaces each column of Levels[j] > 0 levels by so many 0/1 columns; 0 passes it on.
type OneHotOp struct {
	Levels []int `json:"levels"`
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

// transform compiles the map for rows of width in; it returns the map and the width that comes out.
func (m RowMap) transform(in int) (Transform, int, error) {
	fs := make([]Transform, 0, len(m))
	widths := []int{in}
	w := in
	for i, op := range m {
		f, out, err := op.compile(w)
		if err != nil {
			return nil, 0, fmt.Errorf("dpkit: row operation %d: %w", i+1, err)
		}
		fs, w = append(fs, f), out
		widths = append(widths, w)
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
	case op.Fill != nil:
		f := op.Fill
		if len(f.Values) != len(f.Columns) {
			return nil, 0, fmt.Errorf("fill: got %d values for %d columns", len(f.Values), len(f.Columns))
		}
		values := missingRow(in)
		for i, j := range f.Columns {
			if j < 0 || j >= in {
				return nil, 0, fmt.Errorf("fill: got column %d of %d", j, in)
			}
			values[j] = f.Values[i]
		}
		return func(dst, src []float64) { fill(dst, src, values) }, in, nil
	case op.Affine != nil:
		a := op.Affine
		if len(a.Shift) != in || len(a.Scale) != in {
			return nil, 0, fmt.Errorf("affine: got %d shifts and %d scales for %d columns", len(a.Shift), len(a.Scale), in)
		}
		return func(dst, src []float64) {
			for j, x := range src {
				dst[j] = (x - a.Shift[j]) * a.Scale[j]
			}
		}, in, nil
	case op.Clip != nil:
		r := op.Clip.R
		if !(r > 0) {
			return nil, 0, fmt.Errorf("clip: got radius %g, want > 0", r)
		}
		return func(dst, src []float64) { clipRow(dst, src, r) }, in, nil
	default:
		return nil, 0, fmt.Errorf("unknown operation; the model was written by a newer version")
	}
}

func (op *OneHotOp) compile(in int) (Transform, int, error) {
	if len(op.Levels) != in {
		return nil, 0, fmt.Errorf("one-hot: got %d columns, want %d", in, len(op.Levels))
	}
	out := 0
	for _, k := range op.Levels {
		out += max(k, 1)
	}
	return func(dst, src []float64) {
		at := 0
		for j, k := range op.Levels {
			if k == 0 {
				dst[at] = src[j]
				at++
				continue
			}
			block := dst[at : at+k]
			if code := src[j]; math.IsNaN(code) {
				for i := range block {
					block[i] = math.NaN()
				}
			} else {
				clear(block)
				block[int(code)] = 1
			}
			at += k
		}
	}, out, nil
}

// missingRow returns a row of d missing cells.
func missingRow(d int) []float64 {
	row := make([]float64, d)
	for j := range row {
		row[j] = math.NaN()
	}
	return row
}

// fill copies src to dst with values in place of missing cells.
func fill(dst, src, values []float64) {
	for j, x := range src {
		if math.IsNaN(x) {
			x = values[j]
		}
		dst[j] = x
	}
}

// clipRow is the metric projection of src onto the ball of radius r: x·min(1, r/‖x‖). Missing
// cells count as 0 and stay missing.
func clipRow(dst, src []float64, r float64) {
	f := 1.0
	if norm := norm2(src); norm > r {
		f = r / norm
	}
	for j, x := range src {
		dst[j] = x * f
	}
}
