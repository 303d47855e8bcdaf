package noise

import (
	"math"
	"math/big"
	"testing"

	"github.com/dpkit-go/dpnb/internal/single"
)

func (a uint128) big() *big.Int {
	x := new(big.Int).Lsh(bigInt(a.hi), 64)
	return x.Or(x, bigInt(a.lo))
}

func TestUint128(t *testing.T) {
	single.Goroutine(t)
	s := NewDemo(31)
	words := []uint64{0, 1, 2, 1<<32 - 1, 1 << 63, math.MaxUint64 - 1, math.MaxUint64}
	draw := func(i int) uint64 {
		if i%3 == 0 {
			return words[s.Uint64n(uint64(len(words)))]
		}
		return s.Uint64() >> s.Uint64n(64)
	}
	two128 := new(big.Int).Lsh(big.NewInt(1), 128)
	for i := range 30_000 {
		a, b, x := uint128{draw(i), draw(i + 1)}, uint128{draw(i + 2), draw(i)}, draw(i+1)
		diff, borrow := a.sub(b)
		wantDiff := new(big.Int).Sub(a.big(), b.big())
		if borrow != (wantDiff.Sign() < 0) || diff.big().Cmp(wantDiff.Mod(wantDiff, two128)) != 0 {
			t.Fatalf("%v - %v: got %v, %v", a, b, diff, borrow)
		}
		if a.less(b) != (a.big().Cmp(b.big()) < 0) {
			t.Fatalf("%v < %v: got %v", a, b, a.less(b))
		}
		if a.isZero() != (a.big().Sign() == 0) {
			t.Fatalf("isZero(%v): got %v", a, a.isZero())
		}
		top, low := a.mul64(x)
		got := new(big.Int).Lsh(bigInt(top), 128)
		if want := new(big.Int).Mul(a.big(), bigInt(x)); got.Or(got, low.big()).Cmp(want) != 0 {
			t.Fatalf("%v · %d: got %v, want %v", a, x, got, want)
		}
		if want := new(big.Int).Mul(bigInt(x), bigInt(x)); square(x).big().Cmp(want) != 0 {
			t.Fatalf("%d²: got %v", x, square(x))
		}
		half := uint128{a.hi >> 1, a.lo}
		if want := new(big.Int).Lsh(half.big(), 1); half.double().big().Cmp(want) != 0 {
			t.Fatalf("2·%v: got %v", half, half.double())
		}
	}
}
