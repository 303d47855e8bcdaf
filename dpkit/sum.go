package dpkit

import (
	"context"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/frames"
)

// Sum releases the sum over rows of each of the named features, or of all of them, in the units of the
// chain's rows, by one draw of noise in proportion to the columns' public widths. A one-hot column's
// sum counts its level. Rows that a step removed add nothing.
//
//go:noinline
func (p Pipeline) Sum(t Target, columns ...string) Plan[Estimates] {
	if len(columns) > 0 {
		p = p.Select(columns...)
	}
	return newPlan[Estimates](p, sum{t})
}

type sum struct {
	Target `dp:"inline"`
}

func (sum) kind() kind { return kind{"sum", 1, "Sum", "dpkit.sum"} }

func (sum) columnsRead(in frames.Schema) []string { return featureNames(in) }

func (s sum) Settle(st Stage) (settled[Estimates], error) {
	c, err := s.plan(st)
	if err != nil {
		return settled[Estimates]{}, err
	}
	out, err := c.settle(describe(s), s.Target, st, func(noisy []int64) Estimates {
		e := Estimates{Of: "sum", Noise: s.Noise}
		for j, f := range st.In.Features() {
			sum, sd := c.scaled(noisy, j)
			e.add(f.Name, sum+c.op.Shift[j]*float64(st.Before.N), sd)
		}
		return e
	})
	out.predicted = c.deviations(1)
	return out, err
}

// plan: in replace-one columns are centred, as n places of rows are public; a removed row is one of the
// value 0 in every column. In add/remove a row that is zeroed out must add nothing.
func (s sum) plan(st Stage) (*columnSums, error) {
	if err := s.checkColumns(st.In); err != nil {
		return nil, err
	}
	op := scaleOp(st.In)
	us := unitsOf(st.In)
	root := math.Sqrt(float64(len(us)))
	for _, u := range us {
		if u.block {
			continue
		}
		lo, hi := st.Bounds(st.In.Features()[u.at])
		if st.Before.Neighbours == accountant.AddRemove {
			hi = max(math.Abs(lo), math.Abs(hi))
			lo = -hi
		}
		op.Shift[u.at], op.Scale[u.at] = lo+(hi-lo)/2, 2/((hi-lo)*root)
	}
	c, err := newColumnSums(st, s.Target, op, false)
	if err != nil {
		return nil, err
	}
	if st.Empty {
		c.empty = make([]float64, len(op.Shift))
		for j, shift := range op.Shift {
			c.empty[j] = -shift * op.Scale[j]
		}
	}
	return c, nil
}

// Exact computes the sums.
func (sum) Exact(ctx context.Context, in driver, st Stage) (Estimates, error) {
	e, _, err := exactSums(ctx, in, st)
	e.Of = "sum"
	return e, err
}
