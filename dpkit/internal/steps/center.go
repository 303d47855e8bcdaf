package steps

import (
	"context"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// Centering is dpkit.Pipeline.Center: the mean of all rows is subtracted, fitted without noise and priced.
type Centering struct{}

func (Centering) Kind() kind.Kind {
	return kind.Kind{Name: "center", Law: 1, Call: "Center", Was: "dpkit.center"}
}

func (Centering) LabelBlind() {}

func (Centering) Check(in frames.Schema) (frames.Schema, error) {
	if err := domain.EncodedFeatures(in, ""); err != nil {
		return in, err
	}
	cols := in.Columns()
	for i, c := range cols {
		if _, ok := in.FeatureIndex(c.Name); ok {
			lo, hi := centredBounds(c)
			cols[i] = frames.Numeric(c.Name, lo, hi)
		}
	}
	return frames.NewSchema(cols...)
}

// centredBounds are those of x − μ for values x of a column and a mean μ of values and zeros.
func centredBounds(c frames.Column) (lo, hi float64) {
	return c.Lo - max(c.Hi, 0), c.Hi - min(c.Lo, 0)
}

// CenterBounds: the mean, and with it every row, moves by D/n for a replaced row and by t1/n for
// displaced ones. X ↦ (I − 11ᵀ/n)X is a projection, hence KF = 1 (docs/theory/calculus.md#centring).
func CenterBounds(p pair.State) pair.StepBounds {
	n, common, d := float64(p.N), float64(p.N-1), p.D()
	return pair.StepBounds{
		K: 1, KF: 1,
		A1: common * d / n, AF: math.Sqrt(common) * d / n, AInf: d / n,
		H1: common * p.T1 / n, HInf: p.T1 / n,
		Affected: p.N - p.F, R: 2 * p.R,
	}
}

func (Centering) Propagate(st stage.Stage) (stage.Propagation, error) {
	cols := subsetOf(st, nil)
	part := cols.pair(st.Before)
	b := CenterBounds(part)
	two, _, _ := powers(cols.widths(part.R))
	b.R = min(b.R, two)
	b = rows.Inflate(b, 4*rows.FitRounding(part.N)*part.R)
	q, err := st.Before.Propagate(b)
	return stage.Propagation{
		Pair: st.EmptyImage(q), Taint: st.Taint.With(cols.names...),
		Scope: accountant.Scope{Kind: accountant.Unconditional}, Role: stage.RoleDeployed,
		Constants: []stage.Constant{
			{Symbol: "K_F", Value: 1, Origin: stage.FromConstruction, Meaning: "centring is a projection of the whole matrix"},
			{Symbol: "D", Value: part.D(), Origin: stage.FromSchema, Meaning: "how far a replaced row moves"},
			{Symbol: "a1", Value: b.A1, Origin: stage.FromConstruction, Meaning: "total displacement of the common rows by one replaced row: D"},
			{Symbol: "R", Value: b.R, Origin: stage.FromConstruction, Meaning: "bound on a centred row's norm"},
		},
		Note:      "the mean of private rows is subtracted: every row moves when one row changes",
		Reference: "stability calculus §3, centring",
	}, err
}

func (Centering) Fit(ctx context.Context, in frames.Source, st stage.Stage) (stage.Transform, error) {
	m, err := rows.MomentsOf(ctx, in, st.In.Width(), false)
	if err != nil {
		return nil, err
	}
	fitted := stage.Hide(m.Mean(st.Before.N))
	return movedBy(fitted), nil
}
