package frames

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"hash"
	"math"
)

// Fingerprint is the HMAC-SHA-256 (RFC 2104) under key of the source's schema hash and of the
// SHA-256 of its rows in order: two sources agree exactly if schema, values and order do, whatever
// file, separator or block size they came from. It is what ledgers of before know their data by; [Content] tells columns
// apart. The key must be secret: without one, a guess at the rows could be tested against a stored fingerprint. It reads
// the rows, but those of a [Frame] that was hashed before.
func Fingerprint(ctx context.Context, src Source, key []byte) ([32]byte, error) {
	if err := stopped(ctx, 0); err != nil {
		return [32]byte{}, err
	}
	if f, ok := src.(*Frame); ok && f != nil {
		return f.Fingerprint(key), nil
	}
	c, err := orderedOf(ctx, src)
	if err != nil {
		return [32]byte{}, err
	}
	return keyed(key, src.Schema(), c), nil
}

// Fingerprint is [Fingerprint] of the frame.
func (f *Frame) Fingerprint(key []byte) [32]byte {
	t := f.data()
	if t.ordered == nil {
		return keyed(key, t.schema, newOrdered().sum()) // the zero Frame
	}
	return keyed(key, t.schema, t.ordered())
}

// keyed hashes a schema and the hash of rows of it.
func keyed(key []byte, s Schema, content [32]byte) [32]byte {
	mac := hmac.New(sha256.New, key)
	schema := s.Hash()
	mac.Write([]byte("dpnb/frames.Fingerprint/2"))
	mac.Write(schema[:])
	mac.Write(content[:])
	return [32]byte(mac.Sum(nil))
}

// ordered hashes rows in order: their cells, then their number.
type ordered struct {
	h    hash.Hash
	buf  []byte
	rows uint64
}

func newOrdered() *ordered { return &ordered{h: sha256.New()} }

// hashedBytes is how many bytes of cells are gathered before they are hashed.
const hashedBytes = 1 << 13

// row adds row i of a block.
func (c *ordered) row(b *Block, i int) {
	for _, v := range b.Row(i) {
		c.buf = appendValue(c.buf, v)
	}
	if b.Y != nil {
		c.buf = appendValue(c.buf, b.Y[i])
	}
	if b.Person != nil {
		c.buf = append(c.buf, b.Person[i][:]...)
	}
	if c.rows++; len(c.buf) >= hashedBytes {
		c.h.Write(c.buf)
		c.buf = c.buf[:0]
	}
}

func (c *ordered) sum() [32]byte {
	c.h.Write(binary.LittleEndian.AppendUint64(c.buf, c.rows))
	return [32]byte(c.h.Sum(nil))
}

// orderedOf hashes the rows of a source.
func orderedOf(ctx context.Context, src Source) ([32]byte, error) {
	c := newOrdered()
	err := src.Scan(ctx, func(b *Block) error {
		for i := range b.Rows {
			c.row(b, i)
		}
		return nil
	})
	return c.sum(), err
}

// appendValue writes one float64 per cell.
func appendValue(b []byte, v float64) []byte { return binary.LittleEndian.AppendUint64(b, cellBits(v)) }

// cellBits are those of a value; every NaN is the same missing cell.
func cellBits(v float64) uint64 {
	if math.IsNaN(v) {
		return 0x7ff8_0000_0000_0001
	}
	return math.Float64bits(v)
}

// Fixed reports whether the source comes from this package all through (a [Frame], its Blocks, a
// [File], a [Checked] source, [Sharded] rows, a [Concat] of such): then each of its rows was held to the schema, and every Scan sees
// the rows that were there when it was made, or fails with [ErrChanged]. A source of the caller's
// own promises neither; [Check] puts it under guard, [Collect] makes a frame of it.
func Fixed(src Source) bool {
	switch s := src.(type) {
	case *Frame:
		return s != nil
	case *File:
		return s != nil
	case *Checked:
		return s != nil && s.private != nil
	case *Sharded:
		return s != nil && s.private != nil
	case blocked:
		return s.Frame != nil
	case concat:
		for _, part := range s {
			if !Fixed(part) {
				return false
			}
		}
		return len(s) > 0
	}
	return false
}
