package frames

import (
	"context"
	"fmt"
	"math"
)

// FromBlock makes a frame of values in memory, held to the schema as a file's cells are: b.X is
// row-major with one column per feature, b.Y has one label per row (nil if the schema has none).
// It copies them. Errors are [*LoadError].
func FromBlock(s Schema, b *Block) (*Frame, error) {
	c, err := newCollector("block", s)
	if err != nil {
		return nil, err
	}
	if err := c.add(b); err != nil {
		return nil, err
	}
	return c.frame()
}

// Collect reads a whole source into memory and holds it to its own schema. The frame keeps the
// counts of clamped cells of a [Frame], [File] or [Concat].
func Collect(ctx context.Context, src Source) (*Frame, error) {
	c, err := newCollector("source", src.Schema())
	if err != nil {
		return nil, err
	}
	c.place, _ = src.(placer)
	if err := src.Scan(ctx, c.add); err != nil {
		return nil, err
	}
	c.t.sorted = SortedBy(src)
	f, err := c.frame()
	if before, ok := src.(clamper); ok && err == nil {
		addCounts(c.t.clamped, before.Clamped())
	}
	return f, err
}

// clamper is a source that counts the cells it clamped.
type clamper interface{ Clamped() map[string]int }

func addCounts(to, from map[string]int) {
	for name, n := range from {
		to[name] += n
	}
}

// collector builds a frame from blocks of values.
type collector struct {
	t      *table
	cells  []*cellParser
	blocks *blockCheck
	rowValues
	stamp func(r *rowValues) // as in rowParser
	errs  *LoadError
	row   int
	place placer // nil: rows are counted over the whole source
}

// at places an error in the current row.
func (c *collector) at(column string, err error) error {
	e := &CellError{Row: c.row, Column: column, Err: err}
	if c.place != nil {
		file, at := c.place.Place(c.row - 1)
		e.File, e.Row = file, at+1
	}
	return e
}

func newCollector(name string, s Schema) (*collector, error) {
	if s.Len() == 0 {
		return nil, fmt.Errorf("frames: %s: got a schema without columns, want the data's: make it with NewSchema: %w", name, ErrSchema)
	}
	return &collector{
		t: newTable(s), cells: newCellParsers(s, CSVOptions{}), blocks: newBlockCheck(s),
		rowValues: rowValues{x: make([]float64, len(s.s.features))}, errs: &LoadError{Name: name}, stamp: s.stamper(),
	}, nil
}

func (c *collector) add(b *Block) error {
	s := c.t.schema.s
	labels, people := 0, 0
	if s.label >= 0 {
		labels = b.Rows
	}
	if s.person >= 0 {
		people = b.Rows
	}
	if len(b.Person) != people {
		return fmt.Errorf("frames: %s: got a block of %d rows with %d people, want %d: fix the block: %w", c.errs.Name, b.Rows, len(b.Person), people, ErrRagged)
	}
	if b.Rows < 0 || b.Cols != len(s.features) || len(b.X) != b.Rows*b.Cols || len(b.Y) != labels {
		return fmt.Errorf("frames: %s: got a block with Rows %d, Cols %d, %d values and %d labels, want %d columns, Rows×Cols values and %d labels: fix the block: %w",
			c.errs.Name, b.Rows, b.Cols, len(b.X), len(b.Y), len(s.features), labels, ErrRagged)
	}
	for i := range b.Rows {
		c.row++
		ok := true
		for j, v := range b.Row(i) {
			c.x[j] = c.value(s.features[j], v, &ok)
		}
		if s.label >= 0 {
			c.y = c.value(s.label, b.Y[i], &ok)
		}
		if s.person >= 0 {
			c.person = b.Person[i]
			if f := c.cells[s.person].whose(c.person); f != fine {
				ok = false
				c.refuse(s.person, f)
			}
		}
		if ok && !c.blocks.ok(c.x) {
			c.errs.add(ErrBounds, func() error {
				return c.at("", fmt.Errorf("%w: %s", ErrBounds, c.blocks.explain(c.x)))
			})
		}
		if len(c.errs.Problems) == 0 {
			if c.stamp != nil {
				c.stamp(&c.rowValues)
			}
			c.t.push(c.rowValues)
		}
	}
	return nil
}

// refuse reports a cell of the current row.
func (c *collector) refuse(col int, f fault) {
	p := c.cells[col]
	c.errs.add(p.sentinel(f), func() error { return c.at(p.col.Name, p.explain(f)) })
}

// value holds a number or code to its column.
func (c *collector) value(col int, v float64, ok *bool) float64 {
	p := c.cells[col]
	v, f := p.typed(v)
	if f != fine {
		*ok = false
		c.refuse(col, f)
	}
	return v
}

func (c *collector) frame() (*Frame, error) {
	if err := c.errs.err(); err != nil {
		return nil, err
	}
	if c.row == 0 {
		return nil, fmt.Errorf("frames: %s: got 0 rows, want at least 1: check the data: %w", c.errs.Name, ErrEmpty)
	}
	c.t.clamped = clampedCounts(c.cells)
	return newFrame(c.t), nil
}

// typed is parse for a value in memory: a number, or a level's code; NaN = missing.
func (p *cellParser) typed(v float64) (float64, fault) {
	switch {
	case math.IsNaN(v):
		return p.absent()
	case p.seen != nil:
		return p.known(v)
	case p.codes == nil:
		return p.number(v)
	case v >= 0 && v < float64(len(p.col.Levels)) && v == math.Trunc(v):
		return v + 0, fine
	}
	return 0, faultLevel
}
