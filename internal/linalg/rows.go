package linalg

import "fmt"

// BlockRows is a number of rows of cols numbers that stay in a first-level cache: between [Margins] and [AddRounded],
// say, so that memory is read once.
func BlockRows(cols int) int { return max(24<<10/8/max(cols, 1), 4) }

// Margins writes the inner products of rows with w, margins[i] = x_i·w, and the squared norms of rows, squares[i] =
// x_i·x_i. Each is off by at most γ_cols times the sum of its terms' magnitudes (Higham 2002, §3.1), and depends on the
// row, w and the processor alone: not on the other rows. x is a row-major rows×cols matrix whose rows are stride numbers
// apart. The error wraps [ErrShape].
func Margins(margins, squares, x []float64, rows, cols, stride int, w []float64) error {
	if err := matrixShape("margins", len(x), rows, cols, stride); err != nil {
		return err
	}
	if len(margins) != rows || len(squares) != rows || len(w) != cols {
		return fmt.Errorf("linalg: margins: got %d margins, %d squares and %d weights, want %d, %d and %d: %w", len(margins), len(squares), len(w), rows, rows, cols, ErrShape)
	}
	if rows > 0 {
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
