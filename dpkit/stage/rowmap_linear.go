package stage

import (
	"fmt"

	"github.com/dpkit-go/dpnb/dpkit/internal/num"
)

// LinearOp maps a row x to Matrix·x.
type LinearOp struct {
	Rows    int       `json:"rows"`
	Columns int       `json:"columns"`
	Matrix  []float64 `json:"matrix"` // row-major, Rows × Columns
}

func (op *LinearOp) compile(in int) (num.Block, int, error) {
	if op.Columns != in || op.Rows < 1 || op.Rows > len(op.Matrix) || len(op.Matrix) != op.Rows*op.Columns {
		return nil, 0, fmt.Errorf("linear: got a matrix of %d × %d with %d entries for %d columns", op.Rows, op.Columns, len(op.Matrix), in)
	}
	d, k := op.Columns, op.Rows
	return func(dst, src []float64, n int) {
		i := 0
		for ; i+4 <= n; i += 4 { // four rows at a time: their sums, each in order, do not wait for each other
			x0, x1, x2, x3 := src[i*d:(i+1)*d], src[(i+1)*d:(i+2)*d], src[(i+2)*d:(i+3)*d], src[(i+3)*d:(i+4)*d]
			for r := range k {
				var s0, s1, s2, s3 float64
				for j, v := range op.Matrix[r*d : (r+1)*d] {
					s0 += v * x0[j]
					s1 += v * x1[j]
					s2 += v * x2[j]
					s3 += v * x3[j]
				}
				dst[i*k+r], dst[(i+1)*k+r], dst[(i+2)*k+r], dst[(i+3)*k+r] = s0, s1, s2, s3
			}
		}
		for ; i < n; i++ {
			for r := range k {
				sum := 0.0
				for j, v := range op.Matrix[r*d : (r+1)*d] {
					sum += v * src[i*d+j]
				}
				dst[i*k+r] = sum
			}
		}
	}, k, nil
}
