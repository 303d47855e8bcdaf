package rows

import (
	"math"
	"math/bits"
)

// ExactSum adds numbers without any rounding, and rounds once when it is read: sums of the same numbers have the same bits, whatever
// their order and however they were parted into sums that merged. Its error is at most 2^-53·|Σ|, and so within the bound of [Neumaier].
//
// It is a fixed-point number as long as it has to be (Kulisch's accumulator, in the form of Neal 2015, "Fast exact summation using
// small and large superaccumulators", §2): limb i, base 2^32, counts 2^(32(first+i) − 1075), and holds more bits than 32, so that carries wait.
// NaN and infinities are summed apart, as floating point does.
type ExactSum struct {
	limbs   []int64
	first   int
	added   int // since carries were carried
	special float64
	grid    int // where [ExactSum.addEach] cuts numbers; 0: not yet known
}

const (
	limbBits   = 32
	limbMask   = 1<<limbBits - 1
	lastLimb   = 2047 >> 5 // of the largest exponent; what is carried out of it goes to two more
	mostLimbs  = lastLimb + 4
	limbUnit   = -1075     // exponent of the first bit of limb 0
	carryAfter = 1 << 9    // numbers below 2^53 leave limbs below 2^63
	oneBits    = 1<<52 - 1 // of a mantissa
)

// Add adds a number.
func (s *ExactSum) Add(x float64) {
	b := math.Float64bits(x)
	e, m := int(b>>52&0x7ff), b&oneBits
	switch e {
	case 0x7ff:
		s.special += x
		return
	case 0:
		if m == 0 {
			return
		}
		e = 1
	default:
		m |= 1 << 52
	}
	at := e>>5 - s.first
	if uint(at) >= uint(max(len(s.limbs)-1, 0)) {
		s.reach(e>>5, e>>5+1)
		at = e>>5 - s.first
	}
	sign, shift := int64(b)>>63, uint(e&31)
	low, high := int64(m<<shift&limbMask), int64(m>>(limbBits-shift))
	s.limbs[at] += low ^ sign - sign
	s.limbs[at+1] += high ^ sign - sign
	if s.added++; s.added == carryAfter {
		s.carry()
	}
}

// addEach adds every stride-th number, at most [stripRows] of them.
//
// Numbers of about one size are cut at two public places, which TwoSum does without an error (Ogita, Rump, Oishi 2005, ExtractVector): a
// multiple q of 2^g, and of what is left a multiple of 2^(g−50). Both add as integers. What is too large, or has bits below that, is added on its
// own, and moves g for the numbers to come: that changes how long it takes, and not the sum.
func (s *ExactSum) addEach(x []float64, stride int) {
	if s.grid == 0 {
		s.regrid(x, stride)
	}
	const half = 50
	g := s.grid
	high, low := math.Ldexp(1.5, 52+g), math.Ldexp(1.5, 52+g-half)
	highBits, lowBits, most := math.Float64bits(high), math.Float64bits(low), math.Ldexp(1, 51+g)
	var a, b uint64
	apart := 0
	for i := 0; i < len(x); i += stride {
		v := x[i]
		t := v + high
		r := v - (t - high)
		u := r + low
		if r-(u-low) != 0 || !(v < most && v > -most) {
			s.Add(v)
			apart++
			continue
		}
		a += math.Float64bits(t) - highBits
		b += math.Float64bits(u) - lowBits
	}
	s.addWhole(int64(a), g)
	s.addWhole(int64(b), g-half)
	if apart > 0 {
		s.regrid(x, stride)
	}
}

// regrid fits the places where numbers are cut to those numbers.
func (s *ExactSum) regrid(x []float64, stride int) {
	s.grid = 1
	var most float64
	for i := 0; i < len(x); i += stride {
		if v := math.Abs(x[i]); v > most && v < 0x1p900 {
			most = v
		}
	}
	if most > 0x1p-800 {
		_, e := math.Frexp(most)
		s.grid = e - 48 // with room for numbers of eight times the size
		if s.grid == 0 {
			s.grid = 1
		}
	}
}

// addWhole adds v·2^e, v below 2^62.
func (s *ExactSum) addWhole(v int64, e int) {
	if v == 0 {
		return
	}
	if s.added++; s.added >= carryAfter {
		s.carry()
	}
	at, shift := (e-limbUnit)>>5, uint(e-limbUnit)&31
	if at < s.first || at+2 >= s.first+len(s.limbs) {
		s.reach(at, at+2)
	}
	sign := v >> 63
	m := uint64(v ^ sign - sign)
	to := s.limbs[at-s.first:][:3]
	to[0] += int64(m<<shift&limbMask) ^ sign - sign
	to[1] += int64(m>>(limbBits-shift)&limbMask) ^ sign - sign
	to[2] += int64(m>>limbBits>>(limbBits-shift)) ^ sign - sign
}

// reach makes room for limbs from..to.
func (s *ExactSum) reach(from, to int) {
	if len(s.limbs) == 0 {
		s.first, s.limbs = from, make([]int64, to-from+1)
		return
	}
	from, to = min(from, s.first), max(to, s.first+len(s.limbs)-1)
	if to-from+1 == len(s.limbs) {
		return
	}
	all := make([]int64, to-from+1)
	copy(all[s.first-from:], s.limbs)
	s.first, s.limbs = from, all
}

// carry leaves 32 bits in each limb but the last, whose sign is that of the sum.
func (s *ExactSum) carry() {
	s.added = 0
	if len(s.limbs) == 0 {
		return
	}
	if top := s.limbs[len(s.limbs)-1]; top>>limbBits != top>>(limbBits-1) { // no room for what is carried to it
		s.reach(s.first, s.first+len(s.limbs))
	}
	last := len(s.limbs) - 1
	for i, v := range s.limbs[:last] {
		s.limbs[i] = v & limbMask
		s.limbs[i+1] += v >> limbBits
	}
}

// Merge adds the numbers of another sum, which stays as it is but for carries.
func (s *ExactSum) Merge(next ExactSum) {
	s.special += next.special
	if len(next.limbs) == 0 {
		return
	}
	s.carry()
	next.limbs = append([]int64(nil), next.limbs...)
	next.carry()
	s.reach(next.first, next.first+len(next.limbs)-1)
	for i, v := range next.limbs {
		s.limbs[next.first-s.first+i] += v
	}
	s.carry()
}

// Sum is the number nearest to the sum of all so far.
func (s *ExactSum) Sum() float64 {
	if s.special != 0 { // NaN, or an infinity
		return s.special
	}
	s.carry()
	limbs, negative := s.limbs, false
	if n := len(limbs); n > 0 && limbs[n-1] < 0 {
		negative = true
		limbs = make([]int64, n+1)
		carry := int64(0)
		for i, v := range s.limbs {
			v = carry - v
			limbs[i], carry = v&limbMask, v>>limbBits
		}
		limbs[n] = carry
	}
	top := len(limbs) - 1
	for top >= 0 && limbs[top] == 0 {
		top--
	}
	if top < 0 {
		return 0
	}
	// The leading 64 bits, the last of which says whether there is more: rounding sees it.
	at := func(i int) uint64 {
		if i < 0 {
			return 0
		}
		return uint64(limbs[i])
	}
	lead := at(top)
	unit := limbUnit + limbBits*(s.first+top)
	if free := bits.LeadingZeros64(lead); free >= limbBits {
		lead = lead<<limbBits | at(top-1)
		unit -= limbBits
		top--
	}
	free := bits.LeadingZeros64(lead)
	if free > 0 { // below 32
		lead = lead<<free | at(top-1)>>(limbBits-free)
		unit -= free
		if at(top-1)<<(64-limbBits+free) != 0 {
			lead |= 1
		}
		top--
	}
	for i := range max(top, 0) {
		if limbs[i] != 0 {
			lead |= 1
			break
		}
	}
	if drop := -1074 - unit - 1; drop > 0 && drop < 64 { // a denormal number: it is rounded where it ends
		if lead<<(64-drop) != 0 {
			lead |= 1 << drop
		}
		lead = lead >> drop
		unit += drop
	}
	v := math.Ldexp(float64(lead), unit)
	if negative {
		return -v
	}
	return v
}

// trim drops limbs that say nothing, so that equal sums are written alike.
func (s *ExactSum) trim() {
	if n := len(s.limbs); n > 0 {
		s.reach(s.first, s.first+n)
	}
	s.carry()
	for n := len(s.limbs); n > 0 && s.limbs[n-1] == 0 || n > 1 && s.limbs[n-1] == -1 && s.limbs[n-2]>>(limbBits-1) == 1; n = len(s.limbs) {
		if s.limbs[n-1] == -1 {
			s.limbs[n-2] -= 1 << limbBits
		}
		s.limbs = s.limbs[:n-1]
	}
	for len(s.limbs) > 0 && s.limbs[0] == 0 {
		s.limbs, s.first = s.limbs[1:], s.first+1
	}
	if len(s.limbs) == 0 {
		s.first = 0
	}
}

// Exact codes exact sums.
func (c *Coder) Exact(v []ExactSum) {
	c.Same("length", uint64(len(v)))
	for i := range v {
		if c.Err != nil {
			return
		}
		v[i].code(c)
	}
}

func (s *ExactSum) code(c *Coder) {
	if !c.Reading {
		s.trim()
	}
	s.special = math.Float64frombits(c.Word(math.Float64bits(s.special)))
	first, n := c.Word(uint64(s.first)), c.Count(len(s.limbs), 8)
	if !c.Reading {
		first = uint64(s.first)
	}
	if c.Err == nil && (first > lastLimb+2 || n > mostLimbs) {
		c.Refuse("got an exact sum of %d numbers from place %d, want one that numbers have", n, first)
	}
	if c.Err != nil {
		return
	}
	if c.Reading {
		s.first, s.limbs = int(first), make([]int64, n)
	}
	for i, v := range s.limbs {
		got := int64(c.Word(uint64(v)))
		if c.Reading {
			if got>>(limbBits+1) != 0 && got>>(limbBits+1) != -1 {
				c.Refuse("got an exact sum whose carries were not carried, want one that was written by this version of dpnb")
				return
			}
			s.limbs[i] = got
		}
	}
}
