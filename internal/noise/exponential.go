package noise

import (
	"encoding/binary"
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
		s.refuse(penalties, least, num, den)
		k := int(s.Uint64n(uint64(len(penalties))))
		hi, lo := bits.Mul64(penalties[k]-least, num)
		if s.bernoulliExp128(uint128{hi, lo}, uint128{0, den}) {
			return k
		}
	}
}

// refuse draws what the loop of Exponential draws, with the same words for the same decisions, as long as proposals are refused by a factor
// exp(-1) and the buffer has the words for it. It leaves those of the first proposal that is not, and erases what it read, all at a time.
func (s *Source) refuse(penalties []uint64, least, num, den uint64) {
	n, rest := uint64(len(penalties)), s.buf[bufferSize-s.left:]
proposals:
	for {
		b := rest
		if len(b) < 8 {
			break
		}
		k, lo := bits.Mul64(binary.LittleEndian.Uint64(b), n)
		b = b[8:]
		if lo < n { // Uint64n may need another word
			break
		}
		over, under := bits.Mul64(penalties[k]-least, num)
		for refused := false; !refused; {
			if over == 0 && under < den {
				break proposals
			}
			j := uint64(2) // bernoulliExp1 fails first at j
			for {
				if len(b) < 8 {
					break proposals
				}
				hi, lo := bits.Mul64(binary.LittleEndian.Uint64(b), j)
				b = b[8:]
				if hi > 0 {
					break
				}
				if lo != 0 && -lo < j { // bernoulli needs another word
					break proposals
				}
				j++
			}
			refused = j%2 == 0
			var borrow uint64
			under, borrow = bits.Sub64(under, den, 0)
			over -= borrow
		}
		rest = b
	}
	clear(s.buf[bufferSize-s.left : bufferSize-len(rest)])
	s.left = len(rest)
}
