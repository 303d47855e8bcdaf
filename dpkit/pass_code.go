package dpkit

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
)

// coded is a state that can be written, and read back into an empty state of the same pass, exactly.
type coded interface {
	// code hands every field to the coder, which writes or reads it, under a name and a version of the state's own.
	code(c *coder)
}

// Written states begin with a mark and end with a checksum of all before it: what is not one of this version, of the same pass
// and whole is refused. That finds accidents; who may forge states must not be let near them.
const (
	codeMark = "dpnb state 1\n"
	codeTail = 4 // bytes of the checksum
)

var errState = errors.New("dpkit: state of a pass")

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// writeState returns a state as bytes.
func writeState(s coded) ([]byte, error) {
	c := &coder{b: []byte(codeMark)}
	s.code(c)
	return binary.LittleEndian.AppendUint32(c.b, crc32.Checksum(c.b, castagnoli)), c.err
}

// readState fills an empty state. Behind an error the state is of no use.
func readState(s coded, b []byte) error {
	body := len(b) - codeTail
	if body < len(codeMark) || string(b[:len(codeMark)]) != codeMark {
		return fmt.Errorf("%w: got %d bytes without the mark %q: write it with this version", errState, len(b), codeMark)
	}
	if crc32.Checksum(b[:body], castagnoli) != binary.LittleEndian.Uint32(b[body:]) {
		return fmt.Errorf("%w: got %d bytes that do not have their checksum: they were cut or changed on the way", errState, len(b))
	}
	c := &coder{b: b[len(codeMark):body], reading: true}
	if s.code(c); c.err == nil && len(c.b) > 0 {
		c.refuse("got %d bytes too many", len(c.b))
	}
	return c.err
}

// A coder writes the fields of a state, or reads them in the same order.
type coder struct {
	reading bool
	b       []byte // written so far, or left to read
	err     error  // the first one; what follows it does nothing
}

func (c *coder) refuse(format string, args ...any) {
	if c.err == nil {
		c.err = fmt.Errorf("%w: %s; want what was written of the same pass", errState, fmt.Sprintf(format, args...))
	}
}

// take is the next n bytes while reading; nil if there are not so many.
func (c *coder) take(n int) []byte {
	if c.err != nil {
		return nil
	}
	if n < 0 || n > len(c.b) {
		c.refuse("got %d bytes left, want %d", len(c.b), n)
		return nil
	}
	out := c.b[:n]
	c.b = c.b[n:]
	return out
}

// word is one of 64 bits.
func (c *coder) word(v uint64) uint64 {
	if !c.reading {
		c.b = binary.LittleEndian.AppendUint64(c.b, v)
		return v
	}
	if raw := c.take(8); raw != nil {
		return binary.LittleEndian.Uint64(raw)
	}
	return 0
}

// same is a public fact that both sides know: a name, or a size.
func (c *coder) same(what string, v uint64) {
	if got := c.word(v); c.err == nil && got != v {
		c.refuse("%s: got %d, want %d", what, got, v)
	}
}

// name is that of the state, with its version.
func (c *coder) name(s string) {
	if !c.reading {
		c.same("length of the name", uint64(len(s)))
		c.b = append(c.b, s...)
		return
	}
	n := c.word(0)
	if n > 100 {
		c.refuse("got a name of %d bytes, want %q", n, s)
	}
	if raw := c.take(int(n)); c.err == nil && string(raw) != s {
		c.refuse("got %q, want %q", raw, s)
	}
}

// count is the size of a list that differs from state to state, each of whose items takes so many bytes at least.
func (c *coder) count(n, item int) int {
	got := c.word(uint64(n))
	if c.reading && c.err == nil && got > uint64(len(c.b)/item) {
		c.refuse("got a list of %d in %d bytes", got, len(c.b))
	}
	if c.err != nil {
		return 0
	}
	return int(got)
}

// fixed codes a list whose length both sides know, in place.
func fixed[T any](c *coder, v []T, to func(T) uint64, from func(uint64) T) {
	c.same("length", uint64(len(v)))
	for i := range v {
		if c.err != nil {
			return
		}
		v[i] = from(c.word(to(v[i])))
	}
}

func (c *coder) integers(v []int64) {
	fixed(c, v, func(x int64) uint64 { return uint64(x) }, func(x uint64) int64 { return int64(x) })
}

func (c *coder) counts(v []int) {
	fixed(c, v, func(x int) uint64 { return uint64(x) }, func(x uint64) int { return int(x) })
}

// wides codes integers of 128 bits.
func (c *coder) wides(v []int128) {
	c.same("length", uint64(len(v)))
	for i := range v {
		v[i].hi = c.word(v[i].hi)
		v[i].lo = c.word(v[i].lo)
	}
}

// sums codes compensated sums.
func (c *coder) sums(v []neumaier) {
	c.same("length", uint64(len(v)))
	for i := range v {
		v[i].s = math.Float64frombits(c.word(math.Float64bits(v[i].s)))
		v[i].c = math.Float64frombits(c.word(math.Float64bits(v[i].c)))
	}
}

// list codes integers, however many.
func (c *coder) list(v *[]int64) {
	n := c.count(len(*v), 8)
	if c.reading {
		*v = make([]int64, n)
	}
	for i := range *v {
		(*v)[i] = int64(c.word(uint64((*v)[i])))
	}
}

// gram codes a sum of outer products.
func (c *coder) gram(g *gramSum) {
	if g.err != nil && c.err == nil {
		c.err = g.err
	}
	if c.err != nil {
		return
	}
	if c.reading {
		if err := g.sum.UnmarshalBinary(c.take(c.count(0, 1))); c.err == nil && err != nil {
			c.err = fmt.Errorf("%w: %w", errState, err)
		}
		return
	}
	raw, err := g.sum.AppendBinary(nil)
	c.count(len(raw), 1)
	if c.b = append(c.b, raw...); err != nil {
		c.err = fmt.Errorf("%w: %w", errState, err)
	}
}
