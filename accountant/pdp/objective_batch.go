package pdp

import (
	"fmt"
	"slices"

	"github.com/dpkit-go/dpnb/internal/linalg"
)

// Losses are the losses of many records at once: rows of d features, row by row, with one label each, as members or as
// others. For one record it is [Audit.Member] or [Audit.NonMember]; for many it takes about as long as summing
// their outer products does. Errors wrap [ErrParameter].
//
// Row i of X·[L⁻¹; θᵀ; ∇Jᵀ]ᵀ holds L⁻¹x, whose squared norm is xᵀH⁻¹x, then xᵀθ and xᵀ∇J: the triangular solve of every row
// is one product of matrices. The upper half of L⁻¹ reads half of the features only.
func (a Audit) Losses(x, labels []float64, member bool) (Curator[[]float64], error) {
	none := Curator[[]float64]{}
	inverse, ok := a.inverse.Open()
	grad, _ := a.grad.Open()
	if !ok {
		return none, fmt.Errorf("pdp: audit: got the zero value, want one of ObjectivePerturbation.Audit: %w", ErrParameter)
	}
	d := len(a.release.Theta)
	if len(x) != len(labels)*d {
		return none, fmt.Errorf("pdp: audit: losses: got %d numbers for %d labels, want rows of %d features each: %w", len(x), len(labels), d, ErrParameter)
	}
	half := d / 2
	top := linalg.Dense(make([]float64, half*half), half, half)
	for i := range half {
		copy(top.Data[i*half:(i+1)*half], inverse[i*d:i*d+half])
	}
	rest := linalg.Dense(slices.Concat(inverse[half*d:], a.release.Theta, grad), d-half+2, d)

	losses := make([]float64, 0, len(labels))
	width := d + 2
	z := make([]float64, min(batchRows, len(labels))*width)
	variance := a.release.Sigma * a.release.Sigma
	for from := 0; from < len(labels); from += batchRows {
		n := min(batchRows, len(labels)-from)
		rows := linalg.Dense(x[from*d:(from+n)*d], n, d)
		product(z[half:], width, rows, rest)
		if half > 0 {
			rows.Cols = half
			product(z, width, rows, top)
		}
		for i := range n {
			row, at := x[(from+i)*d:(from+i+1)*d], z[i*width:(i+1)*width]
			square := dot(row, row)
			first, second, err := a.release.derivatives(at[d], square, labels[from+i])
			if err != nil {
				return none, err
			}
			p := parts{
				second: second, square: square, leverage: second * dot(at[:d], at[:d]),
				cross: first * at[d+1] / variance, shift: first * first * square / (2 * variance),
			}
			losses = append(losses, p.loss(a.release.Lambda, member))
		}
	}
	return sealed(losses), nil
}

// batchRows are multiplied at a time: their products stay in the cache.
const batchRows = 512

// product writes A·Bᵀ to rows that are stride numbers apart.
func product(to []float64, stride int, a, b linalg.Matrix) {
	if err := linalg.Product(to, stride, a, b.T()); err != nil {
		panic(err) // impossible: the shapes are as they were made above
	}
}

// Members are the losses of all records that the audit holds, in order. The error wraps [ErrParameter].
func (a Audit) Members() (Curator[[]float64], error) {
	rows, ok := a.rows.Open()
	labels, _ := a.labels.Open()
	if !ok {
		return Curator[[]float64]{}, fmt.Errorf("pdp: audit: members: it holds no rows, want one of ObjectivePerturbation.Audit, or Losses: %w", ErrParameter)
	}
	flat := make([]float64, 0, len(rows)*len(a.release.Theta))
	for _, x := range rows {
		flat = append(flat, x...)
	}
	return a.Losses(flat, labels, true)
}

// inverted is L⁻¹ of a lower triangular d×d matrix, row by row.
func inverted(l []float64, d int) []float64 {
	m := make([]float64, d*d)
	for i := range d {
		row := m[i*d : i*d+d]
		row[i] = 1
		for k := range i {
			f := l[i*d+k]
			for j, v := range m[k*d : k*d+k+1] {
				row[j] -= f * v
			}
		}
		for j := range row[:i+1] {
			row[j] /= l[i*d+i]
		}
	}
	return m
}
