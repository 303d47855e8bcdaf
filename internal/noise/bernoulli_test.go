package noise

import (
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/dpkit-go/dpnb/internal/single"
)

// TestBernoulliThreshold checks the law itself: by the words on both sides of num·2^64/den, and
// again one word deeper.
func TestBernoulliThreshold(t *testing.T) {
	const top = math.MaxUint64
	for _, p := range []struct{ num, den uint64 }{
		{0, 1},
		{0, top},
		{1, 1},
		{top, top},
		{1, 2},
		{1, 3},
		{2, 3},
		{1, 1 << 63},
		{1<<63 + 1, 1<<63 + 3},
		{1, top},
		{top - 1, top},
		{123456789, 987654321},
	} {
		t.Run(fmt.Sprintf("%d of %d", p.num, p.den), func(t *testing.T) {
			run := func(words ...uint64) (bool, bool) {
				s := scripted(t, words...)
				narrow := s.bernoulli(p.num, p.den)
				left := s.left
				s = scripted(t, words...)
				wide := s.bernoulli128(uint128{lo: p.num}, uint128{lo: p.den})
				if narrow != wide || left != s.left {
					t.Errorf("words %#x: 64 bits %v, 128 bits %v; %d and %d bytes left", words, narrow, wide, left, s.left)
				}
				if want := (reference{scripted(t, words...)}).bernoulli(ratio(bigInt(p.num), bigInt(p.den))); narrow != want {
					t.Errorf("words %#x: got %v, want %v", words, narrow, want)
				}
				return narrow, left == 0
			}
			cut, rest := new(big.Int).DivMod(new(big.Int).Mul(bigInt(p.num), word), bigInt(p.den), new(big.Int))
			if p.num == p.den {
				run(0)
				run(top)
				return
			}
			r := cut.Uint64()
			if r > 0 {
				if hit, _ := run(r - 1); !hit {
					t.Error("below the threshold: got false")
				}
			}
			if r < top {
				if hit, _ := run(r + 1); hit {
					t.Error("above the threshold: got true")
				}
			}
			if rest.Sign() == 0 {
				if hit, _ := run(r); hit {
					t.Error("at an exact threshold: got true")
				}
				return
			}
			second := new(big.Int).Div(rest.Mul(rest, word), bigInt(p.den)).Uint64()
			if hit, all := run(r, second+1); second < top && (hit || !all) {
				t.Errorf("second word above: got %v, all words used %v", hit, all)
			}
			if second > 0 {
				if hit, all := run(r, second-1); !hit || !all {
					t.Errorf("second word below: got %v, all words used %v", hit, all)
				}
			}
		})
	}
}

// Words near the threshold at random depths, against the reference, for fractions of all sizes.
func TestBernoulliReference(t *testing.T) {
	single.Goroutine(t)
	s := NewDemo(41)
	for i := range 5000 {
		den := uint128{s.Uint64() >> (i % 65), s.Uint64()}
		num := uint128{s.Uint64(), s.Uint64()}
		if den.isZero() {
			den.lo = 1
		}
		for den.less(num) {
			num = uint128{num.hi >> 1, num.lo>>1 | num.hi<<63}
		}
		// The digits of num/den in base 2^64, one of them moved by -1, 0 or 1.
		words, rest := make([]uint64, 5), num.big()
		for j := range words {
			q, _ := new(big.Int).DivMod(rest.Lsh(rest, 64), den.big(), rest)
			words[j] = q.Uint64()
		}
		words[s.Uint64n(3)] += s.Uint64n(3) - 1
		words = append(words, s.Uint64(), 0, math.MaxUint64)
		got, want := scripted(t, words...), scripted(t, words...)
		if g, w := got.bernoulli128(num, den), (reference{want}).bernoulli(ratio(num.big(), den.big())); g != w || got.left != want.left {
			t.Fatalf("%v/%v: got %v with %d bytes left, want %v with %d", num, den, g, got.left, w, want.left)
		}
	}
}

func TestBernoulliRate(t *testing.T) {
	s := New()
	for _, p := range []struct{ num, den uint64 }{{0, 5}, {5, 5}, {1, 1000}, {1, 3}, {math.MaxUint64 / 4 * 3, math.MaxUint64}} {
		t.Run(fmt.Sprintf("%d of %d", p.num, p.den), func(t *testing.T) {
			hits := 0
			const n = 100_000
			for range n {
				if s.Bernoulli(p.num, p.den) {
					hits++
				}
			}
			checkRate(t, hits, n, float64(p.num)/float64(p.den))
		})
	}
}

func TestBernoulliExpRate(t *testing.T) {
	s := New()
	const wide = math.MaxUint64 - 1 // k·den overflows from k = 2
	for _, g := range []struct{ num, den uint64 }{
		{0, 1},
		{1, 1e6},
		{1, 2},
		{1, 1},
		{37, 10},
		{math.MaxUint64, 1},
		{1e9, 1e6},
		{wide / 2, wide},
		{wide, wide},
		{37e17, 10e17},
	} {
		t.Run(fmt.Sprintf("%d over %d", g.num, g.den), func(t *testing.T) {
			single.Goroutine(t)
			const n = 100_000
			narrow, wide := 0, 0
			for range n {
				if s.BernoulliExp(g.num, g.den) {
					narrow++
				}
				// The same fraction with a denominator near 2^128.
				if s.bernoulliExp128(uint128{hi: g.num}, uint128{hi: g.den}) {
					wide++
				}
			}
			p := math.Exp(-float64(g.num) / float64(g.den))
			checkRate(t, narrow, n, p)
			checkRate(t, wide, n, p)
		})
	}
}

func TestBernoulliExpReference(t *testing.T) {
	a, r := NewDemo(42), reference{NewDemo(42)}
	for i := range 3000 {
		num, den := r.bits.Uint64()>>(i%64), r.bits.Uint64()>>(i/7%64)|1
		a.Uint64()
		a.Uint64()
		if got, want := a.BernoulliExp(num, den), r.exp(bigInt(num), bigInt(den), 64); got != want {
			t.Fatalf("exp(-%d/%d): got %v, want %v", num, den, got, want)
		}
		if got, want := a.Uint64(), r.bits.Uint64(); got != want {
			t.Fatalf("exp(-%d/%d): a different number of words was used", num, den)
		}
	}
}

func FuzzBernoulli(f *testing.F) {
	f.Fuzz(func(t *testing.T, nh, nl, dh, dl, w0, w1, w2 uint64) {
		num, den := uint128{nh, nl}, uint128{dh, dl}
		if den.less(num) {
			num, den = den, num
		}
		if den.isZero() {
			den.lo = 1
		}
		words := []uint64{w0, w1, w2, 0, math.MaxUint64, 0, math.MaxUint64}
		got, want := scripted(t, words...), scripted(t, words...)
		g, w := got.bernoulli128(num, den), (reference{want}).bernoulli(ratio(num.big(), den.big()))
		if g != w || got.left != want.left {
			t.Errorf("128 bits: got %v with %d bytes left, want %v with %d", g, got.left, w, want.left)
		}
		if den.hi == 0 {
			got = scripted(t, words...)
			if g := got.bernoulli(num.lo, den.lo); g != w || got.left != want.left {
				t.Errorf("64 bits: got %v with %d bytes left, want %v with %d", g, got.left, w, want.left)
			}
		}
	})
}
