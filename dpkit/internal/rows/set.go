package rows

import (
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
	var words [64]uint64 // as secret as the set
	for i := 0; 64*i < rows; i++ {
		k := min(len(words), rows-64*i)
		rng.Uint64s(words[:k])
		var set uint64
		for j, w := range words[:k] {
			_, drawn := bits.Sub64(w, below, 0)
			set |= drawn << j
		}
		s[i] = set
	}
	clear(words[:])
}

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
