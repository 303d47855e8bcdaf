package noise

import (
	"fmt"
	"math/bits"
)

// maxNoise bounds the magnitude of every discrete sample, so that a sum of magnitude at most
// 2^62 plus a sample fits in an int64.
const maxNoise = 1<<62 - 1

// MaxLaplaceScale is the largest scale of [Source.DiscreteLaplace].
const MaxLaplaceScale = 1 << 53

// DiscreteLaplace returns X with P(X = x) ∝ exp(-|x|/t), t = num/den, |x| < 2^62
// (Canonne, Kamath, Steinke 2020, Algorithm 2). The mass left out beyond 2^62 is at most
// [TruncationTV]. It panics unless num, den ≥ 1 and num/den ≤ [MaxLaplaceScale].
//
// Source of the bound: P(|X| ≥ m) = 2·exp(-m/t)/(1+exp(-1/t)), which at m = 2^62, t = 2^53 is
// below exp(-512)·(1+2^-53), and grows with t.
func (s *Source) DiscreteLaplace(num, den uint64) int64 {
	if num == 0 || den == 0 || (num-1)/den >= MaxLaplaceScale {
		panic(fmt.Sprintf("noise: DiscreteLaplace: got scale %d/%d, want 0 < num/den ≤ 2^53: take a coarser grid", num, den))
	}
	for {
		// u + num·v is geometric, P(k) ∝ exp(-k/num); its quotient by den is geometric,
		// P(y) ∝ exp(-y·den/num).
		u, v := s.geometric(num)
		hi, lo := bits.Mul64(num, v)
		lo, carry := bits.Add64(lo, u, 0)
		hi += carry
		if hi >= den {
			continue // y ≥ 2^64: truncated
		}
		y, _ := bits.Div64(hi, lo, den)
		if y > maxNoise {
			continue // truncated
		}
		negative := s.Uint64()&1 == 1
		switch {
		case !negative:
			return int64(y)
		case y != 0: // else reject: zero must not have two chances
			return -int64(y)
		}
	}
}

// geometric returns u in [0, t) and v ≥ 0 such that k = u + t·v has P(k) ∝ exp(-k/t): u has
// P(u) ∝ exp(-u/t) by rejection from the uniform law, v has P(v) ∝ exp(-v), independently.
func (s *Source) geometric(t uint64) (u, v uint64) {
	u = s.Uint64n(t)
	for !s.bernoulliExpFraction(u, t) {
		u = s.Uint64n(t)
	}
	for s.bernoulliExp1() {
		v++
	}
	return u, v
}
