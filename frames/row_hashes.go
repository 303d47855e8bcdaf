package frames

import "encoding/binary"

// rowHashes hash the columns of rows that come in blocks, of whatever size.
type rowHashes struct {
	*columnHashes
	labelled, people bool
	rows, size       int
	held             *Block // rows of small blocks, which wait for others
}

func newRowHashes(s Schema) *rowHashes {
	size := min(blockRows, rowsWithin(blockBytes/4, s.hashed()))
	h := &rowHashes{columnHashes: newColumnHashes(s.hashed(), hashedBytesOf(s)*size), size: size, held: &Block{}}
	if s.s != nil {
		h.labelled, h.people, h.held = s.s.label >= 0, s.s.person >= 0, newBlock(s, 0)
	}
	return h
}

// hashedBytesOf is the most that a row takes of a column.
func hashedBytesOf(s Schema) int {
	if _, ok := s.Person(); ok {
		return max(8, len(PersonID{}))
	}
	return 8
}

// add adds the rows of a block.
func (h *rowHashes) add(b *Block) {
	h.rows += b.Rows
	for at := 0; at < b.Rows; {
		n := min(h.size-h.held.Rows, b.Rows-at)
		if h.held.Rows == 0 && n > h.size/2 { // as they are
			h.piece(b, at, n)
		} else if h.held.append(b, at, n); h.held.Rows == h.size {
			h.flush()
		}
		at += n
	}
}

// flush hashes the rows that wait.
func (h *rowHashes) flush() {
	h.piece(h.held, 0, h.held.Rows)
	h.held.advance()
}

// piece hashes n rows of a block, column by column.
func (h *rowHashes) piece(b *Block, first, n int) {
	for j := range b.Cols {
		h.cells(j, b.X[first*b.Cols+j:], b.Cols, n)
	}
	j := b.Cols
	if h.labelled {
		h.cells(j, b.Y[first:], 1, n)
		j++
	}
	if h.people {
		ids := h.room(j)[:0]
		for _, id := range b.Person[first : first+n] {
			ids = append(ids, id[:]...)
		}
		h.columnHashes.add(j, ids)
	}
	h.next()
}

// cells adds n cells of column j, which are d apart.
func (h *rowHashes) cells(j int, from []float64, d, n int) {
	bytes := h.room(j)[:8*n]
	for i := range n {
		binary.LittleEndian.PutUint64(bytes[8*i:], cellBits(from[i*d]))
	}
	h.columnHashes.add(j, bytes)
}

// sum ends the hashes.
func (h *rowHashes) sum() shard {
	if h.held.Rows > 0 {
		h.flush()
	}
	return shard{rows: h.rows, columns: h.sums()}
}
