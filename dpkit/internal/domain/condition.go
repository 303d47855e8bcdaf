package domain

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// Condition is a public condition on the cells of a row. Make one with [Is], [Between] or [During], and of others with [And], [Or] and [Not]. A
// condition on a cell that is missing is neither met nor not met, as in SQL: a row counts where the whole is met.
type Condition struct {
	join   join // of the conditions of
	of     []Condition
	column string // else
	levels []string
	lo, hi float64
	days   *[2]string // of a column of dates, in place of lo and hi: the first and the last
}

// join is how conditions make one.
type join uint8

const (
	one join = iota // on one cell
	and
	or
	not
)

// joins are the calls that make one of others.
var joins = map[join]string{and: "And", or: "Or", not: "Not"}

// Is holds for rows with one of the levels in a category or a class label, before OneHot.
func Is(column string, levels ...string) Condition {
	return Condition{column: column, levels: append([]string{}, levels...)}
}

// Between holds for rows with lo ≤ x ≤ hi in a numeric column. Of dates, whose numbers are days since their first one, take [During].
func Between(column string, lo, hi float64) Condition {
	return Condition{column: column, lo: lo, hi: hi}
}

// During holds for rows with a day from first to last, both written as 2024-01-31, in a column of dates.
func During(column, first, last string) Condition {
	return Condition{column: column, days: &[2]string{first, last}}
}

// And holds where all of the conditions do; of none, always.
func And(of ...Condition) Condition { return Condition{join: and, of: slices.Clone(of)} }

// Or holds where one of the conditions does; of none, never.
func Or(of ...Condition) Condition { return Condition{join: or, of: slices.Clone(of)} }

// Not holds where the condition does not, and its cells are there.
func Not(of Condition) Condition { return Condition{join: not, of: []Condition{of}} }

// String names the condition with its parameters.
func (c Condition) String() string { return c.Text() }

// Text is how a chain writes the condition.
func (c Condition) Text() string {
	switch {
	case c.join != one:
		texts := make([]string, len(c.of))
		for i, o := range c.of {
			texts[i] = o.Text()
		}
		return kind.Call(joins[c.join], texts...)
	case c.levels != nil:
		return kind.Call("Is", kind.QuoteAll(append([]string{c.column}, c.levels...))...)
	}
	if c.days != nil {
		return kind.Call("During", kind.QuoteAll([]string{c.column, c.days[0], c.days[1]})...)
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
	switch first := false; name {
	case "And", "Or", "Not":
		for j, call := range joins {
			if call == name {
				c.join = j
			}
		}
		first = true
		err = p.Rest(reflect.ValueOf(&c.of).Elem(), &first)
		if err == nil && c.join == not && len(c.of) != 1 {
			err = p.Fail("Not: got %d conditions, want one", len(c.of))
		}
	case "Is":
		c.levels = []string{}
		if err = p.Value(reflect.ValueOf(&c.column).Elem()); err == nil {
			err = p.Rest(reflect.ValueOf(&c.levels).Elem(), &first)
		}
	case "Between":
		err = p.Value(reflect.ValueOf(&c.column).Elem())
		for _, end := range []*float64{&c.lo, &c.hi} {
			if err == nil {
				err = p.Take(",")
			}
			if err == nil {
				err = p.Value(reflect.ValueOf(end).Elem())
			}
		}
	case "During":
		c.days = new([2]string)
		err = p.Value(reflect.ValueOf(&c.column).Elem())
		for i := range c.days {
			if err == nil {
				err = p.Take(",")
			}
			if err == nil {
				err = p.Value(reflect.ValueOf(&c.days[i]).Elem())
			}
		}
	default:
		return p.Fail("got %s, want Is(…), Between(…), During(…), And(…), Or(…) or Not(…)", name)
	}
	if err != nil {
		return err
	}
	return p.Take(")")
}

// Columns are those that the condition reads, each once, in the order in which they are named.
func (c Condition) Columns() []string {
	if c.join == one {
		return []string{c.column}
	}
	var all []string
	for _, o := range c.of {
		for _, name := range o.Columns() {
			if !slices.Contains(all, name) {
				all = append(all, name)
			}
		}
	}
	return all
}

// truth is what is known of a condition: a missing cell leaves it open.
type truth int8

const (
	no   truth = -1
	open truth = 0
	yes  truth = 1
)

// bit is 1 where something holds, and else 0.
func bit(holds bool) truth {
	if holds {
		return 1
	}
	return 0
}

// Meets returns whether a row of the stage and its label meet all conditions. Errors wrap [stage.ErrColumn] for a column that is not
// there or of another kind, [kind.ErrParameter] for levels and bounds that make no sense, and [stage.ErrOrder] for a column that an earlier
// step displaced: however little a common row moves, it may come to meet a condition or cease to.
func Meets(all []Condition, st stage.Stage, what string) (func(row []float64, y float64) bool, error) {
	whole := And(all...)
	for _, name := range whole.Columns() {
		if st.Taint[name] {
			return nil, fmt.Errorf("column %q differs in common rows, and each of them could come to meet %v or cease to; %s before the step that displaces it: %w", name, whole.on(name), what, stage.ErrOrder)
		}
	}
	f, err := whole.compile(st.In)
	return func(row []float64, y float64) bool { return f(row, y) == yes }, err
}

// Within returns the place and bounds of a numeric feature, if conditions that [Meets] knows hold exactly where it lies within them: rows can then be
// counted by a loop over cells.
func Within(all []Condition, in frames.Schema) (at int, lo, hi float64, ok bool) {
	if len(all) != 1 || all[0].join != one || all[0].levels != nil || all[0].days != nil {
		return 0, 0, 0, false
	}
	at, ok = in.FeatureIndex(all[0].column)
	return at, all[0].lo, all[0].hi, ok
}

// on is the first condition on a column.
func (c Condition) on(name string) Condition {
	for _, o := range c.of {
		if slices.Contains(o.Columns(), name) {
			return o.on(name)
		}
	}
	return c
}

// compile returns what is known of a row of the schema and its label.
func (c Condition) compile(in frames.Schema) (func(row []float64, y float64) truth, error) {
	if c.join == one {
		return c.cell(in)
	}
	tests := make([]func([]float64, float64) truth, len(c.of))
	for i, o := range c.of {
		var err error
		if tests[i], err = o.compile(in); err != nil {
			return nil, err
		}
	}
	switch c.join {
	case not:
		return func(row []float64, y float64) truth { return -tests[0](row, y) }, nil
	case or:
		return func(row []float64, y float64) truth {
			best := no
			for _, test := range tests {
				best = max(best, test(row, y))
			}
			return best
		}, nil
	}
	if len(tests) == 1 {
		return tests[0], nil
	}
	return func(row []float64, y float64) truth {
		worst := yes
		for _, test := range tests {
			if worst = min(worst, test(row, y)); worst == no {
				break
			}
		}
		return worst
	}, nil
}

// cell is compile of a condition on one cell.
func (c Condition) cell(in frames.Schema) (func(row []float64, y float64) truth, error) {
	col, ok := in.Column(c.column)
	if !ok || col.Kind == frames.KindPerson || col.Kind == frames.KindIgnored {
		return nil, UnknownColumn(c.column, in)
	}
	holds := func(x float64) bool { return c.lo <= x && x <= c.hi }
	switch {
	case col.Kind == frames.KindText:
		return nil, fmt.Errorf("column %q: got texts that no codebook lists, want numbers or levels; put Codebook before: %w", c.column, stage.ErrColumn)
	case c.days != nil && !col.IsDate():
		return nil, fmt.Errorf("column %q: got a %v column, want one of dates, before a step that makes other numbers of them: %w", c.column, col.Kind, stage.ErrColumn)
	case c.days != nil:
		first, err := col.DayNumber(c.days[0])
		last, also := col.DayNumber(c.days[1])
		if err := errors.Join(err, also); err != nil {
			return nil, fmt.Errorf("%v: %w: %w", c, err, kind.ErrParameter)
		}
		if !(first <= last) {
			return nil, fmt.Errorf("%v: got days %s and %s, want days that rise: %w", c, c.days[0], c.days[1], kind.ErrParameter)
		}
		holds = func(x float64) bool { return first <= x && x < last+1 }
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
		holds = func(code float64) bool { return in[int(code)] }
	}
	at, feature := in.FeatureIndex(c.column)
	if lo, hi := c.lo, c.hi; feature && c.levels == nil && c.days == nil {
		return func(row []float64, _ float64) truth {
			x := row[at] // without a branch: which way rows go, nobody can guess
			return 2*(bit(lo <= x)&bit(x <= hi)) - bit(!math.IsNaN(x))
		}, nil
	}
	return func(row []float64, y float64) truth {
		if feature {
			y = row[at]
		}
		switch {
		case math.IsNaN(y):
			return open
		case holds(y):
			return yes
		}
		return no
	}, nil
}
