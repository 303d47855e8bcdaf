package linalg

import (
	"encoding/binary"
	"fmt"
	"math"
)

// AppendBinary appends the sum as it stands: a Gram that reads it back goes on with the same bits, on any processor. The panel
// that is under way must have been ended by Flush. The error wraps [ErrShape].
func (s *Gram) AppendBinary(b []byte) ([]byte, error) {
	if s.rows != 0 {
		return b, fmt.Errorf("linalg: Gram matrix: got a panel of %d rows under way, want it ended by Flush before the sum is written: %w", s.rows, ErrShape)
	}
	b = binary.LittleEndian.AppendUint64(b, uint64(s.cols))
	b = binary.LittleEndian.AppendUint64(b, uint64(s.panels))
	b = binary.LittleEndian.AppendUint64(b, uint64(s.full))
	b = binary.LittleEndian.AppendUint64(b, uint64(len(s.levels)))
	b = s.appendUpper(b, s.leaf)
	for _, level := range s.levels {
		if level == nil {
			b = append(b, 0)
			continue
		}
		b = s.appendUpper(append(b, 1), level)
	}
	return b, nil
}

func (s *Gram) appendUpper(b []byte, sum []float64) []byte {
	for i := range s.cols {
		for _, v := range sum[i*s.ld+i : i*s.ld+s.cols] {
			b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v))
		}
	}
	return b
}

const (
	mostLevels = 64                        // more than 2^64 rows need
	mostFull   = min(1<<48, math.MaxInt/2) // leaves
)

// UnmarshalBinary replaces an empty sum by one that AppendBinary wrote, of the same number of columns. The error wraps
// [ErrShape]; the sum is then as it was.
func (s *Gram) UnmarshalBinary(b []byte) error {
	bad := func(what string) error {
		return fmt.Errorf("linalg: Gram matrix: %s, want what AppendBinary wrote of %d columns: %w", what, s.cols, ErrShape)
	}
	if s.rows != 0 || s.panels != 0 {
		return bad("got a sum that is not empty")
	}
	if len(b) < 32 {
		return bad(fmt.Sprintf("got %d bytes", len(b)))
	}
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(b[8*i:]) }
	cols, panels, full, levels := word(0), word(1), word(2), word(3)
	if cols != uint64(s.cols) || panels >= leafPanels || full > mostFull || levels > mostLevels {
		return bad(fmt.Sprintf("got %d columns, %d panels in a leaf and %d levels", cols, panels, levels))
	}
	b = b[32:]
	size := 8 * s.cols * (s.cols + 1) / 2
	read := func() ([]float64, bool) {
		if len(b) < size {
			return nil, false
		}
		sum := make([]float64, s.ld*s.ld)
		for i := range s.cols {
			for j := i; j < s.cols; j++ {
				sum[i*s.ld+j] = math.Float64frombits(binary.LittleEndian.Uint64(b))
				b = b[8:]
			}
		}
		return sum, true
	}
	leaf, ok := read()
	if !ok {
		return bad("got too few bytes")
	}
	all := make([][]float64, levels)
	for l := range all {
		if len(b) == 0 || b[0] > 1 {
			return bad("got no mark of a level")
		}
		there := b[0] == 1
		if b = b[1:]; !there {
			continue
		}
		if all[l], ok = read(); !ok {
			return bad("got too few bytes")
		}
	}
	if len(b) > 0 {
		return bad(fmt.Sprintf("got %d bytes too many", len(b)))
	}
	s.panels, s.leaf, s.levels, s.full = int(panels), leaf, all, int(full)
	return nil
}
