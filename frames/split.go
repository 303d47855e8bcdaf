package frames

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
)

// Split parts the rows into a (frac of them, rounded) and b (the rest), both in the frame's order.
// Which row goes where depends on seed and the row count alone, never on values: under ReplaceOne
// a changed row is in exactly one part, so that releases on both parts compose in parallel; so is under
// AddRemove a row that is zeroed out, since the row count stays public. Another row count, such as of a file from
// which a row was deleted, gives another split of all rows: no relation here covers that.
// Both parts get at least one row, else the error wraps [ErrEmpty] or [ErrOptions].
func Split(f *Frame, frac float64, seed uint64) (a, b *Frame, err error) {
	if !(frac > 0 && frac < 1) {
		return nil, nil, fmt.Errorf("frames: split: got fraction %g, want 0 < fraction < 1: for example 0.8: %w", frac, ErrOptions)
	}
	if c, ok := f.Schema().Person(); ok {
		return nil, nil, fmt.Errorf("frames: split: rows are of people, by %q, and somebody with several rows would be in both parts, which then do not compose in parallel: split the people before loading: %w", c.Name, ErrOptions)
	}
	n := f.Rows()
	k := int(math.Round(frac * float64(n)))
	if k < 1 || k >= n {
		return nil, nil, fmt.Errorf("frames: split: fraction %g leaves one part without rows, want at least 1 in each: move the fraction towards 1/2: %w", frac, ErrEmpty)
	}
	var key [32]byte
	binary.LittleEndian.PutUint64(key[:], seed)
	copy(key[8:], "dpnb/frames.Split/1")
	r := rand.New(rand.NewChaCha8(key)) // the generator's output is fixed by its specification
	first, second := make([]int, 0, k), make([]int, 0, n-k)
	for i := range n { // selection sampling (Knuth, TAOCP 2, 3.4.2, Algorithm S)
		if r.IntN(n-i) < k-len(first) {
			first = append(first, i)
		} else {
			second = append(second, i)
		}
	}
	return newFrame(f.data().subset(first)), newFrame(f.data().subset(second)), nil
}
