package feed

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/dpkit-go/dpnb/frames"
)

// A Writer takes the rows of one scan, in order.
type Writer struct {
	block *frames.Block // the one that fills; nil before the first row and behind a full one
	row   int           // of the next one
	size  int
	free  <-chan *frames.Block
	full  chan<- *frames.Block
	quit  <-chan struct{}
}

// ErrQuit: nobody reads on.
var ErrQuit = errors.New("nobody reads on")

// Next makes room for a row and returns the block and the row's place in it. All cells of the row must be set before the next call.
func (w *Writer) Next() (*frames.Block, int, error) {
	if w.block != nil && w.block.Rows == w.size {
		w.flush()
	}
	if w.block == nil {
		select {
		case <-w.quit:
			return nil, 0, ErrQuit
		case w.block = <-w.free:
		}
		w.block.First, w.block.Rows = w.row, 0
	}
	w.row++
	w.block.Rows++
	return w.block, w.block.Rows - 1, nil
}

// Row is the number of the current row, from 1.
func (w *Writer) Row() int { return w.row }

func (w *Writer) flush() {
	if b := w.block; b != nil {
		b.X = b.X[:b.Rows*b.Cols]
		if b.Y != nil {
			b.Y = b.Y[:b.Rows]
		}
		if b.Person != nil {
			b.Person = b.Person[:b.Rows]
		}
		w.full <- b // has room for all blocks
		w.block = nil
	}
}

// A block is about a megabyte, so that it stays in a cache.
const (
	blockCells = 1 << 17
	blockMost  = 4096
	ahead      = 3
)

// Scan runs read in a goroutine and gives the rows that it writes to fn. read ends with its context, which ends with ctx or with an error of fn.
func Scan(ctx context.Context, s frames.Schema, read func(ctx context.Context, w *Writer) error, fn func(*frames.Block) error) error {
	cols := len(s.Features())
	size := max(1, min(blockMost, blockCells/max(1, cols)))
	free, full := make(chan *frames.Block, ahead), make(chan *frames.Block, ahead)
	for range ahead {
		b := &frames.Block{Cols: cols, X: make([]float64, size*cols)}
		if _, ok := s.Label(); ok {
			b.Y = make([]float64, size)
		}
		if _, ok := s.Person(); ok {
			b.Person = make([]frames.PersonID, size)
		}
		free <- b
	}
	reading, stop := context.WithCancel(ctx)
	var failed error
	var wg sync.WaitGroup
	wg.Go(func() {
		defer close(full)
		w := &Writer{size: size, free: free, full: full, quit: reading.Done()}
		if failed = read(reading, w); failed == nil {
			w.flush()
		}
	})
	defer wg.Wait()
	defer stop()
	for b := range full {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("sqlsource: scan stopped before row %d: %w", b.First+1, context.Cause(ctx))
		}
		if err := fn(b); err != nil {
			return err
		}
		b.X = b.X[:cap(b.X)]
		if b.Y != nil {
			b.Y = b.Y[:cap(b.Y)]
		}
		if b.Person != nil {
			b.Person = b.Person[:cap(b.Person)]
		}
		free <- b
	}
	if ctx.Err() != nil {
		return fmt.Errorf("sqlsource: scan stopped: %w", context.Cause(ctx))
	}
	return failed
}
