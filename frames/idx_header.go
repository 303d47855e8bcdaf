package frames

import (
	"encoding/binary"
	"fmt"
	"io"
	"math"
)

// idxHeader is what stands before the items of an IDX file.
type idxHeader struct {
	count int // items: the first dimension
	size  int // values per item: the product of the others, 1 if there is none
}

// readIDXHeader reads two zero bytes, the type, the number of dimensions and the dimensions as
// big-endian 32-bit numbers. What is wrong with them wraps ErrHeader.
func readIDXHeader(r io.Reader) (idxHeader, error) {
	var b [4]byte
	if _, err := io.ReadFull(r, b[:]); err != nil {
		return idxHeader{}, err
	}
	const unsignedByte = 0x08
	if b[0] != 0 || b[1] != 0 || b[2] != unsignedByte || b[3] == 0 {
		return idxHeader{}, fmt.Errorf("%w: the file does not start as IDX of unsigned bytes does (00 00 08 and the number of dimensions): check the path", ErrHeader)
	}
	h := idxHeader{size: 1}
	for i := range b[3] {
		var d [4]byte
		if _, err := io.ReadFull(r, d[:]); err != nil {
			return idxHeader{}, err
		}
		n := binary.BigEndian.Uint32(d[:])
		if i == 0 {
			if n > math.MaxInt32 {
				return idxHeader{}, fmt.Errorf("%w: got %d items, want at most %d: check the file", ErrHeader, n, math.MaxInt32)
			}
			h.count = int(n)
			continue
		}
		if n == 0 || int64(n) > int64(maxPixels/h.size) {
			return idxHeader{}, fmt.Errorf("%w: got dimension %d of %d, want 1 to %d values per item: check the file", ErrHeader, n, i+1, maxPixels)
		}
		h.size *= int(n)
	}
	return h, nil
}
