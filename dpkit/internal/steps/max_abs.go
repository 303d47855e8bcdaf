package steps

import (
	"context"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// MaxAbs divides every column by its largest absolute value, at least Floor.
type MaxAbs struct{ Floor float64 }

func (MaxAbs) Kind() kind.Kind { return kind.Kind{Name: "max-abs", Law: 1, Call: "MaxAbs"} }

func (MaxAbs) LabelBlind() {}

func (m MaxAbs) Check(in frames.Schema) (frames.Schema, error) {
	if err := num.Sized("floor", m.Floor); err != nil {
		return in, err
	}
	if err := domain.EncodedFeatures(in, ""); err != nil {
		return in, err
	}
	return domain.Replaced(in, domain.FeatureNames(in), func(c frames.Column) frames.Column {
		return frames.Numeric(c.Name, max(min(c.Lo, 0)/m.Floor, -1), min(max(c.Hi, 0)/m.Floor, 1))
	})
}

// bounds of the step, and the columns whose maximum can exceed the floor: the others are divided by it (docs/theory/preprocessing.md#largest-values).
func (m MaxAbs) bounds(st stage.Stage) (b pair.StepBounds, moving []string) {
	p, all := st.Before, subsetOf(st, nil)
	n, common := float64(p.N), float64(p.N-1)
	var size, move float64
	for j, h := range all.heights(p.R) {
		size = math.Hypot(size, min(h/m.Floor, 1))
		if h > m.Floor {
			move, moving = math.Hypot(move, (h-m.Floor)/h), append(moving, all.names[j])
		}
	}
	d := len(all.at)
	b = pair.StepBounds{K: stage.Up(1 / m.Floor), R: stage.UpSum(min(size, p.R/m.Floor), d)}
	b.Jump = stage.Rounding(d, b.R)
	if len(moving) == 0 {
		return b, nil
	}
	a, h := stage.UpSum(min(move, p.R/m.Floor), d), min(p.TF, math.Sqrt(float64(len(moving)))*p.TInf)/m.Floor
	b.A1, b.AF, b.AInf = common*a, math.Sqrt(common)*a, a
	b.H1, b.HF, b.HInf = n*h, math.Sqrt(n)*h, h
	b.Affected = p.N - p.F
	return rows.Inflate(b, b.Jump), moving
}

func (m MaxAbs) Propagate(st stage.Stage) (stage.Propagation, error) {
	b, moving := m.bounds(st)
	q, err := st.Before.Propagate(b)
	return stage.Propagation{
		Pair: q, Taint: st.Taint.With(moving...),
		Scope: accountant.Scope{Kind: accountant.Unconditional}, Role: stage.RoleDeployed,
		Constants: []stage.Constant{
			{Symbol: "floor", Value: m.Floor, Origin: stage.FromParameter, Meaning: "smallest divisor of a column"},
			{Symbol: "a1", Value: b.A1, Origin: stage.FromConstruction, Meaning: "total displacement of the common rows by one replaced row"},
			{Symbol: "a∞", Value: b.AInf, Origin: stage.FromConstruction, Meaning: "displacement of one common row by one replaced row"},
			{Symbol: "R", Value: b.R, Origin: stage.FromConstruction, Meaning: "bound on a scaled row's norm"},
		},
		Note:      "one row can be a column's largest value, which divides every row: Standardize costs a part of order 1/n of this",
		Reference: "preprocessing §4, largest values",
	}, err
}

func (m MaxAbs) Fit(ctx context.Context, in frames.Source, st stage.Stage) (stage.Transform, error) {
	most, err := rows.LargestOf(ctx, rows.Bind(rows.Over(in), "floor", m.Floor), st.In.Width(), m.Floor)
	fitted := stage.Hide(most)
	return stage.ByRow(func(dst, src []float64) {
		for j, largest := range fitted.Get() {
			dst[j] = src[j] / largest
		}
	}), err
}
