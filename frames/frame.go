package frames

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

// Frame is a table in memory whose rows are private. It is immutable and safe for concurrent use.
// It formats as its schema and row count (see [Source] for whom that is public); [Public] opens a
// frame of public rows. Frames come from this package's functions; the zero Frame has no columns and no rows.
type Frame struct {
	// A function, since printers that reflect on fields (fmt does inside structs, whatever
	// methods the fields have) follow pointers but not into what a function captured.
	table func() *table
}

func newFrame(t *table) *Frame {
	if t.pending != nil {
		_ = t.pending.flush() // take has no error
		t.pending = nil
	}
	for j := range t.columns {
		t.columns[j].trim()
	}
	t.people = sync.OnceValue(t.countPeople)
	t.content = sync.OnceValue(t.hashColumns)
	t.ordered = sync.OnceValue(func() [32]byte {
		sum, err := orderedOf(context.Background(), &Frame{func() *table { return t }})
		if err != nil {
			panic("frames: a scan in memory failed: " + err.Error()) // impossible: no file, no deadline
		}
		return sum
	})
	return &Frame{func() *table { return t }}
}

// data is the frame's table, empty for the zero Frame.
func (f *Frame) data() *table {
	if f.table == nil {
		return &table{}
	}
	return f.table()
}

// table holds columns.
type table struct {
	schema  Schema
	rows    int
	columns []cells // of the features, then of the label and of the person where there are any, as they are hashed
	clamped map[string]int
	sorted  []string        // [SortedBy]
	pending *batch          // rows that are not in the columns yet; nil in a frame
	people  func() int      // how many they are; nil in the zero Frame
	content func() shard    // hashes of the columns; nil in the zero Frame
	ordered func() [32]byte // hash of the rows, as [Fingerprint] has it; nil in the zero Frame
	narrow  atomic.Pointer[narrowed]
}

func newTable(s Schema) *table {
	t := &table{schema: s, columns: make([]cells, 0, s.hashed())}
	for _, i := range s.s.features {
		t.columns = append(t.columns, cells{as: storageOf(&s.s.cols[i])})
	}
	for _, i := range []int{s.s.label, s.s.person} {
		if i >= 0 {
			t.columns = append(t.columns, cells{as: storageOf(&s.s.cols[i])})
		}
	}
	return t
}

// label is the column of labels, nil without one.
func (t *table) label() *cells {
	if d := t.schema.Width(); t.schema.s != nil && t.schema.s.label >= 0 {
		return &t.columns[d]
	}
	return nil
}

// person is the column that says whose rows they are, nil without one.
func (t *table) person() *cells {
	if t.schema.s != nil && t.schema.s.person >= 0 {
		return &t.columns[len(t.columns)-1]
	}
	return nil
}

// pendingRows is the number of rows that are gathered before they are parted into columns, unless they are very wide: row by
// row, a wide table would touch a cache line of every column for every row.
const pendingRows = 64

// push appends a row of values that the schema accepts.
func (t *table) push(r rowValues) {
	if t.pending == nil {
		t.pending = newBatch(t.schema, pendingRows, t.take)
	}
	_ = t.pending.push(r) // take has no error
}

// sharedColumns is how many columns may have a whole page each for rows that others write.
const sharedColumns = 64

// take appends a block of rows that the schema accepts. It returns nil. Where the block says so it leaves to others to write the rows to their places.
func (t *table) take(b *Block) error {
	others := b.later != nil && len(t.columns) <= sharedColumns
	var parts [][]byte
	for j := range t.columns {
		parts = t.columns[j].grow(parts, b.Rows, others) // pages that are whole do not move under those who write
	}
	t.rows += b.Rows
	if others {
		b.later(func() { t.write(parts, b) })
	} else {
		t.write(parts, b)
	}
	return nil
}

// write writes the rows of a block to their places, column by column.
func (t *table) write(parts [][]byte, b *Block) {
	for j := range b.Cols {
		parts = t.columns[j].as.writeParts(parts, b.X[min(j, len(b.X)):], b.Cols, b.Rows)
	}
	if c := t.label(); c != nil {
		parts = c.as.writeParts(parts, b.Y, 1, b.Rows)
	}
	writePeople(parts, b.Person)
}

// subset copies the rows of the given positions.
func (t *table) subset(rows []int) *table {
	out := &table{schema: t.schema, rows: len(rows), sorted: t.sorted, columns: make([]cells, len(t.columns))}
	for j := range t.columns {
		out.columns[j] = t.columns[j].subset(rows)
	}
	return out
}

// Schema is the public domain of the frame.
func (f *Frame) Schema() Schema { return f.data().schema }

// Rows is the number of rows.
func (f *Frame) Rows() int { return f.data().rows }

// Clamped returns how many cells of each clamped column were moved to a bound while loading.
// The counts are private: they are for the data's curator and must not leave a release. A frame
// from [Split] has none, since its cells were clamped before.
func (f *Frame) Clamped() map[string]int { return maps.Clone(f.data().clamped) }

// Scan implements [Source] with blocks of 1024 rows, fewer where rows are so wide that those would take more than 64 MiB.
func (f *Frame) Scan(ctx context.Context, fn func(*Block) error) error {
	t := f.data()
	return t.scan(ctx, min(blockRows, rowsWithin(blockBytes, t.schema.Width())), fn)
}

// Blocks returns the frame as a source with blocks of the given number of rows, at least 1.
func (f *Frame) Blocks(rows int) Source { return blocked{f, max(rows, 1)} }

type blocked struct {
	*Frame
	size int
}

func (b blocked) Scan(ctx context.Context, fn func(*Block) error) error {
	return b.data().scan(ctx, b.size, fn)
}

func (t *table) scan(ctx context.Context, size int, fn func(*Block) error) error {
	if t.rows == 0 {
		return nil
	}
	size = min(size, t.rows) // a block larger than the frame would waste memory
	b := newBlock(t.schema, size)
	for first := 0; first < t.rows; first += size {
		if err := stopped(ctx, first); err != nil {
			return err
		}
		t.read(b, first, min(size, t.rows-first))
		if err := fn(b); err != nil {
			return err
		}
	}
	return nil
}

// ReadRange implements [Ranger].
func (f *Frame) ReadRange(b *Block, first, n int) { f.data().read(b, first, n) }

// stripCells is how many cells of a block are read at a time: 16 kB.
const stripCells = 1 << 11

// readFeatures writes the cells of n rows from first on, of the features in these runs from..to, to rows of all features.
func (t *table) readFeatures(x []float64, runs [][2]int, first, n int) {
	d := t.schema.Width()
	strip := max(stripCells/max(d, 1), 16) // rows that stay in the first-level cache
	if len(runs) == 1 && runs[0][1]-runs[0][0] == 1 {
		strip = n // one column has nothing to come back to
	}
	for at := 0; at < n && d > 0; at += strip {
		k := min(strip, n-at)
		for _, run := range runs {
			for j := run[0]; j < run[1]; { // column by column: their cells are contiguous
				if j+4 <= run[1] && readFour((*[4]cells)(t.columns[j:]), x[at*d+j:], d, first+at, k) {
					j += 4
					continue
				}
				t.columns[j].read(x[at*d+j:], d, first+at, k)
				j++
			}
		}
	}
}

// read makes b the rows first..first+n. What it holds are copies, since the frame is immutable whatever is done to a block.
func (t *table) read(b *Block, first, n int) {
	d := t.schema.Width()
	t.shape(b, first, n)
	b.like = like{} // a view that read the block before finds its cells written over

	t.readFeatures(b.X, [][2]int{{0, d}}, first, n)
	if c := t.label(); c != nil {
		c.read(b.Y, 1, first, n)
	}
	if c := t.person(); c != nil {
		c.readPeople(b.Person, first)
	}
}

// shape makes room in b for the rows first..first+n.
func (t *table) shape(b *Block, first, n int) {
	d := t.schema.Width()
	b.First, b.Rows, b.Cols, b.Empty = first, n, d, nil
	b.X = slices.Grow(b.X[:0], n*d)[:n*d]
	if t.label() == nil {
		b.Y = nil
	} else {
		b.Y = slices.Grow(b.Y[:0], n)[:n]
	}
	if t.person() == nil {
		b.Person = nil
	} else {
		b.Person = slices.Grow(b.Person[:0], n)[:n]
	}
}

// String describes the frame by its schema and row count.
func (f Frame) String() string {
	if f.table == nil {
		return "frame without rows\n"
	}
	t := f.data()
	if _, ok := t.schema.Person(); ok { // how many rows people have is private
		return fmt.Sprintf("frame of the rows of %s (private)\n%s", countPeople(t.people()), t.schema)
	}
	return fmt.Sprintf("frame of %d rows (private)\n%s", t.rows, t.schema)
}

// Format writes String whatever the verb and flags.
func (f Frame) Format(s fmt.State, _ rune) { io.WriteString(s, f.String()) }

// GoString is String.
func (f Frame) GoString() string { return f.String() }

// MarshalText refuses with [ErrPrivate]; it also covers encoding/json.
func (f Frame) MarshalText() ([]byte, error) { return nil, refuseMarshal() }

// MarshalJSON refuses with [ErrPrivate].
func (f Frame) MarshalJSON() ([]byte, error) { return nil, refuseMarshal() }

// GobEncode refuses with [ErrPrivate].
func (f Frame) GobEncode() ([]byte, error) { return nil, refuseMarshal() }

func refuseMarshal() error {
	return fmt.Errorf("frames: marshal: a frame does not leave the process: release a statistic, or open public rows with Public: %w", ErrPrivate)
}
