package dpkit

import (
	"context"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/frames"
)

// Center subtracts the mean of the rows, fitted without noise and priced. The mean divides by the
// public n, and a row that an earlier step removed counts as zeros.
//
// A model that reads raw rows would need the mean, which is not private: behind Center only
// statistics of the centred rows can be released, and coefficients by [Plan.WithoutPrediction]. The price is that of one more row moving across
// the domain, D in total.
func (p Pipeline) Center() Pipeline { return p.with(center{}) }

type center struct{}

func (center) kind() kind { return kind{"center", 1, "Center", "dpkit.center"} }

func (center) labelBlind() {}

func (center) Check(in frames.Schema) (frames.Schema, error) {
	if err := encodedFeatures(in, ""); err != nil {
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

// centerBounds: the mean, and with it every row, moves by D/n for a replaced row and by t1/n for
// displaced ones. X ↦ (I − 11ᵀ/n)X is a projection, hence KF = 1 (docs/theory/calculus.md#centring).
func centerBounds(p pair.State) pair.StepBounds {
	n, common, d := float64(p.N), float64(p.N-1), p.D()
	return pair.StepBounds{
		K: 1, KF: 1,
		A1: common * d / n, AF: math.Sqrt(common) * d / n, AInf: d / n,
		H1: common * p.T1 / n, HInf: p.T1 / n,
		Affected: p.N - p.F, R: 2 * p.R,
	}
}

func (center) Propagate(st Stage) (Propagation, error) {
	cols := subsetOf(st, nil)
	part := cols.pair(st.Before)
	b := centerBounds(part)
	two, _, _ := powers(cols.widths(part.R))
	b.R = min(b.R, two)
	b = inflate(b, 4*fitRounding(part.N)*part.R)
	q, err := st.Before.Propagate(b)
	return Propagation{
		Pair: st.emptyImage(q), Taint: st.Taint.with(cols.names...),
		Scope: accountant.Scope{Kind: accountant.Unconditional}, Role: RoleDeploy,
		Constants: []Constant{
			{"K_F", 1, FromConstruction, "centring is a projection of the whole matrix"},
			{"D", part.D(), FromSchema, "how far a replaced row moves"},
			{"a1", b.A1, FromConstruction, "total displacement of the common rows by one replaced row: D"},
			{"R", b.R, FromConstruction, "bound on a centred row's norm"},
		},
		Note:      "the mean of private rows is subtracted: every row moves when one row changes",
		Reference: "stability calculus §3, centring",
	}, err
}

func (center) Fit(ctx context.Context, in frames.Source, st Stage) (Transform, error) {
	m, err := momentsOf(ctx, in, len(st.In.Features()), false)
	if err != nil {
		return nil, err
	}
	fitted := hide(m.mean(st.Before.N))
	return func(dst, src []float64) {
		mu := fitted.get()
		for j, x := range src {
			dst[j] = x - mu[j]
		}
	}, nil
}
