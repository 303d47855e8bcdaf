package rows

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"hash/maphash"
	"math"
	"math/bits"
	"runtime"
)

// ClassesOf numbers the rows that are not empty by equality of their keys, in order of first
// appearance: class[i] is −1 for an empty row. key writes the key of row i, always as many bytes.
// The hash is seeded anew each time, and keys are compared in full where hashes agree.
func (m *Matrix) ClassesOf(keyBytes int, key func(buf []byte, i int)) (class []int32, count int) {
	n := m.Rows()
	class = make([]int32, n)
	first := make([]int32, 0, 1024) // a row of each class
	seed := maphash.MakeSeed()
	// Open addressing; a slot holds the upper half of a hash and a class number + 1.
	slots := make([]uint64, 1<<bits.Len(uint(2*n)))
	mask := uint64(len(slots) - 1)
	mine, other := make([]byte, keyBytes), make([]byte, keyBytes)
	var hashes [512]uint64
	for from := 0; from < n; from += len(hashes) {
		batch := hashes[:min(len(hashes), n-from)]
		// First all hashes and a look at their slots: the reads from a large table overlap.
		var seen uint64
		for k := range batch {
			if !m.IsEmpty(from + k) {
				key(mine, from+k)
				batch[k] = maphash.Bytes(seed, mine)
			}
		}
		for _, h := range batch {
			seen |= slots[h&mask]
		}
		runtime.KeepAlive(seen)
		for k, h := range batch {
			i := from + k
			if class[i] = -1; m.IsEmpty(i) {
				continue
			}
			tag, at := h>>32<<32, h&mask
			for ; slots[at] != 0; at = (at + 1) & mask {
				if slots[at]>>32<<32 != tag {
					continue
				}
				c := int32(uint32(slots[at])) - 1
				key(mine, i)
				if key(other, int(first[c])); bytes.Equal(mine, other) {
					class[i] = c
					break
				}
			}
			if class[i] < 0 {
				class[i] = int32(len(first))
				first = append(first, int32(i))
				slots[at] = tag | uint64(len(first))
			}
		}
	}
	return class, len(first)
}

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
