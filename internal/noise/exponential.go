package noise

import (
	"fmt"
	"math/bits"
	"slices"
)

// Exponential returns the index k with probability exactly ∝ exp(-penalties[k]·num/den): the
// exponential mechanism (McSherry, Talwar 2007) on penalties that are public up to their values. A
// uniform index is proposed and accepted with probability exp(-(penalties[k]-min)·num/den), by
// [Source.BernoulliExp]; nothing is rounded. It proposes at most len(penalties) times on average,
// and fewer the more penalties are small, which its running time shows. Bits are freshly keyed
// ([Source.Rekey]). It panics unless there is a penalty and den ≥ 1.
func (s *Source) Exponential(penalties []uint64, num, den uint64) int {
	if len(penalties) == 0 || den == 0 {
		panic(fmt.Sprintf("noise: Exponential: got %d penalties and rate %d/%d, want at least one penalty and den ≥ 1", len(penalties), num, den))
	}
	s.Rekey()
	least := slices.Min(penalties)
	for {
		k := int(s.Uint64n(uint64(len(penalties))))
		hi, lo := bits.Mul64(penalties[k]-least, num)
		if s.bernoulliExp128(uint128{hi, lo}, uint128{0, den}) {
			return k
		}
	}
}
