package stage

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/dpkit/internal/num"
)

// JoinOp appends a column for each list of values: that at the level of the category in column On, and none where that cell is missing.
type JoinOp struct {
	On     int         `json:"on"`
	Values [][]float64 `json:"values"` // of each new column, by level; NaN, which JSON has not, stands in Missing
	// Missing lists the levels at which a new column has no value.
	Missing [][]int `json:"missing"`
}

func (op *JoinOp) compile(in int) (num.Block, int, error) {
	if err := positions([]int{op.On}, in); err != nil {
		return nil, 0, fmt.Errorf("join: %w", err)
	}
	if len(op.Values) == 0 || len(op.Missing) != len(op.Values) {
		return nil, 0, fmt.Errorf("join: got %d columns and what is missing of %d", len(op.Values), len(op.Missing))
	}
	values := make([][]float64, len(op.Values))
	for k, of := range op.Values {
		if len(of) != len(op.Values[0]) {
			return nil, 0, fmt.Errorf("join: got columns of %d and %d levels", len(op.Values[0]), len(of))
		}
		values[k] = append([]float64(nil), of...)
		for _, at := range op.Missing[k] {
			if at < 0 || at >= len(of) {
				return nil, 0, fmt.Errorf("join: got level %d of %d", at, len(of))
			}
			values[k][at] = math.NaN()
		}
	}
	out := in + len(values)
	return func(dst, src []float64, n int) {
		num.Widened(dst, src, n)
		for k, of := range values {
			for i := range n {
				code, v := src[i*in+op.On], math.NaN()
				if code >= 0 && code < float64(len(of)) {
					v = of[int(code)]
				}
				dst[i*out+in+k] = v
			}
		}
	}, out, nil
}
