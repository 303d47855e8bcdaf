package stage

import (
	"fmt"
)

// LinearOp maps a row x to Matrix·x.
type LinearOp struct {
	Rows    int       `json:"rows"`
	Columns int       `json:"columns"`
	Matrix  []float64 `json:"matrix"` // row-major, Rows × Columns
}

func (op *LinearOp) compile(in int) (Transform, int, error) {
	if op.Columns != in || op.Rows < 1 || op.Rows > len(op.Matrix) || len(op.Matrix) != op.Rows*op.Columns {
		return nil, 0, fmt.Errorf("linear: got a matrix of %d × %d with %d entries for %d columns", op.Rows, op.Columns, len(op.Matrix), in)
	}
	return func(dst, src []float64) {
		for i := range op.Rows {
			sum := 0.0
			for j, v := range op.Matrix[i*op.Columns : (i+1)*op.Columns] {
				sum += v * src[j]
			}
			dst[i] = sum
		}
	}, op.Rows, nil
}
