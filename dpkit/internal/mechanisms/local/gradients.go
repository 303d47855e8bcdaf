package local

import (
	"context"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/linear"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/sums"
	"github.com/dpkit-go/dpnb/dpkit/internal/models"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// answerer is a node's mechanism, settled on a pair state.
type answerer interface {
	bill(name string) (query.Bill, error)
	// Read reads the rows as far as no draw comes before.
	Read(ctx context.Context, in rows.Driver) (conversation, error)
	// Domain is what bounds rows, labels and coefficients, in their units.
	Domain() *linear.LinearDomain
}

// A conversation is a function of the noise alone: what the node tells of itself, and what draws an answer.
type conversation func(ctx context.Context, rng *noise.Source) (facts models.LocalFacts, answer func(theta []float64) ([]float64, error), err error)

// relativeGradients answers with the gradients of a [linear.RelativeDescent].
type relativeGradients struct{ *linear.RelativeDescent }

func (g *relativeGradients) bill(name string) (query.Bill, error) {
	return g.RelativeDescent.Bill(name)
}

func (g *relativeGradients) Read(ctx context.Context, in rows.Driver) (conversation, error) {
	m, err := g.NormalEquations(ctx, in)
	return func(_ context.Context, rng *noise.Source) (models.LocalFacts, func([]float64) ([]float64, error), error) {
		_, d, err := g.Begin(m, rng)
		if err != nil {
			return models.LocalFacts{}, nil, err
		}
		return models.LocalFacts{Lipschitz: g.Lipschitz(), Gamma: d.Gamma}, func(theta []float64) ([]float64, error) {
			return g.Noises.Draw(rng, g.At(m, theta), d)
		}, nil
	}, err
}

// ClippedGradients answers with (1/n) Σ clip((⟨x, θ⟩ − v)x) + λθ and Gaussian noise on the sum.
type ClippedGradients struct {
	*linear.LinearDomain
	*sums.GaussianSum
	st     stage.Stage
	target accountant.Budget
	Lambda float64
	clip   float64
}

func newClippedGradients(o Training, dom *linear.LinearDomain, st stage.Stage, wide float64) (*ClippedGradients, error) {
	g := &ClippedGradients{LinearDomain: dom, st: st, target: accountant.Budget{Epsilon: o.Epsilon, Delta: o.Delta}}
	g.Lambda, g.clip = o.Ridge*dom.Rx*dom.Rx, o.Clip*dom.Rx*dom.Height
	g.st.Before = dom.Features
	// A gradient moves by 2RW + b per unit of displacement of its row, and clipping moves no two of them further apart.
	lip := stage.Up(2*dom.Rx*wide + dom.Height)
	g.GaussianSum = &sums.GaussianSum{
		Query: pair.Query{C: g.clip, Lipschitz: lip}, Any: lip, Coordinates: dom.Coefficients(), Draws: o.Rounds,
		Fp: float64(dom.Coefficients()+8) * 0x1p-48 * dom.Rx * lip,
	}
	if err := g.GaussianSum.State(g.st.Before); err != nil {
		return nil, err
	}
	return g, g.GaussianSum.Calibrate(g.target, g.st)
}

func (g *ClippedGradients) bill(name string) (query.Bill, error) {
	b, err := g.GaussianSum.Price(g.target, g.st, cost.Release{
		Name: name,
		Constants: []stage.Constant{
			{Symbol: "R̃", Value: g.Rx, Origin: stage.FromSchema, Meaning: "bound on a row's norm, the constant feature included"},
			{Symbol: "b", Value: g.Height, Origin: stage.FromParameter, Meaning: "bound on the scaled label"},
			{Symbol: "C", Value: g.clip, Origin: stage.FromParameter, Meaning: "bound on a row's gradient, by clipping"},
			{Symbol: "T", Value: float64(g.Draws), Origin: stage.FromParameter, Meaning: "rounds"},
			{Symbol: "σ", Value: g.Sigma, Origin: stage.FromParameter, Meaning: "noise on each coordinate of the sum of a round's gradients"},
		},
		Reference: "Gaussian mechanism on sums of clipped gradients, all rows in every round",
	})
	if behind := b.Behind; behind != nil {
		b.Behind = func(p pair.State) (accountant.Event, error) {
			p, err := g.FeaturesBehind(p)
			if err != nil {
				return nil, err
			}
			return behind(p)
		}
	}
	return b, err
}

func (g *ClippedGradients) Read(_ context.Context, in rows.Driver) (conversation, error) {
	n := float64(g.N)
	return func(ctx context.Context, rng *noise.Source) (models.LocalFacts, func([]float64) ([]float64, error), error) {
		answer := func(theta []float64) ([]float64, error) {
			sums, err := g.sums(ctx, in, theta)
			if err != nil {
				return nil, err
			}
			noise.AddGaussian(rng, sums, g.GridSD)
			out := make([]float64, len(sums))
			for j, k := range sums {
				out[j] = g.Grid.Value(k)/n + g.Lambda*theta[j]
			}
			return out, nil
		}
		return models.LocalFacts{Lipschitz: stage.Up(g.Rx*g.Rx + g.Lambda)}, answer, nil
	}, nil
}

// sums adds the clipped gradients at a point, each rounded to the grid.
func (g *ClippedGradients) sums(ctx context.Context, in rows.Driver, theta []float64) ([]int64, error) {
	p, inv := g.LinearDomain.Coefficients(), 1/g.Grid.Step()
	in = rows.BindSecret(rows.Bind(in, "gradients of rows", g.LinearDomain, g.Grid, g.clip), "coefficients", theta)
	return rows.IntegerSums(ctx, in, p, func() func(sums []int64, row []float64, y float64) {
		z := make([]float64, g.Size())
		return func(sums []int64, row []float64, y float64) {
			g.Rounded(z, row, y)
			var fit, square float64
			for j, w := range theta {
				x := z[j] * g.H
				fit += x * w
				square += x * x
			}
			rest := fit - z[p]*g.H
			f := rest * g.H * inv
			if size := math.Abs(rest) * math.Sqrt(square); size > g.clip {
				f *= g.clip / size
			}
			for j := range sums {
				sums[j] += int64(math.RoundToEven(f * z[j]))
			}
		}
	})
}
