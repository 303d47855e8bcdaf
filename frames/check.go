package frames

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
)

// Checked is a source of the caller's own that a session can stand on: every Scan holds its rows to the schema, and fails with
// [ErrChanged] where they are not those of the first pass. It formats as its schema and row count.
type Checked struct {
	schema Schema
	rows   int

	// What depends on cells, and the source that may show them; a function hides both from printers, as in Frame.
	private func() guarded
}

// guarded is a source and what the first pass over it learnt.
type guarded struct {
	src     Source
	content shard
	clamped map[string]int
	people  int
}

// Check reads the rows of any source once, holds each to the source's schema as a loader of files does, and returns the source under
// guard: kinds, levels, bounds (a cell outside those of a column that is Clamped is moved and counted), missing cells, the promises of
// blocks, the number of rows, and the order and shape of the blocks. What it hands on are copies of what it checked. The same pass
// hashes the rows, so that [Content] names them as it would a frame or one file of the same rows, and every later Scan checks and
// hashes anew: it fails with [ErrChanged] where the rows are others, at the latest behind the last row, so that what was gathered from
// such a Scan must be dropped. Memory is that of a block.
//
// A source that gives a row of nobody leaves its [PersonID] zero. Errors about rows are [*LoadError] with rows counted from 1; where
// the source has a method Place(row int) (file string, at int), they name that file and the row in it, both counted from 0 there.
func Check(ctx context.Context, src Source) (*Checked, error) {
	if src == nil {
		return nil, fmt.Errorf("frames: check: got no source, want one: make it first: %w", ErrOptions)
	}
	c := &Checked{schema: src.Schema(), rows: src.Rows()}
	if c.schema.Len() == 0 {
		return nil, fmt.Errorf("frames: check: got a schema without columns, want the source's: make it with NewSchema: %w", ErrSchema)
	}
	if c.rows < 1 {
		return nil, fmt.Errorf("frames: check: got a source of %d rows, want at least 1: check the data: %w", c.rows, ErrEmpty)
	}
	person, _ := c.schema.Person()
	if person.parts().periods != nil && c.schema.stamper() == nil {
		return nil, fmt.Errorf("frames: check: column %q is of a person per period, and the schema has no days that say which: check the source before steps, with its column of dates: %w", person.Name, ErrSchema)
	}
	c.private = func() guarded { return guarded{src: src} }
	seen := newCrowd(c.schema)
	p, err := c.pass(ctx, func(b *Block) error {
		seen.add(b.Person...)
		return nil
	})
	if err != nil {
		return nil, err
	}
	g := guarded{src, p.content(), p.clamped, seen.count()}
	c.private = func() guarded { return g }
	return c, nil
}

// Schema is the public domain of the source, as it was when it was checked.
func (c *Checked) Schema() Schema { return c.schema }

// Rows is the number of rows.
func (c *Checked) Rows() int { return c.rows }

// Clamped is [Frame.Clamped] of the source: private, for the data's curator.
func (c *Checked) Clamped() map[string]int { return maps.Clone(c.private().clamped) }

// Scan implements [Source] with blocks of at most 1024 rows. It fails with [ErrChanged] where the rows are no longer those that were
// checked; fn may then have seen other rows, so drop what it gathered.
func (c *Checked) Scan(ctx context.Context, fn func(*Block) error) error {
	var stop error // fn's, as opposed to what is wrong with the rows
	p, err := c.pass(ctx, func(b *Block) error {
		stop = fn(b)
		return stop
	})
	var cells *LoadError
	switch {
	case stop != nil:
		return stop
	case errors.As(err, &cells) || errors.Is(err, ErrRagged):
		return fmt.Errorf("frames: check: scan: %w: %w", ErrChanged, err)
	case err != nil:
		return err
	case !p.content().same(c.private().content):
		return fmt.Errorf("frames: check: scan: the SHA-256 of the rows differs, want the rows that were checked: read them in one transaction or from files that rest, and check the source again: %w", ErrChanged)
	}
	return nil
}

// pass reads and checks the rows once.
func (c *Checked) pass(ctx context.Context, fn func(*Block) error) (*checker, error) {
	if err := stopped(ctx, 0); err != nil {
		return nil, err
	}
	src := c.private().src
	m := newMeter("check", "", c.schema, c.rows)
	defer m.done()
	fn = m.counted(fn)
	p := newChecker(c.schema, c.rows)
	defer p.hashes.end()
	p.place, _ = src.(placer)
	var stop error
	err := src.Scan(ctx, func(b *Block) error {
		if stop == nil { // a source that goes on behind an error gets it again
			stop = p.add(ctx, b, fn)
		}
		return stop
	})
	switch {
	case stop != nil:
		return nil, stop
	case err != nil && ctx.Err() != nil:
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("frames: check: scan after row %d: %w", p.row, err)
	}
	if err := p.errs.err(); err != nil {
		return nil, err
	}
	if p.row != c.rows {
		return nil, fmt.Errorf("frames: check: got %d rows, want the %d that Rows promises: fix the source: %w", p.row, c.rows, ErrRagged)
	}
	return p, nil
}

// Format writes String whatever the verb and flags.
func (c *Checked) Format(s fmt.State, _ rune) { io.WriteString(s, c.String()) }

// String describes the source by its schema and row count.
func (c *Checked) String() string {
	if _, ok := c.schema.Person(); ok { // how many rows people have is private
		return fmt.Sprintf("source of the rows of %s (private)\n%s", countPeople(c.private().people), c.schema)
	}
	return fmt.Sprintf("source of %d rows (private)\n%s", c.rows, c.schema)
}
