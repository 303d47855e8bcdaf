package dpkit

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
	"github.com/dpkit-go/dpnb/frames"
)

// Count releases how many rows meet all the conditions. Without one it counts the rows that the steps
// before it left, which is a question only behind a step that may remove rows: otherwise their number
// is public. A row whose cell is missing meets no condition on it. No step may have displaced the
// columns of the conditions.
//
//go:noinline
func (p Pipeline) Count(t Target, where ...Condition) Plan[Estimates] {
	return newPlan[Estimates](p, count{t, slices.Clone(where)})
}

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
func (c Condition) String() string { return c.text() }

func (c Condition) text() string {
	if c.levels != nil {
		return call("Is", quoteAll(append([]string{c.column}, c.levels...))...)
	}
	return call("Between", strconv.Quote(c.column), decimal(c.lo), decimal(c.hi))
}

// read is the opposite of text.
func (c *Condition) read(p *parser) error {
	name, err := p.name()
	if err != nil {
		return err
	}
	if err := p.take("("); err != nil {
		return err
	}
	if err := p.value(reflect.ValueOf(&c.column).Elem()); err != nil {
		return err
	}
	switch first := false; name {
	case "Is":
		c.levels = []string{}
		err = p.rest(reflect.ValueOf(&c.levels).Elem(), &first)
	case "Between":
		for _, end := range []*float64{&c.lo, &c.hi} {
			if err = p.take(","); err == nil {
				err = p.value(reflect.ValueOf(end).Elem())
			}
			if err != nil {
				return err
			}
		}
	default:
		return p.fail("got %s, want Is(…) or Between(…)", name)
	}
	if err != nil {
		return err
	}
	return p.take(")")
}

// compile returns the test of a row of the schema and its label.
func (c Condition) compile(in frames.Schema) (func(row []float64, y float64) bool, error) {
	col, ok := in.Column(c.column)
	if !ok {
		return nil, unknownColumn(c.column, in)
	}
	keep := func(x float64) bool { return c.lo <= x && x <= c.hi } // false for NaN
	switch {
	case c.levels == nil && len(col.Levels) > 0:
		return nil, fmt.Errorf("column %q: got a %v column, want a numeric one; use Is(%q, level): %w", c.column, col.Kind, c.column, ErrColumn)
	case c.levels == nil && !(c.lo <= c.hi):
		return nil, fmt.Errorf("%v: got bounds %g and %g, want numbers that rise: %w", c, c.lo, c.hi, ErrParameter)
	case c.levels != nil && len(col.Levels) == 0:
		return nil, fmt.Errorf("column %q: got a %v column, want a category or a class label, before OneHot: %w", c.column, col.Kind, ErrColumn)
	case c.levels != nil && len(c.levels) == 0:
		return nil, fmt.Errorf("%v: got no level, want at least one of %s: %w", c, strings.Join(col.Levels, ", "), ErrParameter)
	case c.levels != nil:
		in := make([]bool, len(col.Levels))
		for _, level := range c.levels {
			k := slices.Index(col.Levels, level)
			if k < 0 {
				return nil, fmt.Errorf("%v: no level %q, want one of %s: %w", c, level, strings.Join(col.Levels, ", "), ErrParameter)
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

type count struct {
	Target `dp:"inline"`
	Where  []Condition
}

func (count) kind() kind { return kind{"count", 1, "Count", "dpkit.count"} }

// columnsRead: without conditions it counts the rows that the steps left, which have read what they looked at.
func (c count) columnsRead(frames.Schema) []string {
	var names []string
	for _, w := range c.Where {
		names = append(names, w.column)
	}
	return names
}

// Settle: a replaced row moves the count by 1, and so does a removed one. A displaced row could move it
// too, but for the columns of the conditions, which are clean.
func (c count) Settle(st Stage) (settled[Estimates], error) {
	g, err := c.plan(st)
	if err != nil {
		return settled[Estimates]{}, err
	}
	_, free := g.sensitivity()
	b, err := g.price(c.budget(), st, ReleaseCost{
		Name: describe(c),
		Constants: []Constant{
			{"Δ", free, FromConstruction, "distance of the counts of neighbouring datasets"},
			{"σ", g.sd(), FromParameter, "noise on the count"},
		},
		Reference: "clean count; " + g.reference(),
	})
	return countsWith(g, c.names(), c.Noise, b, c.counts(st)), err
}

func (c count) plan(st Stage) (sumNoise, error) {
	if err := c.check(); err != nil {
		return nil, err
	}
	if len(c.Where) == 0 && !st.Empty {
		return nil, fmt.Errorf("the number of rows is public, %d; count rows by a condition such as Is(column, level): %w", st.Before.N, ErrParameter)
	}
	for _, w := range c.Where {
		if st.Taint[w.column] {
			return nil, fmt.Errorf("column %q differs in common rows, and each of them could come to meet %v or cease to; count before the step that displaces it: %w", w.column, w, ErrOrder)
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

// counts reads the exact count.
func (c count) counts(st Stage) func(ctx context.Context, in driver) ([]int64, error) {
	return func(ctx context.Context, in driver) ([]int64, error) {
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
		return integerSums(ctx, in, 1, func() func([]int64, []float64, float64) {
			return func(n []int64, row []float64, y float64) {
				if meets(row, y) {
					n[0]++
				}
			}
		})
	}
}

func (c count) names() []string {
	if len(c.Where) == 0 {
		return []string{"rows"}
	}
	var names []string
	for _, w := range c.Where {
		names = append(names, describe(w))
	}
	return []string{strings.Join(names, " and ")}
}

// Exact computes the count.
func (c count) Exact(ctx context.Context, in driver, st Stage) (Estimates, error) {
	n, err := c.counts(st)(ctx, in)
	return exactCounts(c.names(), n), err
}
