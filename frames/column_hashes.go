package frames

import (
	"crypto/sha256"
	"hash"
	"runtime"
	"slices"
	"sync"
)

// columnHashes hash the columns of rows that come in pieces, each in order. Where there are many rows and more than one processor, the others
// hash while the one that reads makes the next piece, and it hashes with them where they are behind.
type columnHashes struct {
	hashes []hash.Hash
	bytes  int    // of a column of a piece at most
	one    []byte // room for a column at a time, where each is hashed as it comes
	few    int    // pieces that come before others hash

	ring    []hashedPiece // of pieces that are filled or hashed; none until others hash
	parts   int           // of the columns, each of which one goroutine hashes at a time: j is of part j mod parts
	workers sync.WaitGroup

	mu          sync.Mutex
	came, freed sync.Cond // a piece for those who hash, room for the one that reads
	filled      int       // pieces so far
	hashed      []int     // of them, of each part
	busy        []bool    // parts that somebody hashes
	ended       bool
}

// hashedPiece is what is hashed of some rows, column by column.
type hashedPiece struct{ room, columns [][]byte }

const (
	fewPieces    = 16      // that one goroutine hashes as they come
	fewestPieces = 3       // of a ring
	mostPieces   = 8       // of a ring, each as long as it takes a goroutine that waits to wake, or longer
	ringBytes    = 6 << 20 // of a ring at most: more than fewestPieces would take are hashed as they come
	partsEach    = 4       // processor: to share them evenly
	mostParts    = 64
)

// newColumnHashes hashes so many columns in pieces of at most so many bytes of each.
func newColumnHashes(columns, bytes int) *columnHashes {
	c := &columnHashes{hashes: make([]hash.Hash, columns), bytes: bytes, one: make([]byte, bytes), few: fewPieces}
	for j := range c.hashes {
		c.hashes[j] = sha256.New()
	}
	c.came.L, c.freed.L = &c.mu, &c.mu
	return c
}

// share begins to hash on other processors, where that pays.
func (c *columnHashes) share() {
	columns, workers := len(c.hashes), runtime.GOMAXPROCS(0)
	pieces := min(ringBytes/max(1, columns*c.bytes), mostPieces)
	if workers = min(workers, columns); workers < 2 || pieces < fewestPieces {
		return
	}
	c.ring = make([]hashedPiece, pieces)
	for i := range c.ring {
		p := hashedPiece{make([][]byte, columns), make([][]byte, columns)}
		for j := range p.room {
			p.room[j] = make([]byte, c.bytes)
		}
		c.ring[i] = p
	}
	c.parts = min(columns, partsEach*workers, mostParts)
	c.hashed, c.busy = make([]int, c.parts), make([]bool, c.parts)
	for range workers - 1 {
		c.workers.Go(c.work)
	}
}

// room is where the bytes of a column of the piece that is filled may be written; it may be that of the column before.
func (c *columnHashes) room(j int) []byte {
	if c.ring == nil {
		return c.one
	}
	return c.ring[c.filled%len(c.ring)].room[j]
}

// add hashes the bytes of a column of a piece, which lie in its room.
func (c *columnHashes) add(j int, b []byte) {
	if c.ring == nil {
		c.hashes[j].Write(b)
		return
	}
	c.ring[c.filled%len(c.ring)].columns[j] = b
}

// next ends a piece, all of whose columns were added. It hashes until there is room for the next one.
func (c *columnHashes) next() {
	if c.ring == nil {
		if c.few--; c.few == 0 {
			c.share()
		}
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.filled++
	c.came.Signal()
	c.help(len(c.ring) - 1)
}

// help hashes until at most so many pieces are left. c.mu is locked.
func (c *columnHashes) help(left int) {
	for c.filled-slices.Min(c.hashed) > left {
		if k := c.behind(); k >= 0 {
			c.hash(k)
		} else { // others hash the rest
			c.freed.Wait()
		}
	}
}

// work hashes what comes.
func (c *columnHashes) work() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		switch k := c.behind(); {
		case k >= 0:
			c.came.Signal() // there may be more
			c.hash(k)
		case c.ended:
			return
		default:
			c.came.Wait()
		}
	}
}

// behind is the part that is furthest behind of those that nobody hashes; −1 where none is. c.mu is locked.
func (c *columnHashes) behind() int {
	least := -1
	for k, n := range c.hashed {
		if n < c.filled && !c.busy[k] && (least < 0 || n < c.hashed[least]) {
			least = k
		}
	}
	return least
}

// hash hashes the next piece of a part. c.mu is locked, and open in between.
func (c *columnHashes) hash(part int) {
	c.busy[part] = true
	columns := c.ring[c.hashed[part]%len(c.ring)].columns
	c.mu.Unlock()
	for j := part; j < len(columns); j += c.parts {
		c.hashes[j].Write(columns[j])
	}
	c.mu.Lock()
	c.busy[part] = false
	c.hashed[part]++
	c.freed.Signal()
}

// end waits for what is hashed. Nothing may be added behind it.
func (c *columnHashes) end() {
	if c.ring == nil || c.ended {
		return
	}
	c.mu.Lock()
	c.help(0)
	c.ended = true
	c.came.Broadcast()
	c.mu.Unlock()
	c.workers.Wait()
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
