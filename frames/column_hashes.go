package frames

import (
	"crypto/sha256"
	"hash"
	"runtime"
	"sync"
	"sync/atomic"
)

// columnHashes hash the columns of rows that come in pieces, each in order. Where there are many rows and more than one processor, other goroutines
// hash while the one that reads makes the next piece.
type columnHashes struct {
	hashes []hash.Hash
	piece  *hashedPiece // that is filled
	free   chan *hashedPiece
	queues []chan *hashedPiece // of the goroutines, each of which hashes columns of its own
	done   sync.WaitGroup
}

// hashedPiece is what is hashed of some rows, column by column.
type hashedPiece struct {
	room, columns [][]byte
	left          atomic.Int32 // goroutines that have not hashed their columns of it
}

const (
	fewPieces   = 16      // that one goroutine hashes as they come
	aheadPieces = 3       // that are filled or hashed at a time
	aheadBytes  = 2 << 20 // of a piece at most, where there are several
)

// newColumnHashes hashes so many columns in so many pieces, of at most so many bytes of each column.
func newColumnHashes(columns, pieces, bytes int) *columnHashes {
	c := &columnHashes{hashes: make([]hash.Hash, columns)}
	for j := range c.hashes {
		c.hashes[j] = sha256.New()
	}
	workers := min(runtime.GOMAXPROCS(0)-1, columns)
	if pieces <= fewPieces || columns*bytes > aheadBytes || workers < 1 {
		c.piece = &hashedPiece{room: make([][]byte, columns)}
		one := make([]byte, bytes)
		for j := range c.piece.room {
			c.piece.room[j] = one
		}
		return c
	}
	c.free = make(chan *hashedPiece, aheadPieces)
	for range aheadPieces {
		p := &hashedPiece{room: make([][]byte, columns), columns: make([][]byte, columns)}
		for j := range p.room {
			p.room[j] = make([]byte, bytes)
		}
		c.free <- p
	}
	c.piece = <-c.free
	for k := range workers {
		queue := make(chan *hashedPiece, aheadPieces)
		c.queues = append(c.queues, queue)
		c.done.Go(func() {
			for p := range queue {
				for j := k; j < columns; j += workers {
					c.hashes[j].Write(p.columns[j])
				}
				if p.left.Add(-1) == 0 {
					c.free <- p
				}
			}
		})
	}
	return c
}

// room is where the bytes of a column of the piece that is filled may be written; it may be that of the column before.
func (c *columnHashes) room(j int) []byte { return c.piece.room[j] }

// add hashes the bytes of a column of a piece, which lie in its room.
func (c *columnHashes) add(j int, b []byte) {
	if len(c.queues) == 0 {
		c.hashes[j].Write(b)
		return
	}
	c.piece.columns[j] = b
}

// next ends a piece, all of whose columns were added.
func (c *columnHashes) next() {
	if len(c.queues) == 0 {
		return
	}
	c.piece.left.Store(int32(len(c.queues)))
	for _, q := range c.queues {
		q <- c.piece
	}
	c.piece = <-c.free
}

// end waits for what is hashed. Nothing may be added behind it.
func (c *columnHashes) end() {
	for _, q := range c.queues {
		close(q)
	}
	c.queues = nil
	c.done.Wait()
}

// sums ends the hashes.
func (c *columnHashes) sums() [][32]byte {
	c.end()
	sums := make([][32]byte, len(c.hashes))
	for j, h := range c.hashes {
		sums[j] = [32]byte(h.Sum(nil))
	}
	return sums
}
