package frames

import (
	"encoding/binary"
	"hash"
	"math"

	"github.com/dpkit-go/dpnb/internal/fresh"
	"github.com/dpkit-go/dpnb/internal/linalg"
)

// cells are those of one column, little endian, each in as many bytes as what it is needs, in pages that hold pageRows of them but for the
// last. A page that is full never moves and is never written again: a table that grows holds nothing twice, and a page may lie in a file
// that is mapped into memory. Cells of numbers and of people are the bytes that are hashed of them. A missing cell is NaN or the largest code, which
// takes no memory of its own: a bitmap of such would take an eighth of a byte a cell more, and a second look at every cell that is read.
type cells struct {
	as    storage
	pages [][]byte
}

// pageRows is the number of cells of a page: of numbers 128 kB, which a second-level cache holds.
const pageRows = 1 << pageShift

const pageShift = 14

// storage is how the cells of a column are stored.
type storage uint8

const (
	asNumber storage = iota + 1 // float64; NaN = missing
	asCode8                     // codes of levels; the largest number of its size = missing
	asCode16
	asCode32
	asPerson // a PersonID
	asSingle // float32; NaN = missing
)

// storageOf is how a column is stored: levels in 1 byte each for up to 255 of them, in 2 for up to 65 535, else in 4.
func storageOf(c *Column) storage {
	switch {
	case c.Kind == KindPerson:
		return asPerson
	case c.IsSingle():
		return asSingle
	case !c.classes():
		return asNumber
	case len(c.Levels) <= math.MaxUint8:
		return asCode8
	case len(c.Levels) <= math.MaxUint16:
		return asCode16
	}
	return asCode32
}

// size is that of a cell in bytes.
func (s storage) size() int {
	switch s {
	case asCode8:
		return 1
	case asCode16:
		return 2
	case asCode32, asSingle:
		return 4
	case asPerson:
		return len(PersonID{})
	}
	return 8
}

// room returns the last page, with room for at least one and at most n cells more, and for how many; many says that a whole page of cells will come.
func (c *cells) room(n int, many bool) (page *[]byte, k int) {
	size := c.as.size()
	if last := len(c.pages) - 1; last < 0 || len(c.pages[last]) == pageRows*size {
		c.pages = append(c.pages, nil)
	}
	page = &c.pages[len(c.pages)-1]
	k = min(n, pageRows-len(*page)/size)
	if need := len(*page) + k*size; need > cap(*page) {
		grown := min(max(need, 2*cap(*page)), pageRows*size)
		if many || len(c.pages) > 1 {
			grown = pageRows * size
		}
		*page = append(make([]byte, 0, grown), *page...)
		fresh.Around(*page)
	}
	return page, k
}

// trim gives back what the last page has too much, where that is much.
func (c *cells) trim() {
	if last := len(c.pages) - 1; last >= 0 && cap(c.pages[last])-len(c.pages[last]) > len(c.pages[last])/8 {
		c.pages[last] = append(make([]byte, 0, len(c.pages[last])), c.pages[last]...)
	}
}

// grow appends n cells, which it does not write, and their bytes to parts, page by page. For many see room.
func (c *cells) grow(parts [][]byte, n int, many bool) [][]byte {
	size := c.as.size()
	for n > 0 {
		page, k := c.room(n, many)
		old := len(*page)
		*page = (*page)[:old+k*size]
		parts, n = append(parts, (*page)[old:]), n-k
	}
	return parts
}

// add appends n values, every d-th of x.
func (c *cells) add(x []float64, d, n int) {
	var parts [2][]byte
	c.as.writeParts(c.grow(parts[:0], n, false), x, d, n)
}

// writeParts writes n values, every d-th of x, to the first of the parts, and returns the others.
func (s storage) writeParts(parts [][]byte, x []float64, d, n int) [][]byte {
	for size := s.size(); n > 0; parts = parts[1:] {
		k := len(parts[0]) / size
		s.write(parts[0], x, d)
		x, n = x[min(k*d, len(x)):], n-k
	}
	return parts
}

// write fills to with values, every d-th of x.
func (s storage) write(to []byte, x []float64, d int) {
	at := 0
	switch s {
	case asCode8:
		for i := range to {
			to[i] = uint8(codeOf(x[at], math.MaxUint8))
			at += d
		}
	case asCode16:
		for ; len(to) >= 2; to = to[2:] {
			binary.LittleEndian.PutUint16(to, uint16(codeOf(x[at], math.MaxUint16)))
			at += d
		}
	case asCode32:
		for ; len(to) >= 4; to = to[4:] {
			binary.LittleEndian.PutUint32(to, codeOf(x[at], math.MaxUint32))
			at += d
		}
	case asSingle:
		for ; len(to) >= 4; to = to[4:] {
			binary.LittleEndian.PutUint32(to, math.Float32bits(float32(x[at])))
			at += d
		}
	default:
		for ; len(to) >= 8; to = to[8:] {
			binary.LittleEndian.PutUint64(to, cellBits(x[at]))
			at += d
		}
	}
}

// codeOf is the code of a level as it is stored.
func codeOf(v float64, missing uint32) uint32 {
	if math.IsNaN(v) {
		return missing
	}
	return uint32(v)
}

// addPeople appends cells of a person's column.
func (c *cells) addPeople(ids []PersonID) {
	writePeople(c.grow(nil, len(ids), false), ids)
}

// writePeople writes cells of a person's column to the parts.
func writePeople(parts [][]byte, ids []PersonID) {
	for _, to := range parts {
		for ; len(to) > 0; to, ids = to[len(PersonID{}):], ids[1:] {
			copy(to, ids[0][:])
		}
	}
}

// part is what a page holds of n cells from first on, and of how many of them.
func (c *cells) part(first, n int) (page []byte, k int) {
	size, from := c.as.size(), first&(pageRows-1)
	k = min(n, pageRows-from)
	return c.pages[first>>pageShift][from*size : (from+k)*size], k
}

// read writes the n values from first on to every d-th number of x.
func (c *cells) read(x []float64, d, first, n int) {
	at := 0
	for n > 0 {
		page, k := c.part(first, n)
		switch c.as {
		case asCode8:
			for _, b := range page {
				x[at] = valueOf(uint32(b), math.MaxUint8)
				at += d
			}
		case asCode16:
			for ; len(page) >= 2; page = page[2:] {
				x[at] = valueOf(uint32(binary.LittleEndian.Uint16(page)), math.MaxUint16)
				at += d
			}
		case asCode32:
			for ; len(page) >= 4; page = page[4:] {
				x[at] = valueOf(binary.LittleEndian.Uint32(page), math.MaxUint32)
				at += d
			}
		case asSingle:
			for ; len(page) >= 4; page = page[4:] {
				x[at] = float64(math.Float32frombits(binary.LittleEndian.Uint32(page)))
				at += d
			}
		default:
			for ; len(page) >= 32 && at+3*d < len(x); page = page[32:] {
				four, to := page[:32:32], x[at:at+3*d+1]
				to[0] = math.Float64frombits(binary.LittleEndian.Uint64(four))
				to[d] = math.Float64frombits(binary.LittleEndian.Uint64(four[8:]))
				to[2*d] = math.Float64frombits(binary.LittleEndian.Uint64(four[16:]))
				to[3*d] = math.Float64frombits(binary.LittleEndian.Uint64(four[24:]))
				at += 4 * d
			}
			for ; len(page) >= 8; page = page[8:] {
				x[at] = math.Float64frombits(binary.LittleEndian.Uint64(page))
				at += d
			}
		}
		first, n = first+k, n-k
	}
}

// readFour is read of four columns at once, into rows of at least four numbers, if all are stored as they are read.
func readFour(of *[4]cells, x []float64, d, first, n int) bool {
	for j := range of {
		if of[j].as != asNumber {
			return false
		}
	}
	for n > 0 {
		var pages [4][]byte
		k := 0
		for j := range of {
			pages[j], k = of[j].part(first, n)
		}
		linalg.FourColumns(x, d, pages)
		if first, n = first+k, n-k; n > 0 {
			x = x[k*d:]
		}
	}
	return true
}

// valueOf is the value that a stored code stands for.
func valueOf(code, missing uint32) float64 {
	if code == missing {
		return math.NaN()
	}
	return float64(code)
}

// at is one value.
func (c *cells) at(i int) float64 {
	var v [1]float64
	c.read(v[:], 1, i, 1)
	return v[0]
}

// readPeople writes the cells of a person's column from first on to ids.
func (c *cells) readPeople(ids []PersonID, first int) {
	for len(ids) > 0 {
		page, k := c.part(first, len(ids))
		for i := range k {
			ids[i] = PersonID(page[len(PersonID{})*i:])
		}
		ids, first = ids[k:], first+k
	}
}

// subset copies the cells of the given positions.
func (c *cells) subset(rows []int) cells {
	out := cells{as: c.as}
	size := c.as.size()
	for len(rows) > 0 {
		to, k := out.room(len(rows), false)
		for _, i := range rows[:k] {
			at := i & (pageRows - 1) * size
			*to = append(*to, c.pages[i>>pageShift][at:at+size]...)
		}
		rows = rows[k:]
	}
	return out
}

// hash writes the first n cells to h, 8 bytes a value, whatever the storage.
func (c *cells) hash(h hash.Hash, n int) {
	if c.as == asNumber || c.as == asPerson {
		for _, page := range c.pages {
			h.Write(page)
		}
		return
	}
	var values [blockRows]float64
	var text [8 * blockRows]byte
	for first := 0; first < n; first += blockRows {
		k := min(blockRows, n-first)
		c.read(values[:], 1, first, k)
		b := text[:0]
		for _, v := range values[:k] {
			b = appendValue(b, v)
		}
		h.Write(b)
	}
}
