package rows

import (
	"encoding/binary"
	"math"
	"math/bits"
)

// sipKey is the key of SipHash-2-4 (Aumasson, Bernstein 2012): who does not know it cannot choose rows whose hashes are small.
type sipKey [2]uint64

func sipKeyOf(b []byte) sipKey {
	return sipKey{binary.LittleEndian.Uint64(b), binary.LittleEndian.Uint64(b[8:])}
}

// cells hashes numbers by their bits, and a count beside them. −0 is 0, and all NaN are one.
func (k sipKey) cells(row []float64, count uint64) uint64 {
	s := k.begin()
	for _, v := range row {
		s = s.word(cellBits(v))
	}
	return s.word(count).end(8 * (len(row) + 1))
}

// cellBits are the bits of a cell.
func cellBits(v float64) uint64 {
	if v != v {
		return 0x7ff8000000000001
	}
	return math.Float64bits(v + 0)
}

// sipState is a value, so that it stays in registers.
type sipState struct{ v0, v1, v2, v3 uint64 }

func (k sipKey) begin() sipState {
	return sipState{k[0] ^ 0x736f6d6570736575, k[1] ^ 0x646f72616e646f6d, k[0] ^ 0x6c7967656e657261, k[1] ^ 0x7465646279746573}
}

func (s sipState) round() sipState {
	s.v0 += s.v1
	s.v1 = bits.RotateLeft64(s.v1, 13) ^ s.v0
	s.v0 = bits.RotateLeft64(s.v0, 32)
	s.v2 += s.v3
	s.v3 = bits.RotateLeft64(s.v3, 16) ^ s.v2
	s.v0 += s.v3
	s.v3 = bits.RotateLeft64(s.v3, 21) ^ s.v0
	s.v2 += s.v1
	s.v1 = bits.RotateLeft64(s.v1, 17) ^ s.v2
	s.v2 = bits.RotateLeft64(s.v2, 32)
	return s
}

// word takes eight bytes, the lowest first.
func (s sipState) word(m uint64) sipState {
	s.v3 ^= m
	s = s.round().round()
	s.v0 ^= m
	return s
}

// end closes a message of so many bytes, all of them in words.
func (s sipState) end(length int) uint64 {
	s = s.word(uint64(length) << 56)
	s.v2 ^= 0xff
	s = s.round().round().round().round()
	return s.v0 ^ s.v1 ^ s.v2 ^ s.v3
}
