package noise

import "math/bits"

// uint128 is hi·2^64 + lo.
type uint128 struct{ hi, lo uint64 }

// square returns x².
func square(x uint64) uint128 {
	hi, lo := bits.Mul64(x, x)
	return uint128{hi, lo}
}

func (a uint128) isZero() bool { return a.hi|a.lo == 0 }

func (a uint128) less(b uint128) bool {
	return a.hi < b.hi || a.hi == b.hi && a.lo < b.lo
}

// sub returns a - b and whether a < b, in which case the difference is modulo 2^128.
func (a uint128) sub(b uint128) (uint128, bool) {
	lo, borrow := bits.Sub64(a.lo, b.lo, 0)
	hi, borrow := bits.Sub64(a.hi, b.hi, borrow)
	return uint128{hi, lo}, borrow != 0
}

// double returns 2a; the top bit of a must be clear.
func (a uint128) double() uint128 {
	return uint128{a.hi<<1 | a.lo>>63, a.lo << 1}
}

// mul64 returns the 192-bit product a·x as its top word and the 128 bits below it.
func (a uint128) mul64(x uint64) (top uint64, low uint128) {
	carry, lo := bits.Mul64(a.lo, x)
	top, mid := bits.Mul64(a.hi, x)
	mid, c := bits.Add64(mid, carry, 0)
	return top + c, uint128{mid, lo}
}
