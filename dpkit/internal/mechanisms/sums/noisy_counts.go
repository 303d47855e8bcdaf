package sums

import (
	"context"
	"math"
	"slices"

	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/internal/num"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// Clamped is a noisy count of some of that many rows as it is released: between what is public, 0 and all of them. It is made of the noisy
// count alone, so that it tells no more, and never further from the exact one: the margins of the noise hold for it.
func Clamped(noisy float64, rows int) float64 { return num.Clamp(noisy, 0, float64(rows)) }

// countsWith settles the release of counts with noise, of so many rows.
func countsWith(g SumNoise, names []string, rows int, law query.Noise, b query.Bill, read func(context.Context, rows.Driver) ([]int64, error)) mechanism.Settled[Estimates] {
	s := mechanism.ReadOnce(b, read, func(counts []int64, rng *noise.Source) (Estimates, error) {
		e := Estimates{Of: "count", Noise: law, Most: float64(rows)}
		sums := make([]int64, len(counts))
		for j, c := range counts {
			sums[j] = int64(math.RoundToEven(float64(c) / g.Lattice().Step())) // exact: the grid is of 1 or finer, or a power of two
		}
		g.add(rng, sums)
		for j, v := range sums {
			e.add(names[j], Clamped(g.Lattice().Value(v), rows), g.sd())
		}
		return e, nil
	})
	sd := make([]float64, len(names))
	for j := range sd {
		sd[j] = g.sd()
	}
	s.Predicted = mechanism.Deviations(lawOf(law), names, sd...)
	s.Predicted.Most = slices.Repeat([]float64{float64(rows) / 2}, len(names))
	return s
}

// lawOf is that of a target's noise.
func lawOf(n query.Noise) mechanism.Law {
	switch n {
	case query.NoiseLaplace:
		return mechanism.Laplace
	case query.NoiseGeometric:
		return mechanism.Geometric
	}
	return mechanism.Gaussian
}

// exactCounts are counts without noise.
func exactCounts(names []string, counts []int64) Estimates {
	e := Estimates{Of: "count"}
	for j, n := range counts {
		e.add(names[j], float64(n), 0)
	}
	return e
}
