package rows

import (
	"cmp"
	"encoding/binary"
	"math"
)

// putCell writes a value so that equal values have equal bytes: −0 is 0, and every missing cell is
// the same.
func putCell(buf []byte, v float64) {
	b := math.Float64bits(v + 0) // −0 + 0 = 0
	if v != v {
		b = 0x7ff8_0000_0000_0001
	}
	binary.LittleEndian.PutUint64(buf, b)
}

// Cells returns the key made of those columns, and of the label.
func (m *Matrix) Cells(columns []int, label bool) (keyBytes int, key func(buf []byte, i int)) {
	label = label && m.Y != nil
	keyBytes = 8 * len(columns)
	if label {
		keyBytes += 8
	}
	return keyBytes, func(buf []byte, i int) {
		row := m.Row(i)
		for k, j := range columns {
			putCell(buf[8*k:], row[j])
		}
		if label {
			putCell(buf[8*len(columns):], m.Y[i])
		}
	}
}

// compare orders two rows by their values, features first and then the label; missing cells come first.
func (m *Matrix) compare(i, k int) int {
	a, b := m.Row(i), m.Row(k)
	for j, v := range a {
		if c := cmp.Compare(v, b[j]); c != 0 {
			return c
		}
	}
	if m.Y == nil {
		return 0
	}
	return cmp.Compare(m.Y[i], m.Y[k])
}

// KeepSmallest removes all rows of a class but the one that comes first in the order of values, a
// rule that does not look at the rows' positions.
func (m *Matrix) KeepSmallest(class []int32, count int) {
	keep := make([]int32, count)
	for c := range keep {
		keep[c] = -1
	}
	for i, c := range class {
		switch {
		case c < 0:
		case keep[c] < 0:
			keep[c] = int32(i)
		case m.compare(i, int(keep[c])) < 0:
			m.Remove(int(keep[c]))
			keep[c] = int32(i)
		default:
			m.Remove(i)
		}
	}
}
