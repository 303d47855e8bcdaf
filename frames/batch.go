package frames

// batch gathers rows and gives them to sink block by block.
type batch struct {
	block *Block
	rows  int // of a block
	sink  func(*Block) error
}

// newBatch returns blocks of so many rows, fewer where those are wide.
func newBatch(s Schema, rows int, sink func(*Block) error) *batch {
	rows = min(rows, rowsWithin(blockBytes/2, len(s.s.features)))
	return &batch{newBlock(s, min(rows, 4)), rows, sink} // it grows, but from there: a table may be very wide
}

// push adds a row.
func (b *batch) push(r rowValues) error {
	if b.block.push(r); b.block.Rows < b.rows {
		return nil
	}
	return b.flush()
}

// give adds a block of rows.
func (b *batch) give(rows *Block) error {
	if err := b.flush(); err != nil || rows.Rows == 0 {
		return err
	}
	return b.sink(rows)
}

// flush gives what is gathered.
func (b *batch) flush() error {
	if b.block.Rows == 0 {
		return nil
	}
	err := b.sink(b.block)
	b.block.advance()
	return err
}
