package rows

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/internal/noise"
)

// RowSet holds the rows that a step drew, one bit a row. It is as secret as the rows: amplification by sampling needs that
// nobody learns who was drawn, or how many.
type RowSet []uint64

// NewRowSet is the empty set of so many rows.
func NewRowSet(rows int) RowSet { return make(RowSet, (rows+63)/64) }

// Has says whether row i was drawn.
func (s RowSet) Has(i int) bool { return s[i/64]>>(i%64)&1 == 1 }

// Add draws row i.
func (s RowSet) Add(i int) { s[i/64] |= 1 << (i % 64) }

// Among calls fn for each row from..to that was drawn, in order.
func (s RowSet) Among(from, to int, fn func(i int)) {
	for at := from; at < to; at = at/64*64 + 64 {
		set := s[at/64] >> (at % 64)
		if left := to - at; left < 64 {
			set &= 1<<left - 1
		}
		for ; set != 0; set &= set - 1 {
			fn(at + bits.TrailingZeros64(set))
		}
	}
}

// Draw replaces the set by a fresh draw out of so many rows. Both laws are exact, but that a rate is rounded down
// to a multiple of 2^-64, which costs no privacy.
func (s RowSet) Draw(rng *noise.Source, how accountant.Sampling, rows int) {
	clear(s)
	if how.Kind == accountant.WithoutReplacement {
		s.drawBatch(rng, how.Batch, rows)
		return
	}
	if how.Rate >= 1 {
		for i := range rows {
			s.Add(i)
		}
		return
	}
	below := uint64(math.Ldexp(how.Rate, 64))
	rng.Runs(rows, drawnAtOnce, func(at int, words []byte) {
		for ; len(words) > 0; at += 64 {
			k := min(64, len(words)/8)
			var set uint64
			for j := k - 1; j >= 0; j-- { // the first row's bit is the last that is shifted in
				_, drawn := bits.Sub64(binary.LittleEndian.Uint64(words[8*j:]), below, 0)
				set, _ = bits.Add64(set, set, drawn)
			}
			s[at/64], words = set, words[8*k:]
		}
	})
}

// drawnAtOnce are rows that a worker draws at a time, whose words lie in a first-level cache: a multiple of 64.
const drawnAtOnce = 1 << 12

// drawBatch is a uniform subset of that size (Floyd's algorithm; Bentley, Floyd 1987).
func (s RowSet) drawBatch(rng *noise.Source, batch, rows int) {
	for top := rows - batch; top < rows; top++ {
		if i := int(rng.Uint64n(uint64(top) + 1)); !s.Has(i) {
			s.Add(i)
		} else {
			s.Add(top)
		}
	}
}
