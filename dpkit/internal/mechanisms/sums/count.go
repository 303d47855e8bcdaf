package sums

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
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

// Condition is a public condition on one cell of a row. Make one with [Is] or [Between].
type Condition struct {
	column string
	levels []string
	lo, hi float64
}

// Is holds for rows with one of the levels in a category or a class label, before OneHot.
func Is(column string, levels ...string) Condition {
	return Condition{column: column, levels: append([]string{}, levels...)}
}

// Between holds for rows with lo ≤ x ≤ hi in a numeric column.
func Between(column string, lo, hi float64) Condition {
	return Condition{column: column, lo: lo, hi: hi}
}

// String names the condition with its parameters.
func (c Condition) String() string { return c.Text() }

func (c Condition) Text() string {
	if c.levels != nil {
		return kind.Call("Is", kind.QuoteAll(append([]string{c.column}, c.levels...))...)
	}
	return kind.Call("Between", strconv.Quote(c.column), kind.Decimal(c.lo), kind.Decimal(c.hi))
}

// Read is the opposite of Text.
func (c *Condition) Read(p *kind.Parser) error {
	name, err := p.Name()
	if err != nil {
		return err
	}
	if err := p.Take("("); err != nil {
		return err
	}
	if err := p.Value(reflect.ValueOf(&c.column).Elem()); err != nil {
		return err
	}
	switch first := false; name {
	case "Is":
		c.levels = []string{}
		err = p.Rest(reflect.ValueOf(&c.levels).Elem(), &first)
	case "Between":
		for _, end := range []*float64{&c.lo, &c.hi} {
			if err = p.Take(","); err == nil {
				err = p.Value(reflect.ValueOf(end).Elem())
			}
			if err != nil {
				return err
			}
		}
	default:
		return p.Fail("got %s, want Is(…) or Between(…)", name)
	}
	if err != nil {
		return err
	}
	return p.Take(")")
}

// compile returns the test of a row of the schema and its label.
func (c Condition) compile(in frames.Schema) (func(row []float64, y float64) bool, error) {
	col, ok := in.Column(c.column)
	if !ok {
		return nil, domain.UnknownColumn(c.column, in)
	}
	keep := func(x float64) bool { return c.lo <= x && x <= c.hi } // false for NaN
	switch {
	case c.levels == nil && len(col.Levels) > 0:
		return nil, fmt.Errorf("column %q: got a %v column, want a numeric one; use Is(%q, level): %w", c.column, col.Kind, c.column, stage.ErrColumn)
	case c.levels == nil && !(c.lo <= c.hi):
		return nil, fmt.Errorf("%v: got bounds %g and %g, want numbers that rise: %w", c, c.lo, c.hi, kind.ErrParameter)
	case c.levels != nil && len(col.Levels) == 0:
		return nil, fmt.Errorf("column %q: got a %v column, want a category or a class label, before OneHot: %w", c.column, col.Kind, stage.ErrColumn)
	case c.levels != nil && len(c.levels) == 0:
		return nil, fmt.Errorf("%v: got no level, want at least one of %s: %w", c, strings.Join(col.Levels, ", "), kind.ErrParameter)
	case c.levels != nil:
		in := make([]bool, len(col.Levels))
		for _, level := range c.levels {
			k := slices.Index(col.Levels, level)
			if k < 0 {
				return nil, fmt.Errorf("%v: no level %q, want one of %s: %w", c, level, strings.Join(col.Levels, ", "), kind.ErrParameter)
			}
			in[k] = true
		}
		keep = func(code float64) bool { return !math.IsNaN(code) && in[int(code)] }
	}
	at, feature := in.FeatureIndex(c.column)
	return func(row []float64, y float64) bool {
		if feature {
			y = row[at]
		}
		return keep(y)
	}, nil
}

// Count releases how many rows meet all conditions; without any, how many rows the steps left.
type Count struct {
	query.Target `dp:"inline"`
	Where        []Condition
}

func (Count) Kind() kind.Kind {
	return kind.Kind{Name: "count", Law: 1, Call: "Count", Was: "dpkit.count"}
}

// ColumnsRead: without conditions it counts the rows that the steps left, which have read what they looked at.
func (c Count) ColumnsRead(frames.Schema) []string {
	var names []string
	for _, w := range c.Where {
		names = append(names, w.column)
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
	if err := c.Check(); err != nil {
		return nil, err
	}
	if len(c.Where) == 0 && !st.Empty {
		return nil, fmt.Errorf("the number of rows is public, %d; count rows by a condition such as Is(column, level): %w", st.Before.N, kind.ErrParameter)
	}
	for _, w := range c.Where {
		if st.Taint[w.column] {
			return nil, fmt.Errorf("column %q differs in common rows, and each of them could come to meet %v or cease to; count before the step that displaces it: %w", w.column, w, stage.ErrOrder)
		}
		if _, err := w.compile(st.In); err != nil {
			return nil, err
		}
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
		tests := make([]func([]float64, float64) bool, len(c.Where))
		for i, w := range c.Where {
			var err error
			if tests[i], err = w.compile(st.In); err != nil {
				return nil, err
			}
		}
		meets := func(row []float64, y float64) bool {
			return !slices.ContainsFunc(tests, func(test func([]float64, float64) bool) bool { return !test(row, y) })
		}
		return rows.IntegerSums(ctx, in, 1, func() func([]int64, []float64, float64) {
			return func(n []int64, row []float64, y float64) {
				if meets(row, y) {
					n[0]++
				}
			}
		})
	}
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
