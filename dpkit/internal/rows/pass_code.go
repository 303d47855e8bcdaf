package rows

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"strconv"
	"strings"
)

// Coded is a state that can be written, and read back into an empty state of the same pass, exactly.
type Coded interface {
	// Code hands every field to the coder, which writes or reads it, under a name and a version of the state's own.
	Code(c *Coder)
}

// Written states begin with a mark and the version of the form, and end with a checksum of all before it. In between stand short
// hashes of what the pass is of ([Bind]), its name, and the numbers. What is not of this version, of the same pass and whole is
// refused. That finds accidents; who may forge states must not be let near them. A state is as secret as the rows: it holds exact
// sums, and hashes of numbers that depend on rows.
const (
	codeName = "dpnb state "
	CodeMark = codeName + "2\n"
	CodeTail = 4 // bytes of the checksum
)

var errState = errors.New("dpkit: state of a pass")

// Castagnoli is the table of the checksum, CRC-32C.
var Castagnoli = crc32.MakeTable(crc32.Castagnoli)

// WriteState returns a state as bytes.
func WriteState(s Coded) ([]byte, error) {
	c := &Coder{b: []byte(CodeMark)}
	s.Code(c)
	return binary.LittleEndian.AppendUint32(c.b, crc32.Checksum(c.b, Castagnoli)), c.Err
}

// ReadState fills an empty state. Behind an error the state is of no use.
func ReadState(s Coded, b []byte) error {
	body := len(b) - CodeTail
	if body < len(CodeMark) || string(b[:len(CodeMark)]) != CodeMark {
		return fmt.Errorf("%w: got %s, want one that begins with %q: write it with this version of dpnb", errState, markOf(b), CodeMark)
	}
	if crc32.Checksum(b[:body], Castagnoli) != binary.LittleEndian.Uint32(b[body:]) {
		return fmt.Errorf("%w: got bytes without their checksum, want a whole state: they were cut or changed on the way: send them again", errState)
	}
	c := &Coder{b: b[len(CodeMark):body], Reading: true}
	if s.Code(c); c.Err == nil && len(c.b) > 0 {
		c.Refuse("got %d bytes too many", len(c.b))
	}
	return c.Err
}

// markOf says what bytes without the mark are. They may hold anything: only the digits of another version are shown.
func markOf(b []byte) string {
	rest, ok := strings.CutPrefix(string(b[:min(len(b), len(CodeMark)+8)]), codeName)
	digits, _, ended := strings.Cut(rest, "\n")
	if version, err := strconv.ParseUint(digits, 10, 32); ok && ended && err == nil && digits != CodeMark[len(codeName):len(CodeMark)-1] {
		return fmt.Sprintf("a state of version %d", version)
	}
	return fmt.Sprintf("%d bytes that are none", len(b))
}

// A Coder writes the fields of a state, or reads them in the same order.
type Coder struct {
	Reading bool
	b       []byte // written so far, or left to read
	Err     error  // the first one; what follows it does nothing
}

// Refuse ends the reading of a state. The text says what was got and what is wanted, without numbers of rows.
func (c *Coder) Refuse(format string, args ...any) {
	if c.Err == nil {
		c.Err = fmt.Errorf("%w: %s: read it into the pass that it was written of: the same release, of the same chain on the same columns",
			errState, fmt.Sprintf(format, args...))
	}
}

// take is the next n bytes while reading; nil if there are not so many.
func (c *Coder) take(n int) []byte {
	if c.Err != nil {
		return nil
	}
	if n < 0 || n > len(c.b) {
		c.Refuse("got %d bytes left, want %d", len(c.b), n)
		return nil
	}
	out := c.b[:n]
	c.b = c.b[n:]
	return out
}

// Word is one of 64 bits.
func (c *Coder) Word(v uint64) uint64 {
	if !c.Reading {
		c.b = binary.LittleEndian.AppendUint64(c.b, v)
		return v
	}
	if raw := c.take(8); raw != nil {
		return binary.LittleEndian.Uint64(raw)
	}
	return 0
}

// Same is a public fact that both sides know: a name, or a size.
func (c *Coder) Same(what string, v uint64) {
	if got := c.Word(v); c.Err == nil && got != v {
		c.Refuse("%s: got %d, want %d", what, got, v)
	}
}

// Bind binds a state to public facts beside its sizes: the columns, grids and bounds that settle what it adds up.
func (c *Coder) Bind(what string, of ...any) { c.fact(fact{what, of, false}) }

// BindSecret is [Coder.Bind] for what depends on rows or draws.
func (c *Coder) BindSecret(what string, of ...any) { c.fact(fact{what, of, true}) }

func (c *Coder) fact(f fact) {
	c.Name(f.what)
	if c.Err != nil {
		return
	}
	want := describe(f.of...)
	got := sum128{c.Word(want.hi), c.Word(want.lo)}
	switch {
	case c.Err != nil || got == want:
	case f.secret:
		c.Refuse("%s: got others than this pass wants", f.what)
	default:
		c.Refuse("%s: got those of hash %016x, want %016x", f.what, got.hi, want.hi)
	}
}

// longestName bounds the name of a state or a fact.
const longestName = 200

// Name is that of the state, with its version.
func (c *Coder) Name(s string) {
	if !c.Reading {
		c.Same("length of the name", uint64(len(s)))
		c.b = append(c.b, s...)
		return
	}
	n := c.Word(0)
	if n > longestName {
		c.Refuse("got a name of %d bytes, want %q", n, s)
		return
	}
	if raw := c.take(int(n)); c.Err == nil && string(raw) != s {
		c.Refuse("got %q, want %q", raw, s)
	}
}

// Count is the size of a list that differs from state to state, each of whose items takes so many bytes at least.
func (c *Coder) Count(n, item int) int {
	got := c.Word(uint64(n))
	if c.Reading && c.Err == nil && got > uint64(len(c.b)/item) {
		c.Refuse("got a list of %d in %d bytes, want at most %d", got, len(c.b), len(c.b)/item)
	}
	if c.Err != nil {
		return 0
	}
	return int(got)
}

// fixed codes a list whose length both sides know, in place.
func fixed[T any](c *Coder, v []T, to func(T) uint64, from func(uint64) T) {
	c.Same("length", uint64(len(v)))
	for i := range v {
		if c.Err != nil {
			return
		}
		v[i] = from(c.Word(to(v[i])))
	}
}

// Integers codes a list of integers in place; both sides know its length.
func (c *Coder) Integers(v []int64) {
	fixed(c, v, func(x int64) uint64 { return uint64(x) }, func(x uint64) int64 { return int64(x) })
}

func (c *Coder) counts(v []int) {
	fixed(c, v, func(x int) uint64 { return uint64(x) }, c.counted)
}

// counted is a count that was written on any machine.
func (c *Coder) counted(x uint64) int {
	if x > math.MaxInt {
		c.Refuse("got a count beyond %d, want one that fits the integers of this machine", math.MaxInt)
		return 0
	}
	return int(x)
}

// wides codes integers of 128 bits.
func (c *Coder) wides(v []int128) {
	c.Same("length", uint64(len(v)))
	for i := range v {
		v[i].hi = c.Word(v[i].hi)
		v[i].lo = c.Word(v[i].lo)
	}
}

// list codes integers, however many.
func (c *Coder) list(v *[]int64) {
	n := c.Count(len(*v), 8)
	if c.Reading {
		*v = make([]int64, n)
	}
	for i := range *v {
		(*v)[i] = int64(c.Word(uint64((*v)[i])))
	}
}

// Gram codes a sum of outer products.
func (c *Coder) Gram(g *GramSum) {
	if g.Err != nil && c.Err == nil {
		c.Err = g.Err
	}
	if c.Err != nil {
		return
	}
	if c.Reading {
		// Its own error counts what was added up, which tells how many rows there were.
		if err := g.Sum.UnmarshalBinary(c.take(c.Count(0, 1))); err != nil {
			c.Refuse("got another sum of outer products, want one of as many columns")
		}
		return
	}
	raw, err := g.Sum.AppendBinary(nil)
	c.Count(len(raw), 1)
	if c.b = append(c.b, raw...); err != nil {
		c.Err = fmt.Errorf("%w: %w", errState, err)
	}
}
