package dpkit

import (
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanisms/sums"
)

// Means releases the mean of every feature, in the units of the chain's rows, by one draw of noise.
// A one-hot column's mean is the frequency of its level. Rows are scaled to the unit ball by their
// public bounds before the noise and back after it, so that every column gets noise in proportion to
// its width: select the columns that you need.
//
// Behind a step that may remove rows these are the means of the rows that are there. Their number is
// private: it is released in the same draw, as [Estimates.Rows], and the sums are divided by it. Such a ratio
// is clamped to the column's bounds, and its Sigma is the first-order one, good while Rows is many times
// its own.
//
//go:noinline
func (p Pipeline) Means(t Target) Plan[Estimates] {
	return newPlan[Estimates](p, sums.Means{Target: t})
}
