package linalg

import "fmt"

// BlockRows is a number of rows of cols numbers that stay in the nearest caches, a multiple of 8: [Margins], then
// [LogisticFactors], then [AddRounded] over as many read memory once.
func BlockRows(cols int) int { return max(40<<10/8/max(cols, 1), 8) &^ 7 }

// Margins writes the inner products of rows with w, margins[i] = x_i·w, and, unless squares is nil, the squared norms of
// rows, squares[i] = x_i·x_i. Each is off by at most γ_cols times the sum of its terms' magnitudes (Higham 2002, §3.1), and depends on the
// row, w and the processor alone: not on the other rows. x is a row-major rows×cols matrix whose rows are stride numbers
// apart. The error wraps [ErrShape].
func Margins(margins, squares, x []float64, rows, cols, stride int, w []float64) error {
	if err := matrixShape("margins", len(x), rows, cols, stride); err != nil {
		return err
	}
	if len(margins) != rows || squares != nil && len(squares) != rows || len(w) != cols {
		return fmt.Errorf("linalg: margins: got %d margins, %d squares and %d weights, want %d, %d and %d: %w", len(margins), len(squares), len(w), rows, rows, cols, ErrShape)
	}
	switch {
	case rows == 0:
	case squares == nil:
		active.dotRows(rows, cols, x, stride, w, margins)
	default:
		active.dotSquareRows(rows, cols, x, stride, w, margins, squares)
	}
	return nil
}

// AddRounded adds Σ_i round(f_i·x_ij) to sums[j], for a row-major rows×cols matrix x whose rows are stride numbers
// apart: a product in float64, rounded to the nearest integer, ties to even, as math.RoundToEven does. Integers add
// exactly, so that neither the order nor the split of rows matters, and every processor gives the same sums. Every
// product must have magnitude at most 2^51; others, and NaN, give some integer. A row with f_i = 0 adds nothing,
// whatever it holds. The error wraps [ErrShape].
func AddRounded(sums []int64, x []float64, rows, cols, stride int, f []float64) error {
	if err := matrixShape("rounded sum", len(x), rows, cols, stride); err != nil {
		return err
	}
	if len(f) != rows || len(sums) != cols {
		return fmt.Errorf("linalg: rounded sum: got %d factors and %d sums, want %d and %d: %w", len(f), len(sums), rows, cols, ErrShape)
	}
	if rows > 0 {
		active.addRoundedRows(rows, cols, x, stride, f, sums)
	}
	return nil
}

// LogisticFactors writes the clipped derivatives of the logistic loss, one a row: the gradient of row i, of label y_i in
// {0, 1}, at margin m_i and of squared norm squares[i], is f_i·x_i/scale with
//
//	f_i = q·min(σ(q·m_i), clip/√squares[i])·scale,  q = 1 - 2y_i,  σ(z) = 1/(1+e^-z).
//
// The relative error is at most 2^-49 for |m_i| ≤ 700; hence ‖f_i·x_i‖ ≤ clip·|scale|·(1 + 2^-49) up to the rounding of
// squares. f_i is 0 where the square is not finite or the margin NaN. It depends on the row and the processor alone.
// The slices have the same length; f may be margins or squares. The error wraps [ErrShape].
func LogisticFactors(f, margins, squares, y []float64, clip, scale float64) error {
	n := len(f)
	if len(margins) != n || len(squares) != n || len(y) != n {
		return fmt.Errorf("linalg: logistic factors: got %d factors, %d margins, %d squares and %d labels, want the same number of all: %w", n, len(margins), len(squares), len(y), ErrShape)
	}
	if n > 0 {
		active.logistic(f, margins, squares, y, clip, scale)
	}
	return nil
}

// Affine writes (src[i] − shift[i])·scale[i] to dst[i], which has the same bits on every processor. The slices have the same length, or the latter
// three are longer; dst may be src.
func Affine(dst, src, shift, scale []float64) {
	n := len(dst)
	if src, shift, scale = src[:n], shift[:n], scale[:n]; n > 0 {
		active.affine(dst, src, shift, scale)
	}
}

// RowSquares writes the sums of the squares of rows of cols numbers, which lie one behind the other in x: each is summed in the order of its
// cells, rounded at every step, and has the same bits on every processor.
func RowSquares(squares, x []float64, cols int) {
	if x = x[:len(squares)*cols]; len(x) == 0 {
		clear(squares)
		return
	}
	active.rowSquares(squares, x, cols)
}

// FourColumns writes four columns of as many numbers, each float64 in 8 bytes of little endian, as rows: number i of column j to to[i·stride + j]. Numbers
// are moved, not computed with: their bits stay, those of NaN too. The columns have the same length, a multiple of 8, and to has room for them; stride is
// at least 4.
func FourColumns(to []float64, stride int, columns [4][]byte) {
	n := len(columns[0]) / 8
	if n == 0 {
		return
	}
	for j, column := range columns {
		columns[j] = column[: 8*n : len(column)]
	}
	_ = to[(n-1)*max(stride, 4)+3]
	active.fourColumns(to, max(stride, 4), &columns)
}
