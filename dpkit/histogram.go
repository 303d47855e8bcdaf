package dpkit

import (
	"context"
	"fmt"
	"math"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/frames"
)

// Histogram releases how many rows have each level of a category, or of the class label, by one
// draw of noise. Rows whose cell is missing are counted under "(missing)" where
// the schema allows them. Levels are public, so that empty ones are listed too. No step may have
// changed the column: leave it unencoded.
//
//go:noinline
func (p Pipeline) Histogram(column string, t Target) Plan[Estimates] {
	return newPlan[Estimates](p, histogram{column, t})
}

// missingLevel names the count of missing cells.
const missingLevel = "(missing)"

type histogram struct {
	Column string
	Target `dp:"inline"`
}

func (histogram) kind() kind { return kind{"histogram", 1, "Histogram", "dpkit.histogram"} }

func (h histogram) columnsRead(frames.Schema) []string { return []string{h.Column} }

// Settle: one replaced row moves one count down and one up, √2 in all, and 2 in L1; a removed row moves
// one count by 1. Displaced rows keep their category: no fitted step writes to one (docs/theory/mechanisms.md#counts).
func (h histogram) Settle(st Stage) (settled[Estimates], error) {
	g, err := h.plan(st)
	if err != nil {
		return settled[Estimates]{}, err
	}
	levels, err := h.levels(st.In)
	if err != nil {
		return settled[Estimates]{}, err
	}
	_, free := g.sensitivity()
	b, err := g.price(h.budget(), st, ReleaseCost{
		Name: describe(h),
		Constants: []Constant{
			{"Δ", free, FromConstruction, "distance of the counts of neighbouring datasets, in the norm of the noise"},
			{"σ", g.sd(), FromParameter, "noise on each count"},
		},
		Reference: "clean counts; " + g.reference(),
	})
	return countsWith(g, levels, h.Noise, b, h.counts(st, len(levels))), err
}

func (h histogram) levels(in frames.Schema) ([]string, error) {
	c, ok := in.Column(h.Column)
	if !ok {
		return nil, unknownColumn(h.Column, in)
	}
	if len(c.Levels) == 0 {
		return nil, fmt.Errorf("column %q: got a %v column, want a category or a class label, before OneHot: %w", h.Column, c.Kind, ErrColumn)
	}
	if c.Missing {
		return append(append([]string{}, c.Levels...), missingLevel), nil
	}
	return c.Levels, nil
}

func (h histogram) plan(st Stage) (sumNoise, error) {
	if err := h.check(); err != nil {
		return nil, err
	}
	levels, err := h.levels(st.In)
	if err != nil {
		return nil, err
	}
	if st.Taint[h.Column] {
		return nil, fmt.Errorf("column %q differs in common rows, and each of them could change its level; count it before the step that displaces it: %w", h.Column, ErrOrder)
	}
	c := 1.0
	if st.Before.Neighbours == accountant.ReplaceOne {
		c = math.Sqrt2 / 2 // 2C = √2: two unit vectors with no common coordinate
	}
	return noiseFor(h.Target, st, contribution{l2: pair.Query{C: c}, l1: pair.Query{C: 1}, coordinates: len(levels)})
}

// counts reads the exact counts of so many levels.
func (h histogram) counts(st Stage, levels int) func(ctx context.Context, in driver) ([]int64, error) {
	at, feature := st.In.FeatureIndex(h.Column)
	return func(ctx context.Context, in driver) ([]int64, error) {
		return integerSums(ctx, in, levels, func() func([]int64, []float64, float64) {
			return func(counts []int64, row []float64, code float64) {
				if feature {
					code = row[at]
				}
				if math.IsNaN(code) {
					code = float64(levels - 1)
				}
				counts[int(code)]++
			}
		})
	}
}

// Exact computes the counts.
func (h histogram) Exact(ctx context.Context, in driver, st Stage) (Estimates, error) {
	levels, err := h.levels(st.In)
	if err != nil {
		return Estimates{}, err
	}
	counts, err := h.counts(st, len(levels))(ctx, in)
	return exactCounts(levels, counts), err
}
