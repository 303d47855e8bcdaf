package frames

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
)

// Sharded is a source whose shards other processes opened, and read: this one knows what they learnt, and no row. What needs no more than
// passes over rows runs on it as on a [Concat] of the same shards, and has the same identity; its Scan is an error. Package beam makes
// them. It formats as its schema and row count.
type Sharded struct {
	schema Schema
	rows   []int // of each shard
	reader any

	private func() shardsLearnt // a function hides it from printers, as in Frame
}

type shardsLearnt struct {
	content []shard
	clamped map[string]int
	people  int
	apart   bool // nobody has rows in two shards
}

// openedVersion is that of what [Opened] writes.
const openedVersion = 1

// openedJSON is what the first pass over a shard learnt, as one process tells another.
type openedJSON struct {
	Version int                 `json:"version"`
	Schema  []byte              `json:"schema"` // its hash
	Rows    int                 `json:"rows"`
	Sum     []byte              `json:"sum,omitempty"` // of the bytes of a file
	Columns [][]byte            `json:"columns"`
	Clamped map[string]int      `json:"clamped,omitempty"`
	People  int                 `json:"people,omitempty"`
	Whose   [][]byte            `json:"whose,omitempty"` // those who have rows
	Texts   map[string][]string `json:"texts,omitempty"` // that columns of Text have, by column
	Layout  string              `json:"layout,omitempty"`
}

// layout is implemented by sources that know more of how their columns are written than the schema says: all shards are written in one way, or a
// person could have two names.
type layout interface{ Layout() string }

// Opened is what the first pass over a [File] or a [Checked] source learnt, for other processes: the number of rows, hashes of cells, whose
// the rows are. It is as secret as the rows. Where the schema has a [Person] it reads the rows once more.
func Opened(ctx context.Context, src Source) ([]byte, error) {
	out := openedJSON{Version: openedVersion}
	var of shard
	switch s := src.(type) {
	case *File:
		o := s.private()
		of, out.Sum, out.Clamped, out.People = o.content, o.sum[:], o.clamped, o.people
	case *Checked:
		g := s.private()
		of, out.Clamped, out.People = g.content, g.clamped, g.people
		if l, ok := g.src.(layout); ok {
			out.Layout = l.Layout()
		}
	default:
		return nil, fmt.Errorf("frames: opened: got a %T, want a file or a source under Check: open it with this package: %w", src, ErrOptions)
	}
	hash := src.Schema().Hash()
	out.Schema, out.Rows = hash[:], of.rows
	for _, c := range of.columns {
		out.Columns = append(out.Columns, c[:])
	}
	for _, c := range src.Schema().Columns() {
		if t := c.parts().texts; t != nil {
			if out.Texts == nil {
				out.Texts = map[string][]string{}
			}
			out.Texts[c.Name] = t.all()
		}
	}
	if person, ok := src.Schema().Person(); ok {
		seen := crowd{person, map[PersonID]struct{}{}}
		err := src.Scan(ctx, func(b *Block) error {
			seen.add(b.Person...)
			return nil
		})
		if err != nil {
			return nil, err
		}
		for id := range seen.whose {
			out.Whose = append(out.Whose, id[:])
		}
		slices.SortFunc(out.Whose, slices.Compare)
	}
	return json.Marshal(out)
}

// readOpened reads what [Opened] wrote of a source of the schema.
func readOpened(s Schema, raw []byte) (o openedJSON, of shard, err error) {
	fail := func(got string) (openedJSON, shard, error) {
		return o, of, fmt.Errorf("frames: opened: got %s, want what Opened wrote of a source of the same schema: open it once more with this version of dpnb: %w", got, ErrOptions)
	}
	if s.Len() == 0 {
		return o, of, fmt.Errorf("frames: opened: got a schema without columns, want that of the rows: make it with NewSchema: %w", ErrSchema)
	}
	if json.Unmarshal(raw, &o) != nil {
		return fail("other bytes")
	}
	hash := s.Hash()
	switch {
	case o.Version != openedVersion:
		return fail(fmt.Sprintf("version %d", o.Version))
	case !slices.Equal(o.Schema, hash[:]):
		return fail("another schema")
	case o.Rows < 1 || len(o.Columns) != s.hashed() || len(o.Sum) != 0 && len(o.Sum) != len([32]byte{}):
		return fail("other facts")
	}
	for _, id := range o.Whose {
		if len(id) != len(PersonID{}) {
			return fail("other facts")
		}
	}
	of = shard{o.Rows, make([][32]byte, len(o.Columns))}
	for j, c := range o.Columns {
		if copy(of.columns[j][:], c) != len(of.columns[j]) {
			return fail("other facts")
		}
	}
	return o, of, nil
}

// Again is what is needed to open a source as it was, by [OpenCSVAs], [OpenAs] or [CheckAs], of what [Opened] told: whose the rows are is left out, which takes
// most of the room.
func Again(told []byte) ([]byte, error) {
	var o openedJSON
	if err := json.Unmarshal(told, &o); err != nil {
		return nil, fmt.Errorf("frames: opened: got other bytes, want what Opened wrote: %w", ErrOptions)
	}
	o.Whose, o.Texts = nil, nil
	return json.Marshal(o)
}

// OpenCSVAs is [OpenCSV] of what another process has opened before, and told by [Opened]: nothing is read until it is scanned, and a Scan
// fails with [ErrChanged] where the file is not the one that was opened.
func OpenCSVAs(path string, s Schema, o CSVOptions, told []byte) (*File, error) {
	was, of, err := readOpened(s, told)
	if err != nil {
		return nil, err
	}
	if was.Sum == nil {
		return nil, fmt.Errorf("frames: %s: got what was learnt of a source that is no file, want a file's: open it once more: %w", path, ErrOptions)
	}
	parts, err := csvParts(path, s, o)
	if err != nil {
		return nil, err
	}
	f := &File{name: path, parts: parts, schema: s, rows: of.rows, size: min(blockRows, rowsWithin(blockBytes, len(s.s.features)))}
	learnt := opened{[32]byte(was.Sum), of, was.Clamped, was.People}
	f.private = func() opened { return learnt }
	return f, nil
}

// CheckAs is [Check] of a source that another process has checked before, and told by [Opened]: nothing is read until it is scanned, and a
// Scan fails with [ErrChanged] where the rows are not those that were checked.
func CheckAs(src Source, told []byte) (*Checked, error) {
	was, of, err := readOpened(src.Schema(), told)
	if err != nil {
		return nil, err
	}
	c := &Checked{schema: src.Schema(), rows: of.rows}
	g := guarded{src, of, was.Clamped, was.People}
	c.private = func() guarded { return g }
	return c, nil
}

// NewSharded returns the rows of shards that other processes opened, one after the other; told is what [Opened] told of each. What the
// reader is and how it reaches rows is between packages beam and dpkit.
func NewSharded(s Schema, told [][]byte, reader any) (*Sharded, error) {
	if len(told) == 0 {
		return nil, fmt.Errorf("frames: sharded: got 0 shards, want at least 1: name them: %w", ErrSchema)
	}
	out := &Sharded{schema: s, reader: reader}
	learnt := shardsLearnt{clamped: map[string]int{}}
	seen, whose, each := newCrowd(s), map[PersonID]struct{}{}, 0
	written := ""
	for i, raw := range told {
		o, of, err := readOpened(s, raw)
		if err != nil {
			return nil, fmt.Errorf("frames: sharded: shard %d: %w", i+1, err)
		}
		if i == 0 {
			written = o.Layout
		}
		if o.Layout != written {
			return nil, fmt.Errorf("frames: sharded: shard %d: got the columns %s, want %s as in shard 1: write the shards with one schema: %w", i+1, o.Layout, written, ErrSchema)
		}
		out.rows = append(out.rows, of.rows)
		learnt.content = append(learnt.content, of)
		addCounts(learnt.clamped, o.Clamped)
		each += len(o.Whose)
		for _, id := range o.Whose {
			seen.add(PersonID(id))
			whose[PersonID(id)] = struct{}{}
		}
		for name, texts := range o.Texts {
			c, _ := s.Column(name)
			for _, text := range texts {
				if _, err := c.Code(text); err != nil {
					return nil, fmt.Errorf("frames: sharded: shard %d: %w", i+1, err)
				}
			}
		}
	}
	learnt.people, learnt.apart = seen.count(), each == len(whose)
	out.private = func() shardsLearnt { return learnt }
	return out, nil
}

// Schema is the public domain of the rows.
func (s *Sharded) Schema() Schema { return s.schema }

// Rows is the number of rows of all shards.
func (s *Sharded) Rows() int {
	n := 0
	for _, of := range s.rows {
		n += of
	}
	return n
}

// Shards are the numbers of rows of the shards, in order.
func (s *Sharded) Shards() []int { return slices.Clone(s.rows) }

// Apart says whether nobody has rows in two shards: private, for the data's curator.
func (s *Sharded) Apart() bool { return s.private().apart }

// Reader is what NewSharded was given.
func (s *Sharded) Reader() any { return s.reader }

// Clamped is [Frame.Clamped] of all shards: private, for the data's curator.
func (s *Sharded) Clamped() map[string]int { return maps.Clone(s.private().clamped) }

// Scan fails with [ErrElsewhere]: the rows are read where they lie.
func (s *Sharded) Scan(context.Context, func(*Block) error) error {
	return fmt.Errorf("frames: scan: the rows of %d shards lie with other processes, which make passes over them: want what needs no more than such passes, or open the shards in this process: %w", len(s.rows), ErrElsewhere)
}

// Format writes String whatever the verb and flags.
func (s *Sharded) Format(f fmt.State, _ rune) { io.WriteString(f, s.String()) }

// String describes the rows by their schema and number.
func (s *Sharded) String() string {
	if _, ok := s.schema.Person(); ok { // how many rows people have is private
		return fmt.Sprintf("%d shards of the rows of %s (private)\n%s", len(s.rows), countPeople(s.private().people), s.schema)
	}
	return fmt.Sprintf("%d shards of %d rows (private)\n%s", len(s.rows), s.Rows(), s.schema)
}
