package rows

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"math/bits"
	"slices"

	"github.com/dpkit-go/dpnb/frames"
)

// Of rows that lie in shards those of a person may lie in several. They are dealt: the rows of a shard go to buckets by whose they are, in
// blocks of bytes, and a bucket holds all rows of its people. What is made of a person's rows does not hang on their order, so that neither the
// shards nor the order of blocks shows in it.

// DealtAt are the rows that are dealt of what people's rows are made of: those that the steps below leave, where these have no more cells than
// the source.
func DealtAt(in frames.Source) frames.Source {
	var at frames.Source
	for below := in; below != nil; below = madeOf(in) {
		in = below
		if s, ok := in.(*OfPeople); ok {
			at = s.In
		}
	}
	if at == nil || at.Schema().Width() > in.Schema().Width() {
		return in
	}
	return at
}

// Buckets is into how many buckets the rows of so many people are dealt: parts of about 16000 people, up to 8192, beyond which buckets grow.
func Buckets(people int) int { return min(people>>14+1, 1<<13) }

// dealtKey tells buckets of people apart from their places.
var dealtKey = []byte("dpnb/dpkit.bucket/1")

// bucketOf returns the bucket of a person among so many, in whatever period: by a key, so that nobody can choose with whom they are.
func (k PlaceKey) bucketOf(buckets int) func(who frames.PersonID) int {
	key := sipKeyOf(k.placing().of(dealtKey, nil))
	return func(who frames.PersonID) int {
		h := key.begin().word(binary.LittleEndian.Uint64(who[:8])).word(binary.LittleEndian.Uint64(who[8:])).end(len(who))
		at, _ := bits.Mul64(h, uint64(buckets))
		return int(at)
	}
}

const (
	dealtBytes = 1 << 18 // of a block
	heldBytes  = 1 << 26 // of all blocks that are not full
)

// Deal hands out the rows of a shard in blocks, each to the bucket of its people. The first bucket has a block of every shard, of no row
// where it has none, so that no shard is without a trace.
func Deal(ctx context.Context, in frames.Source, key PlaceKey, buckets int, to func(bucket int, block []byte) error) error {
	person, ok := in.Schema().Person()
	if !ok {
		return errors.New("dpkit: rows of a shard: want those of people")
	}
	bucketOf := key.bucketOf(buckets)
	cells := len(in.Schema().Features())
	if _, labelled := in.Schema().Label(); labelled {
		cells++
	}
	blocks, held, first := make([][]byte, buckets), 0, false
	give := func(k int) error {
		held -= len(blocks[k])
		b := blocks[k]
		blocks[k] = nil // whoever has it may keep it
		first = first || k == 0
		return to(k, b)
	}
	err := in.Scan(ctx, func(b *frames.Block) error {
		for i := range b.Rows {
			if b.Empty != nil && b.Empty[i] {
				continue
			}
			who, _ := person.Split(b.Person[i])
			k := bucketOf(who)
			if blocks[k] == nil {
				blocks[k] = newDealt(cells)
				held += len(blocks[k])
			}
			before := len(blocks[k])
			blocks[k] = appendDealt(blocks[k], b, i)
			if held += len(blocks[k]) - before; len(blocks[k]) >= dealtBytes {
				if err := give(k); err != nil {
					return err
				}
			}
		}
		for k := 0; held > heldBytes && k < buckets; k++ {
			if blocks[k] != nil {
				if err := give(k); err != nil {
					return err
				}
			}
		}
		return nil
	})
	for k := 0; err == nil && k < buckets; k++ {
		if blocks[k] != nil {
			err = give(k)
		}
	}
	if err == nil && !first {
		err = to(0, newDealt(cells))
	}
	return err
}

// dealtMark begins a block: its version, and behind it how many cells a row has.
const dealtMark = "dpnb rows 1\n"

func newDealt(cells int) []byte {
	return binary.LittleEndian.AppendUint32([]byte(dealtMark), uint32(cells))
}

// appendDealt writes whose a row is, its features, and its label where there is one.
func appendDealt(to []byte, b *frames.Block, i int) []byte {
	to = append(to, b.Person[i][:]...)
	for _, v := range b.Row(i) {
		to = binary.LittleEndian.AppendUint64(to, math.Float64bits(v))
	}
	if b.Y != nil {
		to = binary.LittleEndian.AppendUint64(to, math.Float64bits(b.Y[i]))
	}
	return to
}

// Dealt are the rows of a bucket, in blocks that are read as often as the rows are.
type Dealt struct {
	schema frames.Schema
	blocks func(fn func(block []byte) error) error
	cells  int // of a row
	rows   int
}

var errDealt = errors.New("got other bytes than rows of this release: run the same version of dpnb everywhere")

// NewDealt are rows of a schema, of which blocks hands out the blocks that were dealt.
func NewDealt(s frames.Schema, blocks func(fn func(block []byte) error) error) (*Dealt, error) {
	d := &Dealt{schema: s, blocks: blocks, cells: s.Width()}
	if _, labelled := s.Label(); labelled {
		d.cells++
	}
	err := blocks(func(raw []byte) error {
		rows, err := d.rowsOf(raw)
		d.rows += len(rows) / d.rowBytes()
		return err
	})
	return d, err
}

func (d *Dealt) rowBytes() int { return len(frames.PersonID{}) + 8*d.cells }

// rowsOf are the bytes of the rows of a block.
func (d *Dealt) rowsOf(raw []byte) ([]byte, error) {
	mark := newDealt(d.cells)
	if len(raw) < len(mark) || !slices.Equal(raw[:len(mark)], mark) || (len(raw)-len(mark))%d.rowBytes() != 0 {
		return nil, errDealt
	}
	return raw[len(mark):], nil
}

func (d *Dealt) Schema() frames.Schema { return d.schema }

func (d *Dealt) Rows() int { return d.rows }

func (d *Dealt) Scan(ctx context.Context, fn func(*frames.Block) error) error {
	b := &frames.Block{Cols: d.schema.Width()}
	return d.blocks(func(raw []byte) error {
		raw, err := d.rowsOf(raw)
		if err != nil {
			return err
		}
		for n := len(raw) / d.rowBytes(); n > 0; n -= b.Rows {
			if err := ctx.Err(); err != nil {
				return err
			}
			b.First += b.Rows
			b.Rows = min(n, ChunkSize)
			d.read(b, raw)
			raw = raw[b.Rows*d.rowBytes():]
			if err := fn(b); err != nil {
				return err
			}
		}
		return nil
	})
}

// read takes the first rows of those that are left into a block.
func (d *Dealt) read(b *frames.Block, raw []byte) {
	b.X, b.Person = Grown(b.X, b.Rows*b.Cols), Grown(b.Person, b.Rows)
	if d.cells > b.Cols {
		b.Y = Grown(b.Y, b.Rows)
	}
	word := func() float64 {
		v := math.Float64frombits(binary.LittleEndian.Uint64(raw))
		raw = raw[8:]
		return v
	}
	for i := range b.Rows {
		raw = raw[copy(b.Person[i][:], raw):]
		for j := range b.Cols {
			b.X[i*b.Cols+j] = word()
		}
		if b.Y != nil {
			b.Y[i] = word()
		}
	}
}
