package noise

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/internal/single"
)

func TestUint64nBounds(t *testing.T) {
	const top = math.MaxUint64
	tests := []struct {
		name  string
		n     uint64
		words []uint64 // all must be consumed
		want  uint64
	}{
		{"n=1", 1, []uint64{top}, 0},
		{"n=2 low half", 2, []uint64{1<<63 - 1}, 0},
		{"n=2 high half", 2, []uint64{1 << 63}, 1},
		{"n=3 rejects product 0", 3, []uint64{0, top}, 2}, // 2^64 mod 3 = 1
		{"n=3 keeps product 3", 3, []uint64{1}, 0},
		{"n=2^63+1 rejects lo < 2^63-1", 1<<63 + 1, []uint64{0, 2, 1}, 0}, // lo = 0, 2, 2^63+1
		{"n=2^64-1", top, []uint64{0, 1}, 0},                              // lo = 0 < 1, lo = 2^64-1
		{"n=2^64-1 top", top, []uint64{top}, top - 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := scripted(t, tt.words...)
			if got := s.Uint64n(tt.n); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
			if s.left != 0 {
				t.Errorf("%d bytes were not consumed", s.left)
			}
		})
	}
}

func TestUint64nLaw(t *testing.T) {
	s := New()
	for _, n := range []uint64{2, 3, 10, 1<<63 + 1, 3 << 62, math.MaxUint64} {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			cells := min(n, 10)
			counts, probs := make([]int, cells), make([]float64, cells)
			for i := range probs {
				probs[i] = 1 / float64(cells)
			}
			width := n / cells // the last cell takes the remainder, of relative size 1e-18
			for range 100_000 {
				x := s.Uint64n(n)
				if x >= n {
					t.Fatalf("got %d, want < %d", x, n)
				}
				counts[min(x/width, cells-1)]++
			}
			checkLaw(t, counts, probs)
		})
	}
}

func TestUint64nReference(t *testing.T) {
	a, r := NewDemo(21), reference{NewDemo(21)}
	for i := range 20_000 {
		n := max(1, r.bits.Uint64()>>(i%64))
		a.Uint64()
		if got, want := a.Uint64n(n), r.uniform(bigInt(n)).Uint64(); got != want {
			t.Fatalf("n = %d: got %d, want %d", n, got, want)
		}
	}
}

func TestFloat64(t *testing.T) {
	if got := scripted(t, 0).Float64(); got != 0 {
		t.Errorf("lowest: got %v, want 0", got)
	}
	if got := scripted(t, math.MaxUint64).Float64(); got != 1-0x1p-53 {
		t.Errorf("highest: got %v, want 1-2^-53", got)
	}
	if got := scripted(t, 1<<11).Float64(); got != 0x1p-53 {
		t.Errorf("step: got %v, want 2^-53", got)
	}
	s, counts, probs := New(), make([]int, 64), make([]float64, 64)
	for i := range probs {
		probs[i] = 1.0 / 64
	}
	for range 200_000 {
		counts[int(s.Float64()*64)]++
	}
	checkLaw(t, counts, probs)
}

func TestPermLaw(t *testing.T) {
	single.Goroutine(t)
	s, index := New(), make(map[string]int)
	counts, probs := make([]int, 24), make([]float64, 24)
	for range 100_000 {
		key := fmt.Sprint(s.Perm(4))
		i, ok := index[key]
		if !ok {
			i = len(index)
			index[key] = i
		}
		counts[i]++
	}
	for i := range probs {
		probs[i] = 1.0 / 24
	}
	checkLaw(t, counts, probs)
}

func TestPermIsPermutation(t *testing.T) {
	s := New()
	for _, n := range []int{0, 1, 2, 1000} {
		p := s.Perm(n)
		slices.Sort(p)
		for i, x := range p {
			if x != i {
				t.Fatalf("n = %d: %d is missing", n, i)
			}
		}
		if len(p) != n {
			t.Errorf("got %d elements, want %d", len(p), n)
		}
	}
}

func TestInvalidParametersPanic(t *testing.T) {
	tests := []struct {
		name string
		draw func(*Source)
	}{
		{"Uint64n 0", func(s *Source) { s.Uint64n(0) }},
		{"Perm negative", func(s *Source) { s.Perm(-1) }},
		{"Shuffle negative", func(s *Source) { s.Shuffle(-1, nil) }},
		{"Bernoulli above 1", func(s *Source) { s.Bernoulli(2, 1) }},
		{"Bernoulli over 0", func(s *Source) { s.Bernoulli(0, 0) }},
		{"BernoulliExp over 0", func(s *Source) { s.BernoulliExp(1, 0) }},
		{"DiscreteLaplace scale 0", func(s *Source) { s.DiscreteLaplace(0, 1) }},
		{"DiscreteLaplace over 0", func(s *Source) { s.DiscreteLaplace(1, 0) }},
		{"DiscreteLaplace scale above 2^53", func(s *Source) { s.DiscreteLaplace(1<<53+1, 1) }},
		{"DiscreteLaplace rational scale above 2^53", func(s *Source) { s.DiscreteLaplace(1<<60+1, 1<<7) }},
		{"DiscreteGaussian 0", func(s *Source) { s.DiscreteGaussian(0) }},
		{"DiscreteGaussian above 2^57", func(s *Source) { s.DiscreteGaussian(MaxSigma + 1) }},
		{"AddGaussian 0", func(s *Source) { AddGaussian(s, nil, 0) }},
		{"AddGaussian above 2^57", func(s *Source) { AddGaussian(s, nil, MaxSigma+1) }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("no panic")
				}
			}()
			tt.draw(NewDemo(0))
		})
	}
}
