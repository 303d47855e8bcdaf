package sums

import (
	"context"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/cost"
	"github.com/dpkit-go/dpnb/dpkit/internal/domain"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/internal/mechanism"
	"github.com/dpkit-go/dpnb/dpkit/internal/query"
	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// MissingLevel names the count of missing cells.
const MissingLevel = frames.MissingLevel

// Histogram releases the number of rows of each level of a category or a class label, and of those without one.
type Histogram struct {
	Column       string
	query.Target `dp:"inline"`
}

// Kind: law 1 did not clamp.
func (Histogram) Kind() kind.Kind {
	return kind.Kind{Name: "histogram", Law: 2, Replays: 1, Call: "Histogram", Was: "dpkit.histogram"}
}

// AtEitherLaw marks it as a [query.AtEitherLaw].
func (Histogram) AtEitherLaw() {}

// OfIntegers marks it as a [query.OfIntegers].
func (Histogram) OfIntegers() {}

func (h Histogram) ColumnsRead(frames.Schema) []string { return []string{h.Column} }

// Settle: one replaced row moves one count down and one up, √2 in all, and 2 in L1; a removed row moves
// one count by 1. Displaced rows keep their category: no fitted step writes to one (docs/theory/mechanisms.md#counts).
func (h Histogram) Settle(st stage.Stage) (mechanism.Settled[Estimates], error) {
	g, err := h.Calibrate(st)
	if err != nil {
		return mechanism.Settled[Estimates]{}, err
	}
	levels, err := h.Levels(st.In)
	if err != nil {
		return mechanism.Settled[Estimates]{}, err
	}
	_, free := g.Sensitivity()
	b, err := g.Price(h.Budget(), st, cost.Release{
		Name: kind.Describe(h),
		Constants: []stage.Constant{
			{Symbol: "Δ", Value: free, Origin: stage.FromConstruction, Meaning: "distance of the counts of neighbouring datasets, in the norm of the noise"},
			{Symbol: "σ", Value: g.sd(), Origin: stage.FromParameter, Meaning: "noise on each count"},
		},
		Reference: "clean counts; " + g.reference(),
	})
	return countsWith(g, levels, st.Before.N, h.Noise, b, h.Counts(st, len(levels))), err
}

// Levels names the counts in order: the column's levels, and [MissingLevel] where cells may be missing. Errors wrap
// [stage.ErrColumn].
func (h Histogram) Levels(in frames.Schema) ([]string, error) {
	c, ok := in.Column(h.Column)
	if !ok {
		return nil, domain.UnknownColumn(h.Column, in)
	}
	if len(c.Levels) == 0 {
		return nil, fmt.Errorf("column %q: got a %v column, want a category or a class label, before OneHot: %w", h.Column, c.Kind, stage.ErrColumn)
	}
	if c.Missing {
		return append(append([]string{}, c.Levels...), MissingLevel), nil
	}
	return c.Levels, nil
}

// Calibrate settles the noise on all counts together: Δ = √2 in ℓ2 for a replaced row (2 in L1), 1 for an added one. Errors are
// those of Levels, wrap [stage.ErrOrder] for a column that a step displaced, or are of the target or of the noise's grid.
func (h Histogram) Calibrate(st stage.Stage) (SumNoise, error) {
	if err := query.CheckIntegers(h.Target); err != nil {
		return nil, err
	}
	levels, err := h.Levels(st.In)
	if err != nil {
		return nil, err
	}
	//dp:refuses histogram/displaced each common row that differs could change its level
	if st.Taint[h.Column] {
		return nil, fmt.Errorf("column %q differs in common rows, and each of them could change its level; count it before the step that displaces it: %w", h.Column, stage.ErrOrder)
	}
	c := 1.0
	if st.Before.Neighbours == accountant.ReplaceOne {
		c = math.Sqrt2 / 2 // 2C = √2: two unit vectors with no common coordinate
	}
	return noiseFor(h.Target, st, contribution{l2: pair.Query{C: c}, l1: pair.Query{C: 1}, coordinates: len(levels)})
}

// Counts reads the exact counts of so many levels.
func (h Histogram) Counts(st stage.Stage, levels int) func(ctx context.Context, in rows.Driver) ([]int64, error) {
	at, feature := st.In.FeatureIndex(h.Column)
	return func(ctx context.Context, in rows.Driver) ([]int64, error) {
		return rows.IntegerRuns(ctx, in, levels, func() func([]int64, *frames.Block, int, int) {
			return func(counts []int64, b *frames.Block, from, to int) {
				codes, first, apart := b.Y, from, 1
				if feature {
					codes, first, apart = b.X, from*b.Cols+at, b.Cols
				}
				for i := range to - from {
					code := codes[first+i*apart]
					if math.IsNaN(code) {
						code = float64(levels - 1)
					}
					counts[int(code)]++
				}
			}
		})
	}
}

// Exact computes the counts.
func (h Histogram) Exact(ctx context.Context, in rows.Driver, st stage.Stage) (Estimates, error) {
	levels, err := h.Levels(st.In)
	if err != nil {
		return Estimates{}, err
	}
	counts, err := h.Counts(st, len(levels))(ctx, in)
	return exactCounts(levels, counts), err
}

// ReadsUnbounded says that no bound of a column enters.
func (Histogram) ReadsUnbounded() {}

// LeavesTexts says that cells of texts are left alone, or name groups.
func (Histogram) LeavesTexts() {}
