package rows

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dpkit-go/dpnb/frames"
)

// Rows are worked on in chunks, whose places are fixed: chunk c holds the rows from c·size on. Which worker takes which chunk is open, so that
// whoever sums them sums exactly, and whoever writes them writes each at its place.
const (
	mostWorkers = 64
	ChunkSize   = 1024 // rows of a chunk, unless they are wide
	minChunk    = PanelRows
)

// chunkRows is the number of rows of a chunk: at most 1 MB of cells, where that leaves enough rows.
func chunkRows(cols int) int { return min(max(1<<17/max(cols, 1), minChunk), ChunkSize) }

// chunkFunc works on one chunk. It must not keep or change the block.
type chunkFunc func(b *frames.Block)

// scanChunks calls a worker's function for every chunk of so many rows: of different workers, of which there are at most so many, at the same
// time. Each worker asks for a function of its own, which may hold buffers, and sees its chunks in their order. ctx is honoured between chunks.
func scanChunks(ctx context.Context, in frames.Source, size, most int, worker func() chunkFunc) error {
	switch s := in.(type) {
	case *Matrix:
		return s.scanChunks(ctx, size, most, worker)
	case *Mapped:
		lent := lendingOf(s)
		defer lent.back()
		return scanChunks(ctx, s.In, size, most, func() chunkFunc {
			next := worker()
			out := lent.block()
			return func(b *frames.Block) { next(s.apply(out, b)) }
		})
	case *Kept:
		return scanChunks(ctx, s.In, size, most, func() chunkFunc {
			next := worker()
			out := &frames.Block{}
			return func(b *frames.Block) { next(s.apply(out, b)) }
		})
	case frames.Ranger:
		lent := lendingOf(s)
		defer lent.back()
		return share(ctx, s.Rows(), size, most, func() (chunkFunc, func(from, to int) *frames.Block) {
			b := lent.block()
			return worker(), func(from, to int) *frames.Block { s.ReadRange(b, from, to-from); return b }
		})
	}
	workers := min(workersFor(in.Rows(), size), most)
	if workers == 1 {
		return regroup(ctx, in, size, worker())
	}
	return dispatch(ctx, in, size, workers, worker)
}

// workersFor is how many workers share the chunks of so many rows.
func workersFor(rows, size int) int {
	return max(1, min(runtime.GOMAXPROCS(0), mostWorkers, (rows+size-1)/size))
}

// scanChunks hands out the rows where they are.
func (m *Matrix) scanChunks(ctx context.Context, size, most int, worker func() chunkFunc) error {
	return share(ctx, m.Rows(), size, most, func() (chunkFunc, func(from, to int) *frames.Block) { return worker(), m.Block })
}

// worthSharing is how long chunks must take for another worker to pay: to wake one may take as long. Tests share whatever there is.
var worthSharing = 100 * time.Microsecond

// share parts the chunks of n rows, which can be had in any order, among workers, each of which takes the next that nobody has. Each has its own function,
// and one that reads rows. The first chunk, and where it leaves that open the second, which finds its buffers there, tells for how many there is
// enough to do.
func share(ctx context.Context, n, size, most int, worker func() (chunkFunc, func(from, to int) *frames.Block)) error {
	workers := min(workersFor(n, size), most)
	begin := func() func(c int) {
		fn, read := worker()
		return func(c int) { fn(read(c*size, min((c+1)*size, n))) }
	}
	var next atomic.Int64 // chunk
	work := func(chunk func(c int)) {
		for ctx.Err() == nil {
			c := int(next.Add(1)) - 1
			if c*size >= n {
				return
			}
			chunk(c)
		}
	}
	var others crew
	others.do(func() {
		chunk := begin()
		for c := 0; c < 2 && workers > 1 && ctx.Err() == nil; c++ {
			next.Add(1)
			began := time.Now()
			chunk(c)
			left := time.Since(began) * time.Duration(n/size-c)
			if worthSharing > 0 {
				workers = int(min(time.Duration(workers), max(1, left/worthSharing-1))) // one of two must have as much again
			}
			if left > 24*worthSharing {
				break
			}
		}
		for range workers - 1 {
			others.Go(func() { others.do(func() { work(begin()) }) })
		}
		work(chunk)
	})
	others.finish()
	return ctx.Err()
}

// Block is a view of the rows from..to.
func (m *Matrix) Block(from, to int) *frames.Block {
	b := &frames.Block{First: from, Rows: to - from, Cols: m.Cols, X: m.X[from*m.Cols : to*m.Cols]}
	if m.Y != nil {
		b.Y = m.Y[from:to]
	}
	if m.Empty != nil {
		b.Empty = m.Empty[from:to]
	}
	if m.Person != nil {
		b.Person = m.Person[from:to]
	}
	return b
}

// dispatch copies the chunks of a source that is read in order, and hands each to a worker that is free.
func dispatch(ctx context.Context, in frames.Source, size, workers int, worker func() chunkFunc) error {
	const queued = 2 // per worker: one in work, one that waits
	free := make(chan *frames.Block, workers*queued)
	for range workers * queued {
		free <- &frames.Block{}
	}
	queue := make(chan *frames.Block, workers*queued) // every buffer fits: handing out never blocks
	var c crew
	for range workers {
		c.Go(func() {
			var fn chunkFunc
			c.do(func() { fn = worker() })
			for b := range queue {
				c.do(func() { fn(b) })
				free <- b
			}
		})
	}
	// Where the source panics, as one of the caller's own may, nobody works on behind it: blocks are lent again.
	end := sync.OnceFunc(func() {
		close(queue)
		c.Wait()
	})
	defer end()
	err := regroup(ctx, in, size, func(b *frames.Block) {
		own := <-free
		copyBlock(own, b)
		queue <- own
	})
	end()
	c.finish()
	return err
}

// crew is a group of workers. A panic of one, which a step of the caller's own may have, ends the
// work and goes on in the goroutine that waits, where the caller can see it.
type crew struct {
	sync.WaitGroup
	first atomic.Pointer[any]
}

// do calls f unless a worker has panicked.
func (c *crew) do(f func()) {
	if c.first.Load() != nil {
		return
	}
	defer func() {
		if r := recover(); r != nil {
			c.first.CompareAndSwap(nil, &r)
		}
	}()
	f()
}

// finish waits for all workers.
func (c *crew) finish() {
	c.Wait()
	if r := c.first.Load(); r != nil {
		panic(*r)
	}
}

func copyBlock(to, from *frames.Block) {
	x, y, empty, person := append(to.X[:0], from.X...), append(to.Y[:0], from.Y...), append(to.Empty[:0], from.Empty...), append(to.Person[:0], from.Person...)
	*to = *from
	to.X, to.Y, to.Empty, to.Person = x, y, empty, person
	if from.Y == nil {
		to.Y = nil
	}
	if from.Empty == nil {
		to.Empty = nil
	}
	if from.Person == nil {
		to.Person = nil
	}
}

// regroup calls fn for the chunks of a source in order, whatever the size of its blocks.
func regroup(ctx context.Context, in frames.Source, size int, fn chunkFunc) error {
	held := &frames.Block{} // the rows of a chunk that began in an earlier block
	rows := in.Rows()
	give := func(b *frames.Block) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		fn(b)
		return nil
	}
	err := in.Scan(ctx, func(b *frames.Block) error {
		for at := 0; at < b.Rows; {
			n := min(size-held.Rows, b.Rows-at)
			part := slice(b, at, at+n)
			at += n
			if held.Rows == 0 && (n == size || part.First+n == rows) {
				if err := give(part); err != nil {
					return err
				}
				continue
			}
			if hold(held, part); held.Rows < size {
				continue
			}
			if err := give(held); err != nil {
				return err
			}
			held.Rows = 0
		}
		return nil
	})
	if err != nil || held.Rows == 0 {
		return err
	}
	return give(held)
}

// slice is a view of rows from..to of a block.
func slice(b *frames.Block, from, to int) *frames.Block {
	if from == 0 && to == b.Rows {
		return b
	}
	s := &frames.Block{First: b.First + from, Rows: to - from, Cols: b.Cols, X: b.X[from*b.Cols : to*b.Cols]}
	if b.Y != nil {
		s.Y = b.Y[from:to]
	}
	if b.Empty != nil {
		s.Empty = b.Empty[from:to]
	}
	if b.Person != nil {
		s.Person = b.Person[from:to]
	}
	return s
}

// hold appends the rows of b to those that are held.
func hold(held, b *frames.Block) {
	if held.Rows == 0 {
		copyBlock(held, b)
		return
	}
	held.X = append(held.X, b.X...)
	if b.Y != nil {
		held.Y = append(held.Y, b.Y...)
	}
	if b.Person != nil {
		held.Person = append(held.Person, b.Person...)
	}
	if b.Empty != nil && held.Empty == nil {
		held.Empty = make([]bool, held.Rows)
	}
	if held.Empty != nil {
		if b.Empty != nil {
			held.Empty = append(held.Empty, b.Empty...)
		} else {
			held.Empty = append(held.Empty, make([]bool, b.Rows)...)
		}
	}
	held.Rows += b.Rows
}

// EachRun calls fn for every run of rows from..to of a block that no step removed.
func EachRun(b *frames.Block, fn func(from, to int)) {
	if b.Empty == nil {
		fn(0, b.Rows)
		return
	}
	for from := 0; from < b.Rows; {
		if b.Empty[from] {
			from++
			continue
		}
		to := from + 1
		for to < b.Rows && !b.Empty[to] {
			to++
		}
		fn(from, to)
		from = to
	}
}
