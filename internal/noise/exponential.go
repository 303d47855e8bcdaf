package noise

import (
	"encoding/binary"
	"fmt"
	"math/bits"
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
	w := &weights{penalties, least(penalties), num, den}
	for tries := 1; ; tries++ {
		s.refuse(w)
		k := int(s.Uint64n(uint64(len(penalties))))
		hi, lo := bits.Mul64(penalties[k]-w.least, num)
		if s.bernoulliExp128(uint128{hi, lo}, uint128{0, den}) {
			return k
		}
		if tries >= triesAlone { // about as many buffers: there are many proposals
			s.refuseWithOthers(w)
		}
	}
}

// least is the smallest of some penalties, in four lanes: one comparison does not wait for the one before.
func least(penalties []uint64) uint64 {
	a := penalties[0]
	b, c, d := a, a, a
	rest := penalties[1:]
	for ; len(rest) >= 4; rest = rest[4:] {
		a, b, c, d = min(a, rest[0]), min(b, rest[1]), min(c, rest[2]), min(d, rest[3])
	}
	for _, p := range rest {
		a = min(a, p)
	}
	return min(a, b, c, d)
}

// weights are those that an index is drawn with: exp(-(penalties[k]-least)·num/den).
type weights struct {
	penalties       []uint64
	least, num, den uint64
}

// refused reads the words of a proposal as the loop of Exponential does, for the same decisions, and returns how many bytes it takes where a
// factor exp(-1) refuses it. It returns 0 where none does, and where there are not the words to tell.
func (w *weights) refused(words []byte) int {
	if len(words) < 8 {
		return 0
	}
	n := uint64(len(w.penalties))
	k, lo := bits.Mul64(binary.LittleEndian.Uint64(words), n)
	if lo < n { // Uint64n may need another word
		return 0
	}
	at := 8
	over, under := bits.Mul64(w.penalties[k]-w.least, w.num)
	for over > 0 || under >= w.den {
		j := uint64(2) // bernoulliExp1 fails first at j
		for ; ; j++ {
			if at+8 > len(words) {
				return 0
			}
			hi, lo := bits.Mul64(binary.LittleEndian.Uint64(words[at:]), j)
			at += 8
			if hi > 0 {
				break
			}
			if lo != 0 && -lo < j { // bernoulli needs another word
				return 0
			}
		}
		if j%2 == 0 {
			return at
		}
		var borrow uint64
		under, borrow = bits.Sub64(under, w.den, 0)
		over -= borrow
	}
	return 0
}

// refuse draws as long as proposals are refused and the buffer has the words for it. It leaves those of the first proposal that is not, and erases
// what it read, all at a time.
func (s *Source) refuse(w *weights) {
	rest := s.buf[bufferSize-s.left:]
	for n := w.refused(rest); n > 0; n = w.refused(rest) {
		rest = rest[n:]
	}
	clear(s.buf[bufferSize-s.left : bufferSize-len(rest)])
	s.left = len(rest)
}
