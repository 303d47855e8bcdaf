package frames

import (
	"context"
	"fmt"
)

// Source yields rows in blocks, in one fixed order: every Scan of the same source sees the same
// rows. Scans may run at the same time.
type Source interface {
	// Schema is the public domain of the rows, which every block of a Scan keeps to.
	Schema() Schema
	// Rows is the number of rows: public under ReplaceOne, and under AddRemove as the size of a table
	// out of which rows are zeroed, not deleted. Where the count itself is secret nothing here hides it.
	Rows() int
	// Scan calls fn for consecutive blocks until the rows, ctx or fn ends it, and returns the
	// error of the latter two. fn must not keep or change the block.
	Scan(ctx context.Context, fn func(*Block) error) error
}

// A Ranger is a [Source] whose rows are read from any place, by several goroutines at once: a [Frame] is one, a file is none.
type Ranger interface {
	Source
	// ReadRange makes b the rows first to first + n − 1, all of which must be there. It reuses what b holds, as a
	// Scan does with its block.
	ReadRange(b *Block, first, n int)
}

// Block is a run of consecutive rows. A Scan reuses its block between calls of its function.
type Block struct {
	First int       // index of the first row, from 0
	Rows  int       // number of rows
	Cols  int       // number of features
	X     []float64 // features, row-major Rows×Cols: numbers, level codes, NaN = missing
	Y     []float64 // labels, length Rows: level codes or numbers; nil if the schema has no label
	// Person says whose row each is, length Rows; nil if the schema has no [Person].
	Person []PersonID
	// Empty marks the rows that a preprocessing step removed; nil if there is none. An empty row keeps
	// its place and contributes nothing: its cells and its label mean nothing. No file has empty rows.
	Empty []bool

	like like // of a frame that was narrowed

	// later, where it is set, takes from a table that takes the block what is left to do with it: to write its rows, in any goroutine, before
	// the block is used again.
	later func(write func())
}

// Row returns the features of row i of the block, 0 <= i < Rows.
func (b *Block) Row(i int) []float64 { return b.X[i*b.Cols : (i+1)*b.Cols : (i+1)*b.Cols] }

// blockRows is the default number of rows of a block: at 100 columns it fills about 800 kB, so
// that a block and a Gram matrix stay in a second-level cache.
const blockRows = 1024

// blockBytes is what a block of very wide rows takes at most, unless it is one row.
const blockBytes = 64 << 20

// rowsWithin is how many rows of so many cells take at most so many bytes, at least 1.
func rowsWithin(bytes, cols int) int { return max(1, bytes/8/max(1, cols)) }

// newBlock returns an empty block with room for rows rows of the schema.
func newBlock(s Schema, rows int) *Block {
	b := &Block{Cols: len(s.s.features)}
	b.X = make([]float64, 0, rows*b.Cols)
	if s.s.label >= 0 {
		b.Y = make([]float64, 0, rows)
	}
	if s.s.person >= 0 {
		b.Person = make([]PersonID, 0, rows)
	}
	return b
}

// rowValues are the cells of one row; y and person count only if the schema has a label, and names a person.
type rowValues struct {
	x      []float64 // by feature
	y      float64
	person PersonID
}

// push appends a row.
func (b *Block) push(r rowValues) {
	b.X = append(b.X, r.x...)
	if b.Y != nil {
		b.Y = append(b.Y, r.y)
	}
	if b.Person != nil {
		b.Person = append(b.Person, r.person)
	}
	b.Rows++
}

// append appends n rows of another block, from the given one on.
func (b *Block) append(from *Block, first, n int) {
	b.X = append(b.X, from.X[first*from.Cols:(first+n)*from.Cols]...)
	if b.Y != nil {
		b.Y = append(b.Y, from.Y[first:first+n]...)
	}
	if b.Person != nil {
		b.Person = append(b.Person, from.Person[first:first+n]...)
	}
	b.Rows += n
}

// advance empties the block and moves its start behind the rows it held.
func (b *Block) advance() {
	b.First += b.Rows
	b.Rows = 0
	b.X = b.X[:0]
	if b.Y != nil {
		b.Y = b.Y[:0]
	}
	if b.Person != nil {
		b.Person = b.Person[:0]
	}
}

// stopped returns the reason why ctx is done, nil if it is not.
func stopped(ctx context.Context, row int) error {
	if ctx.Err() == nil {
		return nil
	}
	return fmt.Errorf("frames: scan stopped before row %d: %w", row+1, context.Cause(ctx))
}
