package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/gradient"
)

// A Solver is how [Gradient] uses the rows: [FullBatch], [PoissonSampling], [WithoutReplacement] or [ByIteration].
type Solver = gradient.Solver

// FullBatch takes all rows in every step (DP-GD). For equal privacy it has the least noise; a step costs n gradients.
type FullBatch = gradient.FullBatch

// PoissonSampling draws every row with probability Rate, independently and anew in each step (DP-SGD; Abadi et al. 2016). The sum is
// divided by the expected number of rows, as the real one is private.
type PoissonSampling = gradient.PoissonSampling

// WithoutReplacement draws Batch rows out of all n, anew in each step. It needs the relation [ReplaceOne], as n must be public,
// and more noise than [PoissonSampling] at the same rate.
type WithoutReplacement = gradient.WithoutReplacement

// ByIteration passes over the rows once, in their order and one at a time, with noise on each gradient, and releases the iterate
// behind a row that was drawn uniformly and stays secret: the steps behind a row hide it (privacy amplification by
// iteration; Feldman, Mironov, Talwar, Thakurta 2018, with the corrected bound of accountant.SGDIteration). It holds for convex losses whose clipped
// gradients are those of convex functions, constant steps η ≤ 2/β, and the one iterate: averages are refused.
type ByIteration = gradient.ByIteration
