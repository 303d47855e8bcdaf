package frames

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
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

// table holds columns: feature j is in cat[j] where that has a size, else in num[j].
type table struct {
	schema  Schema
	rows    int
	num     [][]float64 // by feature; NaN = missing
	cat     []codes     // by feature; level codes
	y       []float64   // nil without a label
	person  []PersonID  // nil without a person
	clamped map[string]int
	pending *batch          // rows that are not in the columns yet; nil in a frame
	people  func() int      // how many they are; nil in the zero Frame
	content func() shard    // hashes of the columns; nil in the zero Frame
	ordered func() [32]byte // hash of the rows, as [Fingerprint] has it; nil in the zero Frame
}

func newTable(s Schema) *table {
	t := &table{schema: s, num: make([][]float64, len(s.s.features)), cat: make([]codes, len(s.s.features))}
	for j, i := range s.s.features {
		if c := s.s.cols[i]; c.Kind == KindCategory {
			t.cat[j] = newCodes(len(c.Levels))
		}
	}
	return t
}

// reserve makes room for so many rows, so that columns do not grow.
func (t *table) reserve(rows int) {
	for j := range t.num {
		if t.cat[j].size == 0 {
			t.num[j] = make([]float64, 0, rows)
		} else {
			t.cat[j].reserve(rows)
		}
	}
	if t.schema.s.label >= 0 {
		t.y = make([]float64, 0, rows)
	}
	if t.schema.s.person >= 0 {
		t.person = make([]PersonID, 0, rows)
	}
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

// take appends a block of rows that the schema accepts. It returns nil.
func (t *table) take(b *Block) error {
	for j := range t.num {
		if t.cat[j].size > 0 {
			t.cat[j].add(b, j)
			continue
		}
		col := slices.Grow(t.num[j], b.Rows)
		for k := j; k < len(b.X); k += b.Cols {
			col = append(col, b.X[k])
		}
		t.num[j] = col
	}
	t.y = append(t.y, b.Y...)
	t.person = append(t.person, b.Person...)
	t.rows += b.Rows
	return nil
}

// at returns the value of feature j in row i as a Block holds it.
func (t *table) at(i, j int) float64 {
	if t.cat[j].size == 0 {
		return t.num[j][i]
	}
	var v [1]float64
	t.cat[j].read(v[:], 1, 0, i, 1)
	return v[0]
}

// subset copies the rows of the given positions.
func (t *table) subset(rows []int) *table {
	out := newTable(t.schema)
	out.rows = len(rows)
	for j := range t.num {
		if t.cat[j].size == 0 {
			out.num[j] = pick(t.num[j], rows)
		} else {
			out.cat[j] = t.cat[j].subset(rows)
		}
	}
	if t.y != nil {
		out.y = pick(t.y, rows)
	}
	if t.person != nil {
		out.person = pick(t.person, rows)
	}
	return out
}

func pick[T any](from []T, rows []int) []T {
	out := make([]T, len(rows))
	for k, i := range rows {
		out[k] = from[i]
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
	return t.scan(ctx, min(blockRows, rowsWithin(blockBytes, len(t.num))), fn)
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

// read makes b the rows first..first+n.
func (t *table) read(b *Block, first, n int) {
	d := len(t.num)
	b.First, b.Rows, b.Cols, b.Empty = first, n, d, nil
	b.X = slices.Grow(b.X[:0], n*d)[:n*d]
	for j := range d { // column by column: the typed columns are contiguous
		if t.cat[j].size > 0 {
			t.cat[j].read(b.X, d, j, first, n)
			continue
		}
		for i, v := range t.num[j][first : first+n] {
			b.X[i*d+j] = v
		}
	}
	// Copies, since the frame is immutable whatever is done to a block.
	if t.y == nil {
		b.Y = nil
	} else {
		b.Y = append(b.Y[:0], t.y[first:first+n]...)
	}
	if t.person == nil {
		b.Person = nil
	} else {
		b.Person = append(b.Person[:0], t.person[first:first+n]...)
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
