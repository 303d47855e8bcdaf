package dpkit

import (
	"context"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// answerer is a node's mechanism, settled on a pair state.
type answerer interface {
	bill(name string) (bill, error)
	// read reads the rows as far as no draw comes before.
	read(ctx context.Context, in driver) (conversation, error)
	domain() *linearDomain
}

// A conversation is a function of the noise alone: what the node tells of itself, and what draws an answer.
type conversation func(ctx context.Context, rng *noise.Source) (facts LocalFacts, answer func(theta []float64) ([]float64, error), err error)

// relativeGradients answers with the gradients of a relativeDescent.
type relativeGradients struct{ *relativeDescent }

func (g *relativeGradients) bill(name string) (bill, error) { return g.relativeDescent.billAs(name) }

func (g *relativeGradients) read(ctx context.Context, in driver) (conversation, error) {
	m, err := g.moments(ctx, in)
	return func(_ context.Context, rng *noise.Source) (LocalFacts, func([]float64) ([]float64, error), error) {
		_, d, err := g.begin(m, rng)
		if err != nil {
			return LocalFacts{}, nil, err
		}
		return LocalFacts{Lipschitz: g.lipschitz(), Gamma: d.gamma}, func(theta []float64) ([]float64, error) {
			return g.plan.draw(rng, g.at(m, theta), d)
		}, nil
	}, err
}

// clippedGradients answers with (1/n) Σ clip((⟨x, θ⟩ − v)x) + λθ and Gaussian noise on the sum.
type clippedGradients struct {
	*linearDomain
	*gaussianSum
	st     Stage
	target accountant.Budget
	lambda float64
	clip   float64
}

func newClippedGradients(o LocalTraining, dom *linearDomain, st Stage, wide float64) (*clippedGradients, error) {
	g := &clippedGradients{linearDomain: dom, st: st, target: accountant.Budget{Epsilon: o.Epsilon, Delta: o.Delta}}
	g.lambda, g.clip = o.Ridge*dom.rx*dom.rx, o.Clip*dom.rx*dom.height
	g.st.Before = dom.features
	// A gradient moves by 2RW + b per unit of displacement of its row, and clipping moves no two of them further apart.
	lip := up(2*dom.rx*wide + dom.height)
	g.gaussianSum = &gaussianSum{
		query: pair.Query{C: g.clip, Lipschitz: lip}, coordinates: dom.coefficients(), draws: o.Rounds,
		fp: float64(dom.coefficients()+8) * 0x1p-48 * dom.rx * lip,
	}
	if err := g.gaussianSum.state(g.st.Before); err != nil {
		return nil, err
	}
	return g, g.gaussianSum.calibrate(g.target, g.st)
}

func (g *clippedGradients) bill(name string) (bill, error) {
	return g.gaussianSum.price(g.target, g.st, ReleaseCost{
		Name: name,
		Constants: []Constant{
			{"R̃", g.rx, FromSchema, "bound on a row's norm, the constant feature included"},
			{"b", g.height, FromParameter, "bound on the scaled label"},
			{"C", g.clip, FromParameter, "bound on a row's gradient, by clipping"},
			{"T", float64(g.draws), FromParameter, "rounds"},
			{"σ", g.sigma, FromParameter, "noise on each coordinate of the sum of a round's gradients"},
		},
		Reference: "Gaussian mechanism on sums of clipped gradients, all rows in every round",
	})
}

func (g *clippedGradients) read(_ context.Context, in driver) (conversation, error) {
	n := float64(g.n)
	return func(ctx context.Context, rng *noise.Source) (LocalFacts, func([]float64) ([]float64, error), error) {
		answer := func(theta []float64) ([]float64, error) {
			sums, err := g.sums(ctx, in, theta)
			if err != nil {
				return nil, err
			}
			noise.AddGaussian(rng, sums, g.gridSD)
			out := make([]float64, len(sums))
			for j, k := range sums {
				out[j] = g.grid.Value(k)/n + g.lambda*theta[j]
			}
			return out, nil
		}
		return LocalFacts{Lipschitz: up(g.rx*g.rx + g.lambda)}, answer, nil
	}, nil
}

// sums adds the clipped gradients at a point, each rounded to the grid.
func (g *clippedGradients) sums(ctx context.Context, in driver, theta []float64) ([]int64, error) {
	p, inv := g.linearDomain.coefficients(), 1/g.grid.Step()
	return integerSums(ctx, in, p, func() func(sums []int64, row []float64, y float64) {
		z := make([]float64, g.size())
		return func(sums []int64, row []float64, y float64) {
			g.rounded(z, row, y)
			var fit, square float64
			for j, w := range theta {
				x := z[j] * g.h
				fit += x * w
				square += x * x
			}
			rest := fit - z[p]*g.h
			f := rest * g.h * inv
			if size := math.Abs(rest) * math.Sqrt(square); size > g.clip {
				f *= g.clip / size
			}
			for j := range sums {
				sums[j] += int64(math.RoundToEven(f * z[j]))
			}
		}
	})
}
