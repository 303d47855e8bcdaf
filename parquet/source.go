package parquet

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"sort"
	"strings"
	"sync"

	"github.com/dpkit-go/dpnb/frames"
)

// table is the rows of one or more files in order, as they are: frames.Check holds them to the schema.
type table struct {
	schema frames.Schema
	shards []*file
	first  []int // row with which each begins
	rows   int
}

// shardsOf opens the files of a path and sees that each has the schema's columns, of one type in all.
func shardsOf(path string, s frames.Schema) (*table, error) {
	if s.Len() == 0 {
		return nil, fmt.Errorf("parquet: %s: got a schema without columns, want the file's: make it with frames.NewSchema: %w", path, frames.ErrSchema)
	}
	paths, err := frames.Shards(path, ".parquet", ".parq", ".pq")
	if err != nil {
		return nil, err
	}
	t := &table{schema: s}
	for _, path := range paths {
		r, f, err := openFile(path)
		if err != nil {
			return nil, err
		}
		err = errors.Join(t.suits(f, r), r.Close())
		if err != nil {
			return nil, err
		}
		if f.rows > int64(math.MaxInt-t.rows) {
			return nil, damaged(path, fmt.Errorf("it declares %d rows: %w", f.rows, errLimit))
		}
		t.shards, t.first = append(t.shards, f), append(t.first, t.rows)
		t.rows += int(f.rows)
	}
	if t.rows == 0 {
		return nil, fmt.Errorf("parquet: %s: got 0 rows, want at least 1: check the path: %w", path, frames.ErrEmpty)
	}
	return t, nil
}

// suits reports a file whose columns are not those of the schema, or of another type than in the first file.
func (t *table) suits(f *file, r io.ReaderAt) error {
	if _, err := t.bind(f, r); err != nil {
		return err
	}
	if len(t.shards) == 0 {
		return nil
	}
	for _, c := range t.schema.Columns() {
		was, before := t.shards[0].flat[c.Name]
		is, now := f.flat[c.Name]
		if c.Kind != frames.KindIgnored && (before != now || is.spoken != was.spoken || is.width != was.width) {
			return fmt.Errorf("parquet: %s: column %q: got %s, want %s as in %s: write the shards with one schema: %w",
				f.path, c.Name, is.told(now), was.told(before), t.shards[0].path, ErrType)
		}
	}
	return nil
}

func (l leaf) told(there bool) string {
	if !there {
		return "a folder's name"
	}
	return l.spoken
}

// Layout is how the columns are written, in which all shards of a table are alike.
func (t *table) Layout() string {
	var all []string
	for _, c := range t.schema.Columns() {
		if c.Kind != frames.KindIgnored {
			l, there := t.shards[0].flat[c.Name]
			all = append(all, fmt.Sprintf("%q: %s", c.Name, l.told(there)))
			if l.width > 0 {
				all[len(all)-1] += fmt.Sprintf(" of %d bytes", l.width)
			}
		}
	}
	return strings.Join(all, ", ")
}

func (t *table) Schema() frames.Schema { return t.schema }

func (t *table) Rows() int { return t.rows }

// Place is the file and the row in it, for errors of the check.
func (t *table) Place(row int) (string, int) {
	i := sort.SearchInts(t.first, row+1) - 1
	for i > 0 && t.shards[i].rows == 0 {
		i--
	}
	return t.shards[i].path, row - t.first[i]
}

// block sizes: about a megabyte, so that the columns of a block stay in a cache.
const (
	blockCells = 1 << 17
	blockMost  = 4096
)

// Scan decodes the files in one goroutine while fn looks at the rows before in another.
func (t *table) Scan(ctx context.Context, fn func(*frames.Block) error) error {
	cols := len(t.schema.Features())
	size := max(1, min(blockMost, t.rows, blockCells/max(1, cols)))
	const ahead = 3
	free, full := make(chan *frames.Block, ahead), make(chan *frames.Block, ahead)
	for range ahead {
		free <- t.newBlock(size, cols)
	}
	quit := make(chan struct{})
	var failed error
	var wg sync.WaitGroup
	wg.Go(func() {
		defer close(full)
		failed = t.decode(size, free, full, quit)
	})
	defer wg.Wait()
	defer close(quit)
	for b := range full {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("parquet: scan stopped before row %d: %w", b.First+1, context.Cause(ctx))
		}
		if err := fn(b); err != nil {
			return err
		}
		free <- b
	}
	return failed
}

func (t *table) newBlock(size, cols int) *frames.Block {
	b := &frames.Block{Cols: cols, X: make([]float64, size*cols)}
	if _, ok := t.schema.Label(); ok {
		b.Y = make([]float64, size)
	}
	if _, ok := t.schema.Person(); ok {
		b.Person = make([]frames.PersonID, size)
	}
	return b
}

var errQuit = errors.New("nobody reads on")

// decode fills free blocks with rows and hands them on, until it is told to quit.
func (t *table) decode(size int, free <-chan *frames.Block, full chan<- *frames.Block, quit <-chan struct{}) (err error) {
	path := ""
	defer func() {
		if r := recover(); r != nil { // the library that decodes headers is not ours; what it says may hold bytes of the file
			err = damaged(path, errors.New("reading it failed"))
		}
	}()
	row := 0
	for _, shard := range t.shards {
		path = shard.path
		err := t.decodeShard(shard, func(n int, fill func(b *frames.Block, n int) error) error {
			for n > 0 {
				var b *frames.Block
				select {
				case <-quit:
					return errQuit
				case b = <-free:
				}
				m := min(n, size)
				b.First, b.Rows, b.X = row, m, b.X[:m*b.Cols]
				if b.Y != nil {
					b.Y = b.Y[:m]
				}
				if b.Person != nil {
					b.Person = b.Person[:m]
				}
				if err := fill(b, m); err != nil {
					return err
				}
				row, n = row+m, n-m
				full <- b // has room for all blocks
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// decodeShard gives the rows of each row group to each.
func (t *table) decodeShard(known *file, each func(n int, fill func(b *frames.Block, n int) error) error) error {
	r, f, err := openFile(known.path)
	if errors.Is(err, os.ErrNotExist) || errors.Is(err, ErrFormat) {
		return fmt.Errorf("%w: %w", frames.ErrChanged, err)
	}
	if err != nil {
		return err
	}
	defer r.Close()
	if f.footer != known.footer || f.end != known.end {
		return fmt.Errorf("parquet: %s: it is another file than was opened: open it again: %w", f.path, frames.ErrChanged)
	}
	bound, err := t.bind(f, r)
	if err != nil {
		return err
	}
	for g := range f.groups {
		n := int(f.groups[g].NumRows)
		if n == 0 {
			continue
		}
		for _, c := range bound {
			if err := c.begin(g); err != nil {
				return damaged(f.path, fmt.Errorf("column %q, row group %d: %w", c.name, g+1, err))
			}
		}
		err := each(n, func(b *frames.Block, n int) error {
			for _, c := range bound {
				if err := c.fill(b, n); err != nil {
					return damaged(f.path, fmt.Errorf("column %q, row group %d, %w", c.name, g+1, err))
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
