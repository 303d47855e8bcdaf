package rows

import (
	"math"
	"testing"
)

// TestSipHash: vectors 0 and 8 of the reference implementation (Aumasson, Bernstein 2012; github.com/veorq/SipHash, vectors.h).
func TestSipHash(t *testing.T) {
	key := make([]byte, 16)
	for i := range key {
		key[i] = byte(i)
	}
	k := sipKeyOf(key)
	if got := k.begin().end(0); got != 0x726fdb47dd0e0e31 {
		t.Errorf("of nothing: got %#x", got)
	}
	if got := k.begin().word(0x0706050403020100).end(8); got != 0x93f5f5799a932462 {
		t.Errorf("of the bytes 0 to 7: got %#x", got)
	}
	if k.cells([]float64{0, math.NaN()}, 0) != k.cells([]float64{math.Copysign(0, -1), math.Float64frombits(0xfff8dead00000000)}, 0) {
		t.Error("rows that are equal have other hashes")
	}
	if k.cells([]float64{0}, 0) == k.cells([]float64{0}, 1) {
		t.Error("a row and its repetition have the same hash")
	}
}
