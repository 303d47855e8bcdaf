package parquet

import (
	"encoding/binary"
	"errors"
)

var errEncoding = errors.New("its values end early, or are not in their encoding")

// runs reads the hybrid of run lengths and packed bits (parquet-format, Encodings.md, RLE = 3): levels, indexes of dictionaries, booleans.
type runs struct {
	data  []byte
	width int // bits of a value, 0 to 32
	left  int // values of the current run
	value uint32
	bits  []byte // of packed values; nil in a run of one value
	at    int    // bit of the next one
}

// run returns a value and how many times it stands here, at least once and at most so many.
func (r *runs) run(most int) (value uint32, n int, err error) {
	for r.left == 0 {
		if err := r.head(); err != nil {
			return 0, 0, err
		}
	}
	if r.bits == nil {
		n = min(most, r.left)
		r.left -= n
		return r.value, n, nil
	}
	r.left--
	value = uint32(bitsAt(r.bits, r.at, r.width))
	r.at += r.width
	return value, 1, nil
}

// head begins a run.
func (r *runs) head() error {
	h, n := binary.Uvarint(r.data)
	if n <= 0 {
		return errEncoding
	}
	r.data = r.data[n:]
	if h&1 == 0 { // h/2 times one value
		size := (r.width + 7) / 8
		if h>>1 >= 1<<31 || len(r.data) < size {
			return errEncoding
		}
		r.value, r.bits, r.left = 0, nil, int(h>>1)
		for i := range size {
			r.value |= uint32(r.data[i]) << (8 * i)
		}
		r.data = r.data[size:]
		return nil
	}
	groups := h >> 1 // of eight values, which take width bytes
	if r.width == 0 {
		if groups > 1<<27 {
			return errEncoding
		}
		r.value, r.bits, r.left = 0, nil, int(groups)*8
		return nil
	}
	if groups > uint64(len(r.data)) {
		return errEncoding
	}
	size := int(groups) * r.width
	count := int(groups) * 8
	if size > len(r.data) { // some writers leave out the end of the last group
		size = len(r.data)
		count = size * 8 / r.width
	}
	r.bits, r.at, r.left = r.data[:size:size], 0, count
	r.data = r.data[size:]
	if count == 0 && groups > 0 {
		return errEncoding
	}
	return nil
}

// bitsAt reads a number of at most 64 bits, the lowest first, which lies within the bytes.
func bitsAt(b []byte, at, width int) uint64 {
	if width == 0 {
		return 0
	}
	i, shift := at/8, at%8
	var lo uint64
	if i+8 <= len(b) {
		lo = binary.LittleEndian.Uint64(b[i:])
	} else {
		for k := 0; i+k < len(b); k++ {
			lo |= uint64(b[i+k]) << (8 * k)
		}
	}
	v := lo >> shift
	if over := shift + width - 64; over > 0 && i+8 < len(b) {
		v |= uint64(b[i+8]) << (64 - shift)
	}
	if width < 64 {
		v &= 1<<width - 1
	}
	return v
}
