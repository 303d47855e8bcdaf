package sums

import (
	"context"
	"fmt"
	"strings"

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

// Count releases how many rows meet all conditions; without any, how many rows the steps left.
type Count struct {
	query.Target `dp:"inline"`
	Where        []domain.Condition
}

// Kind: law 1 did not clamp.
func (Count) Kind() kind.Kind {
	return kind.Kind{Name: "count", Law: 2, Replays: 1, Call: "Count", Was: "dpkit.count"}
}

// AtEitherLaw marks it as a [query.AtEitherLaw].
func (Count) AtEitherLaw() {}

// OfIntegers marks it as a [query.OfIntegers].
func (Count) OfIntegers() {}

// ColumnsRead: without conditions it counts the rows that the steps left, which have read what they looked at.
func (c Count) ColumnsRead(frames.Schema) []string {
	var names []string
	for _, w := range c.Where {
		names = append(names, w.Columns()...)
	}
	return names
}

// Settle: a replaced row moves the count by 1, and so does a removed one. A displaced row could move it
// too, but for the columns of the conditions, which are clean.
func (c Count) Settle(st stage.Stage) (mechanism.Settled[Estimates], error) {
	g, err := c.Calibrate(st)
	if err != nil {
		return mechanism.Settled[Estimates]{}, err
	}
	_, free := g.Sensitivity()
	b, err := g.Price(c.Budget(), st, cost.Release{
		Name: kind.Describe(c),
		Constants: []stage.Constant{
			{Symbol: "Δ", Value: free, Origin: stage.FromConstruction, Meaning: "distance of the counts of neighbouring datasets"},
			{Symbol: "σ", Value: g.sd(), Origin: stage.FromParameter, Meaning: "noise on the count"},
		},
		Reference: "clean count; " + g.reference(),
	})
	return countsWith(g, c.names(), st.Before.N, c.Noise, b, c.Counts(st)), err
}

// Calibrate settles the noise on the count: Δ = 1 under both relations. Errors wrap [kind.ErrParameter] for a condition that no
// column can meet and for a count that is public, [stage.ErrColumn] for a column that is not there or is of another kind,
// [stage.ErrOrder] for one that a step displaced.
func (c Count) Calibrate(st stage.Stage) (SumNoise, error) {
	if err := query.CheckIntegers(c.Target); err != nil {
		return nil, err
	}
	if len(c.Where) == 0 && !st.Empty {
		return nil, fmt.Errorf("the number of rows is public, %d; count rows by a condition such as Is(column, level): %w", st.Before.N, kind.ErrParameter)
	}
	if _, err := domain.Meets(c.Where, st, "count"); err != nil {
		return nil, err
	}
	q := pair.Query{C: 1}
	if st.Before.Neighbours == accountant.ReplaceOne {
		q.C = 0.5 // 2C = 1: two numbers in [0, 1]
	}
	return noiseFor(c.Target, st, contribution{l2: q, l1: q, coordinates: 1})
}

// Counts reads the exact count.
func (c Count) Counts(st stage.Stage) func(ctx context.Context, in rows.Driver) ([]int64, error) {
	return func(ctx context.Context, in rows.Driver) ([]int64, error) {
		meets, err := domain.Meets(c.Where, st, "count")
		if err != nil {
			return nil, err
		}
		if at, lo, hi, ok := domain.Within(c.Where, st.In); ok {
			return rows.IntegerRuns(ctx, in, 1, func() func([]int64, *frames.Block, int, int) {
				return func(n []int64, b *frames.Block, from, to int) { n[0] += within(b, at, from, to, lo, hi) }
			})
		}
		return rows.IntegerSums(ctx, in, 1, func() func([]int64, []float64, float64) {
			return func(n []int64, row []float64, y float64) {
				var met int64 // added without a branch
				if meets(row, y) {
					met = 1
				}
				n[0] += met
			}
		})
	}
}

// within counts the rows from..to of a block whose cell in a column lies in [lo, hi], without a branch: which way rows go, nobody can guess. A missing one
// does not.
func within(b *frames.Block, column, from, to int, lo, hi float64) int64 {
	var n int64
	for at, end := from*b.Cols+column, to*b.Cols; at < end; at += b.Cols {
		x := b.X[at]
		var least, most int64
		if lo <= x {
			least = 1
		}
		if x <= hi {
			most = 1
		}
		n += least & most
	}
	return n
}

func (c Count) names() []string {
	if len(c.Where) == 0 {
		return []string{"rows"}
	}
	var names []string
	for _, w := range c.Where {
		names = append(names, kind.Describe(w))
	}
	return []string{strings.Join(names, " and ")}
}

// Exact computes the count.
func (c Count) Exact(ctx context.Context, in rows.Driver, st stage.Stage) (Estimates, error) {
	n, err := c.Counts(st)(ctx, in)
	return exactCounts(c.names(), n), err
}

// ReadsUnbounded says that no bound of a column enters.
func (Count) ReadsUnbounded() {}

// LeavesTexts says that cells of texts are left alone, or name groups.
func (Count) LeavesTexts() {}
