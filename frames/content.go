package frames

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/big"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// Content is what rows are known by: hashes of the cells of every column, shard by shard. A shard is a frame, a file or a
// [Checked] source; a [Concat] has those of its parts. It holds what could confirm a guess of the rows, and formats as nothing.
type Content struct {
	schema Schema
	shards func() []shard // a function hides it from printers, as in Frame
}

// shard are the cells of consecutive rows.
type shard struct {
	rows    int
	columns [][32]byte // SHA-256 of the cells in order, of each feature, then of the label, then of the person
}

// same reports whether rows are the same in every column.
func (s shard) same(as shard) bool { return s.rows == as.rows && slices.Equal(s.columns, as.columns) }

// Format hides the hashes.
func (c Content) Format(f fmt.State, _ rune) { fmt.Fprint(f, "content of rows") }

// ContentOf hashes the rows of a source. It reads them, but those of a [File] or a [Checked] source, which were hashed when it was opened, and of a
// [Frame] that was hashed before.
func ContentOf(ctx context.Context, src Source) (Content, error) {
	if err := stopped(ctx, 0); err != nil {
		return Content{}, err
	}
	shards, err := shardsOf(ctx, src)
	if err != nil {
		return Content{}, err
	}
	return Content{src.Schema(), func() []shard { return shards }}, nil
}

func shardsOf(ctx context.Context, src Source) ([]shard, error) {
	switch s := src.(type) {
	case *Frame:
		return []shard{s.data().shard()}, nil
	case blocked:
		return []shard{s.Frame.data().shard()}, nil
	case *File:
		return []shard{s.private().content}, nil
	case *Checked:
		return []shard{s.private().content}, nil
	case *Sharded:
		return s.private().content, nil
	case concat:
		var all []shard
		for _, part := range s {
			of, err := shardsOf(ctx, part)
			if err != nil {
				return nil, err
			}
			all = append(all, of...)
		}
		return all, nil
	}
	h := newRowHashes(src.Schema())
	defer h.end()
	err := src.Scan(ctx, func(b *Block) error { h.add(b); return nil })
	return []shard{h.sum()}, err
}

// Fingerprint names, under a secret key, the rows as they are in some columns, each given once: features, the label and the person. Two
// contents agree if these columns have the same names, declarations and order, and the shards the same cells in them, in
// whatever order the shards come: other columns, other roles of those, and the format, the separators and the place of a
// file do not show. Without the key a guess at the rows could be tested against a stored fingerprint.
//
// Each shard has a pseudo-random number, HMAC-SHA-256 (RFC 2104) of its number of rows and of the columns' declarations and
// hashes, and they are added mod 2^256: a multiset hash (Clarke, Devadas, van Dijk, Gassend, Suh 2003, MSet-Add-Hash), whose
// summands other machines can contribute. An HMAC of the sum and of how many there are is the fingerprint.
func (c Content) Fingerprint(key []byte, columns ...string) ([32]byte, error) {
	sum := new(big.Int)
	shards, rows, err := c.eachShard(key, columns, func(number []byte) {
		sum.Add(sum, new(big.Int).SetBytes(number))
	})
	if err != nil {
		return [32]byte{}, err
	}
	sum.And(sum, mask256)
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("dpnb/frames.Fingerprint/3"))
	mac.Write(sum.FillBytes(make([]byte, 32)))
	mac.Write(binary.LittleEndian.AppendUint64(nil, uint64(shards)))
	mac.Write(binary.LittleEndian.AppendUint64(nil, uint64(rows)))
	return [32]byte(mac.Sum(nil)), nil
}

// OrderedFingerprint is [Content.Fingerprint] of rows whose order counts: another order of the shards
// has another one too.
func (c Content) OrderedFingerprint(key []byte, columns ...string) ([32]byte, error) {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte("dpnb/frames.OrderedFingerprint/1"))
	if _, _, err := c.eachShard(key, columns, func(number []byte) { mac.Write(number) }); err != nil {
		return [32]byte{}, err
	}
	return [32]byte(mac.Sum(nil)), nil
}

// eachShard calls fn with the pseudo-random number of each shard, in order, and counts shards and rows.
func (c Content) eachShard(key []byte, columns []string, fn func(number []byte)) (shards, rows int, err error) {
	var at []int
	var declared []byte
	seen := make(map[string]bool, len(columns))
	for _, name := range columns {
		col, ok := c.schema.Column(name)
		j, feature := c.schema.FeatureIndex(name)
		switch {
		case !ok || !feature && col.Kind != KindLabel && col.Kind != KindPerson:
			return 0, 0, fmt.Errorf("frames: fingerprint: got %q, want features, the label or the person of the schema: %w", name, ErrSchema)
		case seen[name]:
			return 0, 0, fmt.Errorf("frames: fingerprint: got %q twice, want every column once: %w", name, ErrSchema)
		case col.Kind == KindLabel:
			j = len(c.schema.s.features)
		case col.Kind == KindPerson: // the last
			j = c.schema.hashed() - 1
		}
		seen[name] = true
		at = append(at, j)
		declared = col.appendTo(declared)
	}
	for _, s := range c.shards() {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte("dpnb/frames.shard/1"))
		mac.Write(binary.LittleEndian.AppendUint64(nil, uint64(s.rows)))
		mac.Write(binary.LittleEndian.AppendUint64(nil, uint64(len(declared))))
		mac.Write(declared)
		for _, j := range at {
			mac.Write(s.columns[j][:])
		}
		fn(mac.Sum(nil))
		shards, rows = shards+1, rows+s.rows
	}
	return shards, rows, nil
}

var mask256 = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 256), big.NewInt(1))

// hashed is the number of columns that rows are known by: features, the label, the person.
func (s Schema) hashed() int {
	if s.s == nil {
		return 0
	}
	n := len(s.s.features)
	if s.s.label >= 0 {
		n++
	}
	if s.s.person >= 0 {
		n++
	}
	return n
}

// hashColumns is the shard of a table in memory, whose columns are hashed side by side.
func (t *table) hashColumns() shard {
	s := shard{rows: t.rows, columns: make([][32]byte, t.schema.hashed())}
	m := newMeter("fingerprint", "", t.schema, t.rows)
	defer m.done()
	eachOf(len(s.columns), func(j int) {
		s.columns[j] = t.hashColumn(j)
		m.add(t.rows*(j+1)/len(s.columns)-t.rows*j/len(s.columns), 0) // the rows, column by column
	})
	return s
}

// eachOf calls do for 0 to n−1, on all processors.
func eachOf(n int, do func(j int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	work := func() {
		for j := int(next.Add(1)) - 1; j < n; j = int(next.Add(1)) - 1 {
			do(j)
		}
	}
	for range min(runtime.GOMAXPROCS(0), n) - 1 {
		wg.Go(work)
	}
	work()
	wg.Wait()
}

func (t *table) hashColumn(j int) [32]byte {
	h := sha256.New()
	t.columns[j].hash(h, t.rows)
	return [32]byte(h.Sum(nil))
}

// shard is that of the whole table.
func (t *table) shard() shard {
	if t.content == nil {
		return shard{} // the zero Frame
	}
	return t.content()
}
