package noise

import (
	"fmt"
	"testing"
)

func BenchmarkUint64(b *testing.B) {
	s := New()
	b.SetBytes(8)
	for b.Loop() {
		s.Uint64()
	}
}

func BenchmarkRekey(b *testing.B) {
	s := New()
	for b.Loop() {
		s.Rekey()
		s.Uint64()
	}
}

func BenchmarkNormal(b *testing.B) {
	s := New()
	for b.Loop() {
		s.Normal()
	}
}

func BenchmarkDiscreteGaussian(b *testing.B) {
	for _, sigma := range []uint64{1, 1e3, 1 << 40, MaxSigma} {
		b.Run(fmt.Sprintf("sigma=%d", sigma), func(b *testing.B) {
			s := New()
			for b.Loop() {
				s.DiscreteGaussian(sigma)
			}
		})
	}
}

func BenchmarkDiscreteLaplace(b *testing.B) {
	for _, t := range []struct{ num, den uint64 }{{1, 1}, {7, 3}, {1000, 1}, {1 << 40, 1}} {
		b.Run(fmt.Sprintf("scale=%d:%d", t.num, t.den), func(b *testing.B) {
			s := New()
			for b.Loop() {
				s.DiscreteLaplace(t.num, t.den)
			}
		})
	}
}

func BenchmarkAddGaussian(b *testing.B) {
	for _, d := range []int{1, 1000} {
		b.Run(fmt.Sprintf("d=%d", d), func(b *testing.B) {
			s, sums := New(), make([]int64, d)
			for b.Loop() {
				AddGaussian(s, sums, 1<<40)
			}
		})
	}
}
