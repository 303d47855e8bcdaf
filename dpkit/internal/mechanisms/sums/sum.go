package sums

import (
	"context"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// Sum releases the sum of every feature column, in its units, by noise on one vector sum of all of them.
type Sum struct {
	query.Target `dp:"inline"`
}

func (Sum) Kind() kind.Kind { return kind.Kind{Name: "sum", Law: 1, Call: "Sum", Was: "dpkit.sum"} }

// AtEitherLaw marks it as a [query.AtEitherLaw].
func (Sum) AtEitherLaw() {}

func (Sum) ColumnsRead(in frames.Schema) []string { return domain.FeatureNames(in) }

func (s Sum) Settle(st stage.Stage) (mechanism.Settled[Estimates], error) {
	c, err := s.Calibrate(st)
	if err != nil {
		return mechanism.Settled[Estimates]{}, err
	}
	out, err := c.settle(kind.Describe(s), s.Target, st, func(noisy []int64) Estimates {
		e := Estimates{Of: "sum", Noise: s.Noise}
		for j, f := range st.In.Features() {
			sum, sd := c.scaled(noisy, j)
			e.add(f.Name, sum+c.op.Shift[j]*float64(st.Before.N), sd)
		}
		return e
	})
	out.Predicted = c.deviations(st, s.Noise, 1)
	return out, err
}

// Calibrate: in replace-one columns are centred, as n places of rows are public; a removed row is one of the
// value 0 in every column. In add/remove a row that is zeroed out must add nothing.
func (s Sum) Calibrate(st stage.Stage) (*ColumnSums, error) {
	if err := query.CheckColumns(s.Target, st.In); err != nil {
		return nil, err
	}
	op := domain.ScaleOp(st.In)
	us := domain.UnitsOf(st.In)
	root := math.Sqrt(float64(len(us)))
	for _, u := range us {
		if u.Block {
			continue
		}
		lo, hi := st.Bounds(st.In.Features()[u.At])
		if st.Before.Neighbours == accountant.AddRemove {
			hi = max(math.Abs(lo), math.Abs(hi))
			lo = -hi
		}
		op.Shift[u.At], op.Scale[u.At] = lo+(hi-lo)/2, 2/((hi-lo)*root)
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
func (Sum) Exact(ctx context.Context, in rows.Driver, st stage.Stage) (Estimates, error) {
	e, _, err := exactSums(ctx, in, st)
	e.Of = "sum"
	return e, err
}
