package stage

import (
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/dpkit/internal/function"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
)

// MutateOp writes a registered function of the columns at positions From to column Into, which is
// the width of a row where it is new. Where the function returns NaN the cell is missing, or the
// midpoint of the bounds under Fill.
type MutateOp struct {
	From    []int   `json:"from"`
	Into    int     `json:"into"`
	Func    string  `json:"func"`
	Version string  `json:"version"`
	Lo      float64 `json:"lo"`
	Hi      float64 `json:"hi"`
	Fill    bool    `json:"fill,omitempty"`
}

func (op *MutateOp) compile(in int) (num.Block, int, error) {
	fn, err := function.Named(op.Func, op.Version)
	if err != nil {
		return nil, 0, fmt.Errorf("mutate: %w", err)
	}
	if err := positions(op.From, in); err != nil {
		return nil, 0, fmt.Errorf("mutate: %w", err)
	}
	if op.Into < 0 || op.Into > in {
		return nil, 0, fmt.Errorf("mutate: got column %d of %d to write to", op.Into, in)
	}
	if !(op.Lo < op.Hi) {
		return nil, 0, fmt.Errorf("mutate: got bounds [%g, %g]", op.Lo, op.Hi)
	}
	otherwise := math.NaN()
	if op.Fill {
		otherwise = op.Lo + (op.Hi-op.Lo)/2
	}
	out := max(in, op.Into+1)
	return func(dst, src []float64, n int) {
		num.Widened(dst, src, n)
		k := len(op.From)
		all := make([]float64, n*k) // a row's own each: the function may keep what it is handed
		for i := range n {
			x := all[i*k : (i+1)*k : (i+1)*k]
			missing := false
			for c, j := range op.From {
				x[c] = src[i*in+j]
				missing = missing || math.IsNaN(x[c])
			}
			y := math.NaN()
			if !missing {
				if y = valueOf(fn, x); math.IsNaN(y) {
					y = otherwise
				}
			}
			dst[i*out+op.Into] = num.Clamp(y, op.Lo, op.Hi)
		}
	}, out, nil
}

// valueOf is fn(x), or NaN where it panics: what a panic prints could hold a row.
func valueOf(fn func([]float64) float64, x []float64) (y float64) {
	defer func() {
		if recover() != nil {
			y = math.NaN()
		}
	}()
	return fn(x)
}
