package rows

import (
	"bytes"
	"hash/maphash"
	"math/bits"
	"runtime"
)

// A keyFunc writes the key of row i, always as many bytes.
type keyFunc = func(buf []byte, i int)

// ClassesOf numbers the rows that are not empty by equality of their keys, in order of first
// appearance: class[i] is −1 for an empty row. Each worker asks for a function of its own, which may hold buffers.
// The hash is seeded anew each time, and keys are compared in full where hashes agree.
//
// Rows are parted by hash, so that equal keys meet in one part, and a part's table fits a second-level cache. Parts are worked on at the same time; who takes
// which does not show.
func (m *Matrix) ClassesOf(keyBytes int, key func() keyFunc) (class []int32, count int) {
	n := m.Rows()
	class = make([]int32, n)
	p := partsOf(m, keyBytes, key)
	together(len(p.start)-1, func() func(part int) {
		t := classTable{key: key(), mine: make([]byte, keyBytes), other: make([]byte, keyBytes)}
		return func(part int) { t.first(class, p.rows[p.start[part]:p.start[part+1]], p.hashes) }
	})
	// Each row holds the first of its class, which is numbered before it.
	for i := range class {
		switch first := class[i]; {
		case m.IsEmpty(i):
			class[i] = -1
		case first == int32(i):
			class[i] = int32(count)
			count++
		default:
			class[i] = class[first]
		}
	}
	return class, count
}

// partRows is about how many rows a part has.
const partRows = 1 << 13

// parted are rows by hash.
type parted struct {
	hashes []uint64
	rows   []int32 // that are not empty, part by part, rising within each
	start  []int   // where each part begins in them, and the end of the last
}

// partsOf hashes the keys of all rows and sorts the rows by the upper bits, in two passes over ranges of rows.
func partsOf(m *Matrix, keyBytes int, key func() keyFunc) parted {
	n := m.Rows()
	shift := 64 - bits.Len(uint(n/partRows)) // 64: one part
	parts := 1 << (64 - shift)
	p := parted{make([]uint64, n), nil, make([]int, parts+1)}
	ranges := workersFor(n, partRows)
	counts := make([][]int, ranges) // of rows by range and part
	within := func(r int) (from, to int) { return r * n / ranges, (r + 1) * n / ranges }
	seed := maphash.MakeSeed()
	together(ranges, func() func(r int) {
		write, buf := key(), make([]byte, keyBytes)
		return func(r int) {
			counts[r] = make([]int, parts)
			for i, end := within(r); i < end; i++ {
				if !m.IsEmpty(i) {
					write(buf, i)
					h := maphash.Bytes(seed, buf)
					p.hashes[i] = h
					counts[r][h>>shift]++
				}
			}
		}
	})
	at := 0
	for part := range parts {
		p.start[part] = at
		for r := range ranges {
			at, counts[r][part] = at+counts[r][part], at
		}
	}
	p.start[parts] = at
	p.rows = make([]int32, at)
	together(ranges, func() func(r int) {
		return func(r int) {
			for i, end := within(r); i < end; i++ {
				if !m.IsEmpty(i) {
					next := &counts[r][p.hashes[i]>>shift]
					p.rows[*next] = int32(i)
					*next++
				}
			}
		}
	})
	return p
}

// classTable finds equal keys by open addressing: a slot holds the upper half of a hash but for the bits that a part has in common, and a row + 1.
type classTable struct {
	key         keyFunc
	mine, other []byte
	slots       []uint64
}

// first writes the first row of its class for each of the rows, which rise.
func (t *classTable) first(class, rows []int32, hashes []uint64) {
	size := 1 << bits.Len(uint(2*len(rows)))
	if cap(t.slots) < size {
		t.slots = make([]uint64, size)
	}
	t.slots = t.slots[:size]
	clear(t.slots)
	mask := uint64(size - 1)
	for _, i := range rows {
		h := hashes[i]
		class[i] = i
		at, tag := h&mask, h>>16<<32 // bits that are in no part's number, if there are fewer than 2^16 parts, nor in the place
		for ; t.slots[at] != 0; at = (at + 1) & mask {
			if t.slots[at]>>32<<32 != tag {
				continue
			}
			first := int32(uint32(t.slots[at]) - 1)
			t.key(t.mine, int(i))
			if t.key(t.other, int(first)); bytes.Equal(t.mine, t.other) {
				class[i] = first
				break
			}
		}
		if class[i] == i {
			t.slots[at] = tag | uint64(i+1)
		}
	}
}

// together does pieces 0 to n−1 of some work, each once, in as many goroutines as there are processors. Each asks for a function of its own.
func together(n int, worker func() func(piece int)) {
	var c crew
	pieces := make(chan int, n)
	for piece := range n {
		pieces <- piece
	}
	close(pieces)
	work := func() {
		do := worker()
		for piece := range pieces {
			do(piece)
		}
	}
	for range min(n, runtime.GOMAXPROCS(0), mostWorkers) - 1 {
		c.Go(func() { c.do(work) })
	}
	c.do(work)
	c.finish()
}
