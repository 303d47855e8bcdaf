package noise

import (
	"fmt"
	"math"
	"testing"
)

// cells counts draws of an integer law on -m, …, m with a tail at both ends.
func cells(m int64, n int, draw func() int64) []int {
	counts := make([]int, 2*m+3)
	for range n {
		counts[min(max(draw(), -m-1), m+1)+m+1]++
	}
	return counts
}

func TestDiscreteLaplaceLaw(t *testing.T) {
	s := New()
	for _, scale := range []struct {
		num, den uint64
		m        int64
	}{{1, 3, 3}, {1, 1, 8}, {7, 3, 18}, {10, 1, 40}, {1 << 60, 1 << 58, 30}, {math.MaxUint64, math.MaxUint64 / 2, 15}} {
		t.Run(fmt.Sprintf("%d over %d", scale.num, scale.den), func(t *testing.T) {
			q := math.Exp(-float64(scale.den) / float64(scale.num))
			probs := make([]float64, 2*scale.m+3)
			for x := -scale.m; x <= scale.m; x++ {
				probs[x+scale.m+1] = (1 - q) / (1 + q) * math.Pow(q, math.Abs(float64(x)))
			}
			tail := math.Pow(q, float64(scale.m+1)) / (1 + q)
			probs[0], probs[len(probs)-1] = tail, tail
			checkLaw(t, cells(scale.m, 200_000, func() int64 { return s.DiscreteLaplace(scale.num, scale.den) }), probs)
		})
	}
}

// At a large scale |X|/t has the cells of an exponential law, up to 2^-40.
func TestDiscreteLaplaceLargeScale(t *testing.T) {
	s := New()
	for _, scale := range []struct{ num, den uint64 }{{1 << 40, 1}, {1 << 60, 1 << 10}, {MaxLaplaceScale, 1}} {
		t.Run(fmt.Sprintf("%d over %d", scale.num, scale.den), func(t *testing.T) {
			unit := float64(scale.num) / float64(scale.den)
			counts, probs := make([]int, 41), make([]float64, 41) // quarters of t up to 5t, then the tail, by sign
			for i := range 20 {
				p := (math.Exp(-float64(i)/4) - math.Exp(-float64(i+1)/4)) / 2
				probs[2*i], probs[2*i+1] = p, p
			}
			probs[40] = math.Exp(-5)
			for range 200_000 {
				x := float64(s.DiscreteLaplace(scale.num, scale.den)) / unit
				i := 2 * int(math.Abs(x)*4)
				if x < 0 {
					i++
				}
				counts[min(i, 40)]++
			}
			checkLaw(t, counts, probs)
		})
	}
}

func TestDiscreteLaplaceReference(t *testing.T) {
	for _, scale := range []struct{ num, den uint64 }{
		{1, 1},
		{1, 1000},
		{7, 3},
		{1e6, 1},
		{MaxLaplaceScale, 1},
		{math.MaxUint64, 1 << 11},
		{math.MaxUint64, math.MaxUint64},
	} {
		t.Run(fmt.Sprintf("%d over %d", scale.num, scale.den), func(t *testing.T) {
			s, r := NewDemo(51), reference{NewDemo(51)}
			for i := range 1000 {
				if got, want := s.DiscreteLaplace(scale.num, scale.den), r.laplace(scale.num, scale.den); got != want {
					t.Fatalf("draw %d: got %d, want %d", i, got, want)
				}
			}
			if s.Uint64() != r.bits.Uint64() {
				t.Error("a different number of words was used")
			}
		})
	}
}

// The tails that are cut off weigh no more than TruncationTV: in natural logarithms, at the
// largest scale and where MaxLaplaceScale makes them largest.
func TestTruncationTV(t *testing.T) {
	limit := math.Log(TruncationTV)
	// P(|X| ≥ m) = 2 exp(-m/t)/(1+exp(-1/t)), m = 2^62.
	for _, scale := range []float64{1, 1 << 30, 1 << 52, MaxLaplaceScale} {
		if tail := math.Log(2) - 0x1p62/scale - math.Log1p(math.Exp(-1/scale)); !(tail <= limit) {
			t.Errorf("Laplace, scale %v: tail exp(%v), want ≤ exp(%v)", scale, tail, limit)
		}
	}
	for _, sigma := range []float64{1, 1 << 30, 1 << 56, MaxSigma} {
		z := (0x1p62 - 1) / sigma
		if tail := math.Log(2) - z*z/2 - math.Log(z*math.Sqrt(2*math.Pi)); !(tail <= limit) {
			t.Errorf("Gaussian, σ = %v: tail exp(%v), want ≤ exp(%v)", sigma, tail, limit)
		}
	}
}

func TestAddLaplace(t *testing.T) {
	g, scale, err := NewLaplaceGrid(3.5, 100)
	if err != nil || float64(scale)*g.Step() != 3.5 || scale > MaxLaplaceScale || 100/g.Step() > 1<<59 {
		t.Fatalf("grid %v, scale %d, %v", g, scale, err)
	}
	// A sum far beyond the grid is clamped, and so is what comes out.
	for _, scale := range []uint64{1, MaxLaplaceScale} {
		sums := []int64{math.MinInt64, -1 << 60, 0, 1 << 60, math.MaxInt64}
		AddLaplace(New(), sums, scale)
		for i, want := range []float64{-0x1p60, -0x1p60, 0, 0x1p60, 0x1p60} {
			// The noise passes 64 scales with probability e^-64.
			if d := math.Abs(float64(sums[i]) - want); !(d <= 64*float64(scale)) {
				t.Errorf("scale %d: sum %d is %d, %v away", scale, i, sums[i], d)
			}
		}
	}
	for _, scale := range []uint64{0, MaxLaplaceScale + 1} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("scale %d: no panic", scale)
				}
			}()
			AddLaplace(New(), []int64{1}, scale)
		}()
	}
	for _, c := range [][2]float64{{0, 1}, {math.NaN(), 1}, {1, math.Inf(1)}, {math.Inf(1), 1}, {math.MaxFloat64, 1}} {
		if _, _, err := NewLaplaceGrid(c[0], c[1]); err == nil {
			t.Errorf("scale %v, sums %v: no error", c[0], c[1])
		}
	}
}

// Geometric noise is the sampler's at a scale in units of 2^-32, clamped as Laplace noise is.
func TestAddGeometric(t *testing.T) {
	s, want := NewDemo(5), NewDemo(5)
	want.Rekey()
	sums := []int64{7, -3, 0}
	AddGeometric(s, sums, 3*GeometricUnit/2)
	for i, from := range []int64{7, -3, 0} {
		if x := from + want.DiscreteLaplace(3*GeometricUnit/2, GeometricUnit); sums[i] != x {
			t.Errorf("sum %d: got %d, want %d", i, sums[i], x)
		}
	}
	const m = 5
	q := math.Exp(-2)
	probs := make([]float64, 2*m+3)
	for x := -m; x <= m; x++ {
		probs[x+m+1] = (1 - q) / (1 + q) * math.Pow(q, math.Abs(float64(x)))
	}
	probs[0] = math.Pow(q, m+1) / (1 + q)
	probs[len(probs)-1] = probs[0]
	checkLaw(t, cells(m, 100_000, func() int64 {
		x := []int64{0}
		AddGeometric(s, x, GeometricUnit/2)
		return x[0]
	}), probs)
	for _, units := range []uint64{0, 1<<53 + 1} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("scale %d: no panic", units)
				}
			}()
			AddGeometric(s, []int64{0}, units)
		}()
	}
}
