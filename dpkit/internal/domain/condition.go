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

// A Test says of the rows from..to of a block which meet a condition: that of row from + i in met[i].
type Test func(b *frames.Block, from, to int, met []bool)

// Meets returns which rows of the stage meet all conditions. Errors wrap [stage.ErrColumn] for a column that is not
// there or of another kind, [kind.ErrParameter] for levels and bounds that make no sense, and [stage.ErrOrder] for a column that an earlier
// step displaced: however little a common row moves, it may come to meet a condition or cease to.
func Meets(all []Condition, st stage.Stage, what string) (Test, error) {
	whole := And(all...)
	for _, name := range whole.Columns() {
		//dp:refuses condition/displaced each common row that differs could come to meet it
		if st.Taint[name] {
			return nil, fmt.Errorf("column %q differs in common rows, and each of them could come to meet %v or cease to; %s before the step that displaces it: %w", name, whole.on(name), what, stage.ErrOrder)
		}
	}
	known, err := whole.compile(st.In)
	return func(b *frames.Block, from, to int, met []bool) {
		var at [strip]truth
		for ; from < to; from += strip {
			n := min(strip, to-from)
			known(b, from, at[:n])
			for i, t := range at[:n] {
				met[i] = t == yes
			}
			met = met[n:]
		}
	}, err
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

// strip is how many rows a condition looks at before the next one does.
const strip = 256

// knower writes what is known of the rows of a block from the given one on, at most [strip] of them.
type knower func(b *frames.Block, from int, known []truth)

// compile returns what is known of rows of the schema and their labels.
func (c Condition) compile(in frames.Schema) (knower, error) {
	if c.join == one {
		return c.cell(in)
	}
	parts := make([]knower, len(c.of))
	for i, o := range c.of {
		var err error
		if parts[i], err = o.compile(in); err != nil {
			return nil, err
		}
	}
	switch {
	case c.join == not:
		return func(b *frames.Block, from int, known []truth) {
			parts[0](b, from, known)
			for i, t := range known {
				known[i] = -t
			}
		}, nil
	case len(parts) == 1:
		return parts[0], nil
	case c.join == or:
		return joined(parts, no, func(a, b truth) truth { return max(a, b) }), nil
	}
	return joined(parts, yes, func(a, b truth) truth { return min(a, b) }), nil
}

// joined are several conditions as one; of none, what is known is given.
func joined(parts []knower, none truth, join func(a, b truth) truth) knower {
	return func(b *frames.Block, from int, known []truth) {
		for i := range known {
			known[i] = none
		}
		var next [strip]truth
		for _, part := range parts {
			part(b, from, next[:len(known)])
			for i, t := range next[:len(known)] {
				known[i] = join(known[i], t)
			}
		}
	}
}

// cell is compile of a condition on one cell.
func (c Condition) cell(in frames.Schema) (knower, error) {
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
		holds = func(code float64) bool { k := int(code); return 0 <= k && k < len(in) && in[k] }
	}
	at, feature := in.FeatureIndex(c.column)
	cells := func(b *frames.Block, from int) (of []float64, apart int) {
		if feature {
			return b.X[from*b.Cols+at:], b.Cols
		}
		return b.Y[from:], 1
	}
	if lo, hi := c.lo, c.hi; c.levels == nil && c.days == nil {
		return func(b *frames.Block, from int, known []truth) {
			of, apart := cells(b, from)
			for i := range known {
				x := of[i*apart] // without a branch: which way rows go, nobody can guess
				known[i] = 2*(bit(lo <= x)&bit(x <= hi)) - bit(!math.IsNaN(x))
			}
		}, nil
	}
	return func(b *frames.Block, from int, known []truth) {
		of, apart := cells(b, from)
		for i := range known {
			switch x := of[i*apart]; {
			case math.IsNaN(x):
				known[i] = open
			case holds(x):
				known[i] = yes
			default:
				known[i] = no
			}
		}
	}, nil
}

// bit is 1 where something holds, and else 0.
func bit(holds bool) truth {
	if holds {
		return 1
	}
	return 0
}
