package frames

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
)

// placer is a source that knows which file a row stands in, and where there; both count from 0.
type placer interface {
	Place(row int) (file string, at int)
}

// checker holds the blocks of one pass to a schema and hashes them, column by column: a column of some rows is in the cache for both.
type checker struct {
	schema  Schema
	rows    int // that are promised
	row     int // that came
	size    int // rows of a piece
	cells   []*cellParser
	blocks  *blockCheck
	place   placer
	stamp   func(r *rowValues) // as in rowParser
	errs    *LoadError
	clamped map[string]int

	out    *Block
	hashes *columnHashes // of the features, the label, the person, as rowHashes has them
}

func newChecker(s Schema, rows int) *checker {
	size := min(rows, blockRows, rowsWithin(blockBytes, len(s.s.features)))
	c := &checker{
		schema: s, rows: rows, size: size, cells: newCellParsers(s, CSVOptions{}), blocks: newBlockCheck(s), errs: &LoadError{Name: "check"}, stamp: s.stamper(),
		clamped: map[string]int{}, out: newBlock(s, size), hashes: newColumnHashes(s.hashed(), hashedBytesOf(s)*size),
	}
	for _, p := range c.cells {
		if p != nil && p.col.Clamp {
			c.clamped[p.col.Name] = 0
		}
	}
	return c
}

// add checks a block and gives it to fn in pieces, until something is wrong; from then on it only looks for what else is.
func (c *checker) add(ctx context.Context, b *Block, fn func(*Block) error) error {
	if err := c.shape(b); err != nil {
		return err
	}
	for first := 0; first < b.Rows; first += c.size {
		if err := stopped(ctx, c.row); err != nil {
			return err
		}
		n := min(c.size, b.Rows-first)
		good := c.piece(b, first, n)
		if !good {
			c.explain(b, first, n)
		}
		c.row += n
		switch {
		case good && len(c.errs.Problems) == 0:
			c.out.First, c.out.Rows = c.row-n, n
			if err := fn(c.out); err != nil {
				return err
			}
		case c.errs.full():
			return c.errs
		}
	}
	return nil
}

// shape refuses a block that is not the next one of the schema's.
func (c *checker) shape(b *Block) error {
	s := c.schema.s
	labels, people := 0, 0
	if s.label >= 0 {
		labels = b.Rows
	}
	if s.person >= 0 {
		people = b.Rows
	}
	switch {
	case b.Rows < 0 || b.Cols != len(s.features) || len(b.X) != b.Rows*b.Cols || len(b.Y) != labels || len(b.Person) != people:
		return fmt.Errorf("frames: check: behind row %d: got a block with Rows %d, Cols %d, %d values, %d labels and %d people, want %d columns, Rows×Cols values, %d labels and %d people: fix the source: %w",
			c.row, b.Rows, b.Cols, len(b.X), len(b.Y), len(b.Person), len(s.features), labels, people, ErrRagged)
	case b.First != c.row:
		return fmt.Errorf("frames: check: behind row %d: got a block that begins with row %d, want the next row: fix the source's First: %w", c.row, b.First+1, ErrRagged)
	case b.Rows > c.rows-c.row:
		return fmt.Errorf("frames: check: got more than the %d rows that Rows promises: fix the source: %w", c.rows, ErrRagged)
	}
	for i, empty := range b.Empty {
		if empty {
			return fmt.Errorf("frames: check: row %d is marked as empty, want rows as they were collected: leave Empty to steps: %w", c.row+i+1, ErrMissing)
		}
	}
	return nil
}

// piece copies n rows to c.out, checked, and hashes them; false if some cell or row is wrong.
func (c *checker) piece(b *Block, first, n int) bool {
	s, d := c.schema.s, b.Cols
	c.out.X = c.out.X[:n*d]
	good := true
	for j, col := range s.features {
		good = c.column(c.out.X[j:], b.X[first*d+j:], n, d, j, col) && good
	}
	if s.label >= 0 {
		c.out.Y = c.out.Y[:n]
		good = c.column(c.out.Y, b.Y[first:], n, 1, d, s.label) && good
	}
	if s.person >= 0 {
		person := c.cells[s.person]
		c.out.Person = append(c.out.Person[:0], b.Person[first:first+n]...)
		last := c.schema.hashed() - 1
		ids := c.hashes.room(last)[:0]
		for i, id := range c.out.Person {
			good = good && person.whose(id) == fine
			if c.stamp != nil && good { // by a day that was checked
				r := rowValues{x: c.out.X[i*d : (i+1)*d], person: id}
				c.stamp(&r)
				id = r.person
				c.out.Person[i] = id
			}
			ids = append(ids, id[:]...)
		}
		c.hashes.add(last, ids)
	}
	c.hashes.next()
	for i := 0; len(c.blocks.members) > 0 && good && i < n; i++ {
		good = c.blocks.ok(c.out.X[i*d : (i+1)*d])
	}
	return good
}

// column copies n cells of a column, d apart, checked as cellParser.typed does, and hashes them as column j.
func (c *checker) column(to, from []float64, n, d, j, col int) bool {
	p := c.cells[col]
	lo, hi, codes := p.col.Lo, p.col.Hi, p.codes != nil
	if codes {
		lo, hi = 0, float64(len(p.col.Levels)-1)
	}
	if p.col.NoBounds { // ±∞ are no numbers
		lo, hi = -math.MaxFloat64, math.MaxFloat64
	}
	good, moved, single, bytes := true, 0, p.col.IsSingle(), c.hashes.room(j)
	for i, at := 0, 0; i < n; i, at = i+1, at+d {
		v := from[at]
		switch {
		case p.seen != nil && !math.IsNaN(v):
			if _, f := p.known(v); f != fine {
				good = false
			}
		case v >= lo && v <= hi && (!codes || v == math.Trunc(v)):
			v += 0 // turns -0 into 0: one value, one fingerprint
		case math.IsNaN(v) && p.col.Missing:
			v = math.NaN() // one missing cell, one fingerprint
		case p.col.Clamp && !math.IsNaN(v) && !math.IsInf(v, 0):
			v = min(max(v, lo), hi) + 0
			moved++
		default:
			good = false
		}
		if single && good && !math.IsNaN(v) {
			v = p.col.rounded(v)
		}
		to[at] = v
		binary.LittleEndian.PutUint64(bytes[8*i:], math.Float64bits(v))
	}
	c.hashes.add(j, bytes[:8*n])
	if moved > 0 {
		c.clamped[p.col.Name] += moved
	}
	return good
}

// explain lists what is wrong with n rows of a block, row by row.
func (c *checker) explain(b *Block, first, n int) {
	s := c.schema.s
	x := make([]float64, b.Cols)
	for i := range n {
		ok := true
		cell := func(col int, v float64) float64 {
			v, f := c.cells[col].typed(v)
			if f != fine {
				ok = false
				c.refuse(i, col, f)
			}
			return v
		}
		for j, v := range b.Row(first + i) {
			x[j] = cell(s.features[j], v)
		}
		if s.label >= 0 {
			cell(s.label, b.Y[first+i])
		}
		if s.person >= 0 {
			if f := c.cells[s.person].whose(b.Person[first+i]); f != fine {
				ok = false
				c.refuse(i, s.person, f)
			}
		}
		if ok && !c.blocks.ok(x) {
			c.errs.add(ErrBounds, func() error { return c.at(i, "", fmt.Errorf("%w: %s", ErrBounds, c.blocks.explain(x))) })
		}
	}
}

func (c *checker) refuse(i, col int, f fault) {
	p := c.cells[col]
	c.errs.add(p.sentinel(f), func() error { return c.at(i, p.col.Name, p.explain(f)) })
}

// at places an error in row i of the current piece.
func (c *checker) at(i int, column string, err error) error {
	e := &CellError{Row: c.row + i + 1, Column: column, Err: err}
	if c.place != nil {
		file, at := c.place.Place(c.row + i)
		e.File, e.Row = file, at+1
	}
	return e
}

// content is what the rows are known by.
func (c *checker) content() shard {
	return shard{rows: c.row, columns: c.hashes.sums()}
}
