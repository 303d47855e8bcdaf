package noise

import (
	"fmt"
	"math/bits"
)

// Bernoulli returns true with probability exactly num/den. It panics unless num ≤ den and
// den ≥ 1.
func (s *Source) Bernoulli(num, den uint64) bool {
	if den == 0 || num > den {
		panic(fmt.Sprintf("noise: Bernoulli: got %d/%d, want a probability num/den with num ≤ den, den ≥ 1", num, den))
	}
	return s.bernoulli(num, den)
}

// BernoulliExp returns true with probability exactly exp(-num/den) (Canonne, Kamath, Steinke
// 2020, Algorithm 1). It panics when den is 0.
func (s *Source) BernoulliExp(num, den uint64) bool {
	if den == 0 {
		panic(fmt.Sprintf("noise: BernoulliExp: got exp(-%d/0), want den ≥ 1", num))
	}
	// exp(-γ) = exp(-1)^floor(γ) · exp(-(γ - floor γ)); the loop ends early at the first failure.
	for ; num >= den; num -= den {
		if !s.bernoulliExp1() {
			return false
		}
	}
	return s.bernoulliExpFraction(num, den)
}

// bernoulli compares a uniform U in [0, 1) with num/den, 64 bits of U at a time. Let r be the
// next word of U and U' the rest, U = (r+U')/2^64. Then
//
//	U < num/den  ⇔  U' < (num·2^64 - r·den)/den =: rem/den,
//
// which is false for rem ≤ 0, true for rem ≥ den, and otherwise (probability 2^-64, or less)
// decided by the next word in the same way. Nothing is rounded.
func (s *Source) bernoulli(num, den uint64) bool {
	for {
		hi, lo := bits.Mul64(s.Uint64(), den)
		if hi != num-1 { // rem ≤ 0, or rem > 2^64 > den; num = 0 is the former
			return hi < num
		}
		rem := -lo // 2^64 - lo, in (0, 2^64) unless lo = 0
		if lo == 0 || rem >= den {
			return true
		}
		num = rem
	}
}

// bernoulli128 is bernoulli for num ≤ den with 128 bits.
func (s *Source) bernoulli128(num, den uint128) bool {
	for {
		top, low := den.mul64(s.Uint64())
		// rem = (num.hi, num.lo, 0) - (top, low.hi, low.lo)
		rem := uint128{}
		var borrow uint64
		rem.lo, borrow = bits.Sub64(0, low.lo, 0)
		rem.hi, borrow = bits.Sub64(num.lo, low.hi, borrow)
		remTop, borrow := bits.Sub64(num.hi, top, borrow)
		switch {
		case borrow != 0 || remTop == 0 && rem.isZero():
			return false
		case remTop != 0 || !rem.less(den):
			return true
		}
		num = rem
	}
}

// bernoulliExpFraction is exp(-γ) for γ = num/den ≤ 1: draw A_k ~ Bernoulli(γ/k) for
// k = 1, 2, … up to the first failure; P(first failure > k) = γ^k/k!, so
// P(first failure is odd) = 1 - γ + γ²/2! - … = exp(-γ).
func (s *Source) bernoulliExpFraction(num, den uint64) bool {
	for k := uint64(1); ; k++ {
		var a bool
		if over, kden := bits.Mul64(k, den); over == 0 {
			a = s.bernoulli(num, kden)
		} else { // γ/k = (1/k)·γ: two independent draws
			a = s.bernoulli(1, k) && s.bernoulli(num, den)
		}
		if !a {
			return k%2 == 1
		}
	}
}

// bernoulliExp1 is bernoulliExpFraction at γ = 1, where A_1 is certain.
func (s *Source) bernoulliExp1() bool {
	for k := uint64(2); ; k++ {
		if !s.bernoulli(1, k) {
			return k%2 == 1
		}
	}
}

// bernoulliExp128 is BernoulliExp with 128-bit num and den ≥ 1.
func (s *Source) bernoulliExp128(num, den uint128) bool {
	for !num.less(den) {
		if !s.bernoulliExp1() {
			return false
		}
		num, _ = num.sub(den)
	}
	for k := uint64(1); ; k++ {
		var a bool
		if over, kden := den.mul64(k); over == 0 {
			a = s.bernoulli128(num, kden)
		} else {
			a = s.bernoulli(1, k) && s.bernoulli128(num, den)
		}
		if !a {
			return k%2 == 1
		}
	}
}
