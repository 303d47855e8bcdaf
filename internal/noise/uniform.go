package noise

import (
	"fmt"
	"math/bits"
)

// Uint64n returns a uniform integer in [0, n), without bias (Lemire 2019, "Fast random integer
// generation in an interval"). It panics when n is 0.
func (s *Source) Uint64n(n uint64) uint64 {
	if n == 0 {
		panic("noise: Uint64n: got n = 0, want n ≥ 1")
	}
	// hi is uniform once the products whose lo falls in the first 2^64 mod n values are
	// rejected: every hi then has floor(2^64/n) preimages.
	hi, lo := bits.Mul64(s.Uint64(), n)
	if lo < n {
		for excess := -n % n; lo < excess; {
			hi, lo = bits.Mul64(s.Uint64(), n)
		}
	}
	return hi
}

// Float64 returns a uniform multiple of 2^-53 in [0, 1). For simulation and subsampling
// decisions whose probability is rounded upward; for exact probabilities use
// [Source.Bernoulli].
func (s *Source) Float64() float64 {
	return float64(s.Uint64()>>11) * 0x1p-53
}

// Perm returns a uniform permutation of 0..n-1. It panics when n < 0.
func (s *Source) Perm(n int) []int {
	if n < 0 {
		panic(fmt.Sprintf("noise: Perm: got n = %d, want n ≥ 0", n))
	}
	p := make([]int, n)
	for i := range p {
		p[i] = i
	}
	s.Shuffle(n, func(i, j int) { p[i], p[j] = p[j], p[i] })
	return p
}

// Shuffle puts n elements in uniform random order by calls of swap (Fisher and Yates; Durstenfeld
// 1964). It panics when n < 0.
func (s *Source) Shuffle(n int, swap func(i, j int)) {
	if n < 0 {
		panic(fmt.Sprintf("noise: Shuffle: got n = %d, want n ≥ 0", n))
	}
	for i := n - 1; i > 0; i-- {
		swap(i, int(s.Uint64n(uint64(i)+1)))
	}
}
