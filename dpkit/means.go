package dpkit

import (
	"context"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// Target is the (ε, δ) of one release. It has no defaults.
type Target struct{ Epsilon, Delta float64 }

func (t Target) budget() accountant.Budget {
	return accountant.Budget{Epsilon: t.Epsilon, Delta: t.Delta}
}

func (t Target) args() string { return fmt.Sprintf("ε = %g, δ = %g", t.Epsilon, t.Delta) }

// Means releases the mean of every feature, in the units of the chain's rows, by one draw of the
// Gaussian mechanism. A one-hot column's mean is the frequency of its level. Rows are scaled to
// the unit ball by their public bounds before the noise and back after it, so that every column
// gets noise in proportion to its width: select the columns that you need.
func (p Pipeline) Means(t Target) Plan[Estimates] {
	return Plan[Estimates]{p: p, m: means{t}}
}

type means struct{ Target }

func (m means) String() string { return call("Means", m.args()) }

// Price: the sum of scaled rows has contributions of norm at most 1, and moves with a displaced
// row by the Lipschitz constant of the scaling on displaced columns.
func (m means) Price(st Stage) (Price, error) {
	if err := m.budget().Validate(); err != nil {
		return Price{}, err
	}
	g, err := m.plan(st)
	if err != nil {
		return Price{}, err
	}
	return g.price(m.budget(), st, ReleaseCost{
		Name: m.String(),
		Constants: []Constant{
			{"C", g.query.C, FromSchema, "bound on a scaled row's norm"},
			{"L", g.query.Lipschitz, FromSchema, "Lipschitz constant of the scaling on displaced columns"},
			{"σ", g.sigma, FromParameter, "noise on each coordinate of the sum of scaled rows"},
		},
		Reference: "Gaussian mechanism on the pair state: S = 2Cf + min(Lτ, 2Cm)",
	})
}

func (m means) plan(st Stage) (*gaussianSum, error) {
	if err := encodedFeatures(st.In, ", or release its Histogram"); err != nil {
		return nil, err
	}
	features := st.In.Features()
	lip := 0.0
	for j, s := range scaleOp(st.In).Scale {
		if st.Taint[features[j].Name] {
			lip = max(lip, up(s))
		}
	}
	g := &gaussianSum{
		query: accountant.Query{C: 1, Lipschitz: lip}, coordinates: len(features), draws: 1,
		fp: 0x1p-48 * float64(len(features)),
	}
	if err := g.state(st.Before); err != nil {
		return nil, err
	}
	return g, g.calibrate(m.budget(), st)
}

func (m means) Run(ctx context.Context, in frames.Source, st Stage, _ Price, rng *noise.Source) (Estimates, error) {
	g, err := m.plan(st)
	if err != nil {
		return Estimates{}, err
	}
	sums, err := m.sum(ctx, in, st, g)
	if err != nil {
		return Estimates{}, err
	}
	op := scaleOp(st.In)
	noise.AddGaussian(rng, sums, g.gridSD)
	e := Estimates{Of: "mean"}
	n := float64(st.Before.N)
	for j, c := range st.In.Features() {
		e.Names = append(e.Names, c.Name)
		e.Values = append(e.Values, g.grid.Value(sums[j])/n/op.Scale[j]+op.Shift[j])
		e.Sigma = append(e.Sigma, g.sigma/n/op.Scale[j])
	}
	return e, nil
}

// sum is the exact sum of scaled rows, in grid steps.
func (m means) sum(ctx context.Context, in frames.Source, st Stage, g *gaussianSum) ([]int64, error) {
	op := scaleOp(st.In)
	sums := make([]int64, g.coordinates)
	z := make([]float64, g.coordinates)
	inv := 1 / g.grid.Step()
	err := scanRows(ctx, in, func(row []float64, _ float64) {
		for j, x := range row {
			z[j] = (x - op.Shift[j]) * op.Scale[j]
		}
		clipRow(z, z, 1) // a no-op on the domain, but for rounding
		for j, v := range z {
			if !math.IsNaN(v) { // a cell without a value has no integer; no step of this package leaves one
				sums[j] += int64(math.RoundToEven(v * inv))
			}
		}
	})
	return sums, err
}

// RunPublic computes the exact means.
func (m means) RunPublic(ctx context.Context, in frames.Source, st Stage) (Estimates, error) {
	if err := encodedFeatures(st.In, ", or release its Histogram"); err != nil {
		return Estimates{}, err
	}
	features := st.In.Features()
	sums := make([]neumaier, len(features))
	rows := 0
	err := scanRows(ctx, in, func(row []float64, _ float64) {
		rows++
		for j, x := range row {
			sums[j].add(x)
		}
	})
	e := Estimates{Of: "mean", Sigma: make([]float64, len(features))}
	for j, c := range features {
		e.Names = append(e.Names, c.Name)
		e.Values = append(e.Values, sums[j].sum()/float64(max(rows, 1)))
	}
	return e, err
}
