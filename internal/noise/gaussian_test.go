package noise

import (
	"fmt"
	"math"
	"math/big"
	"slices"
	"testing"
)

func TestDiscreteGaussianLaw(t *testing.T) {
	s := New()
	for _, sigma := range []uint64{1, 2, 3, 10} {
		t.Run(fmt.Sprint(sigma), func(t *testing.T) {
			m := int64(4 * sigma)
			weight := func(x int64) float64 { return math.Exp(-float64(x*x) / float64(2*sigma*sigma)) }
			total, probs := 0.0, make([]float64, 2*m+3)
			for x := -20 * m; x <= 20*m; x++ {
				total += weight(x)
				probs[min(max(x, -m-1), m+1)+m+1] += weight(x)
			}
			for i := range probs {
				probs[i] /= total
			}
			checkLaw(t, cells(m, 200_000, func() int64 { return s.DiscreteGaussian(sigma) }), probs)
		})
	}
}

// At a large σ the cells of X/σ have the normal law's masses up to 2^-30 (σ = 2^33) or less,
// and the low bits are uniform up to exp(-2π²σ²/2^16).
func TestDiscreteGaussianLargeSigma(t *testing.T) {
	s := New()
	cell, normal := normalCells()
	low := make([]float64, 256)
	for i := range low {
		low[i] = 1.0 / 256
	}
	for _, sigma := range []uint64{1<<33 + 12345, 1 << 40, MaxSigma} {
		t.Run(fmt.Sprint(sigma), func(t *testing.T) {
			counts, bits := make([]int, len(normal)), make([]int, 256)
			for range 200_000 {
				x := s.DiscreteGaussian(sigma)
				counts[cell(float64(x)/float64(sigma))]++
				bits[byte(x)]++
			}
			checkLaw(t, counts, normal)
			checkLaw(t, bits, low)
		})
	}
}

// TestDiscreteGaussianMoments bounds three moments of Z = X/σ at σ = 2^40, where the law is
// normal up to 1e-12 in every moment used. With p = falseAlarm and x = log(2/p) or so:
//   - mean: Z is 1-sub-Gaussian, |mean| ≤ sqrt(2 log(2/p)/n);
//   - variance: Σ Z² is χ²_n (Laurent and Massart 2000, Lemma 1);
//   - fourth moment: |Z| ≤ B for all draws but for a probability p/2, and then Bernstein with
//     variance ≤ 96 and range B⁴.
func TestDiscreteGaussianMoments(t *testing.T) {
	const n, sigma = 1_000_000, 1 << 40
	s := New()
	var m1, m2, m4 float64
	for range n {
		z := float64(s.DiscreteGaussian(sigma)) / sigma
		m1 += z / n
		m2 += z * z / n
		m4 += z * z * z * z / n
	}
	x := math.Log(2 / falseAlarm)
	if tol := math.Sqrt(2 * x / n); !(math.Abs(m1) <= tol) {
		t.Errorf("mean %v, want 0 ± %v", m1, tol)
	}
	if tol := 2*math.Sqrt(x/n) + 2*x/n; !(math.Abs(m2-1) <= tol) {
		t.Errorf("variance %v, want 1 ± %v", m2, tol)
	}
	b := math.Sqrt(2 * math.Log(4*n/falseAlarm))
	x = math.Log(4 / falseAlarm)
	bx := math.Pow(b, 4) * x / 3
	if tol := (bx + math.Sqrt(bx*bx+2*n*96*x)) / n; !(math.Abs(m4-3) <= tol) || tol > 0.2 {
		t.Errorf("fourth moment %v, want 3 ± %v", m4, tol)
	}
}

func TestDiscreteGaussianReference(t *testing.T) {
	for _, sigma := range []uint64{1, 2, 3, 1000, 1<<32 + 1, 1 << 40, MaxSigma - 1, MaxSigma} {
		t.Run(fmt.Sprint(sigma), func(t *testing.T) {
			s, r := NewDemo(61), reference{NewDemo(61)}
			for i := range 1500 {
				if got, want := s.DiscreteGaussian(sigma), r.gaussian(sigma); got != want {
					t.Fatalf("draw %d: got %d, want %d", i, got, want)
				}
			}
			if s.Uint64() != r.bits.Uint64() {
				t.Error("a different number of words was used")
			}
		})
	}
}

// The largest magnitudes, by scripts of extreme words. A word 0 makes Bernoulli(p) true for
// every p > 0, and the largest word makes it false for every p ≤ 1/2.
func TestSamplesAtTheLimit(t *testing.T) {
	const no = math.MaxUint64
	words := func(parts ...[]uint64) []uint64 { return slices.Concat(parts...) }
	expOne := func(n int) []uint64 { return slices.Repeat([]uint64{0, no}, n) } // n successes of exp(-1)
	half := uint64(1) << 63
	var farAway []uint64 // exp(-32/2) and exp(-0), 32 times, and exp(-0)
	for range 32 {
		farAway = words(farAway, expOne(16), []uint64{no}, []uint64{no})
	}
	farAway = append(farAway, no)
	tests := []struct {
		name  string
		draw  func(*Source) int64
		words []uint64
		want  int64
	}{
		{
			// u = σ/2 costs Bernoulli(exp(-1/2)); with v = 31 y = 31.5σ and the acceptance probability is exp(-30.5²/2) = exp(-465.125).
			"Gaussian", func(s *Source) int64 { return s.DiscreteGaussian(MaxSigma) },
			words([]uint64{half, no}, expOne(31), []uint64{no}, []uint64{1}),
			-(31<<57 + 1<<56),
		},
		{
			// u = 0, v = 33 gives y = 33σ > 2^62, which is accepted with exp(-32²/2), as 32 times 16 factors exp(-1) and one of exp(-0), and held.
			"Gaussian beyond", func(s *Source) int64 { return s.DiscreteGaussian(MaxSigma) },
			words([]uint64{0, no}, expOne(33), []uint64{no}, []uint64{0}, farAway),
			maxNoise,
		},
		{
			// The same noise added: where it is beyond the range of sums, the sum no longer shows.
			"Gaussian added", func(s *Source) int64 {
				sums := []int64{1 << 61}
				AddGaussian(s, sums, MaxSigma)
				return sums[0]
			},
			words([]uint64{0, no}, expOne(33), []uint64{no}, []uint64{1}, farAway),
			1<<61 - 33<<57,
		},
		{
			"Gaussian added at the end", func(s *Source) int64 {
				sums := []int64{1 << 61}
				AddGaussian(s, sums, MaxSigma)
				return sums[0]
			},
			words([]uint64{0, no}, expOne(33), []uint64{no}, []uint64{0}, farAway),
			maxSum,
		},
		{
			"Laplace", func(s *Source) int64 { return s.DiscreteLaplace(MaxLaplaceScale, 1) },
			words([]uint64{half, no}, expOne(511), []uint64{no}, []uint64{0}),
			511<<53 + 1<<52,
		},
		{
			// num·v = 2^53·512 = 2^62 is held.
			"Laplace beyond", func(s *Source) int64 { return s.DiscreteLaplace(MaxLaplaceScale, 1) },
			words([]uint64{0, no}, expOne(512), []uint64{no}, []uint64{0}),
			maxNoise,
		},
		{
			// The quotient exceeds 64 bits when v = 2^11 with num/den = 2^53.
			"Laplace of a rational scale", func(s *Source) int64 { return s.DiscreteLaplace(1<<63, 1<<10) },
			words([]uint64{0, no}, expOne(1<<11), []uint64{no}, []uint64{half}),
			maxNoise,
		},
		{
			// Where the noise is held the sum no longer shows.
			"Laplace added", func(s *Source) int64 {
				sums := []int64{1 << 60}
				AddLaplace(s, sums, MaxLaplaceScale)
				return sums[0]
			},
			words([]uint64{0, no}, expOne(512), []uint64{no}, []uint64{1}),
			-1 << 61,
		},
	}
	tests[0].words = append(tests[0].words, words(expOne(465), []uint64{no})...)
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			script := &longScript{t: t, words: tt.words}
			if got := tt.draw(&Source{demo: script}); got != tt.want {
				t.Errorf("got %d, want %d", got, tt.want)
			}
		})
	}
}

func TestAddGaussian(t *testing.T) {
	start := []int64{0, 5, -7, 1 << 61, 1 << 62, -1 << 62, math.MaxInt64, math.MinInt64}
	clamped := []int64{0, 5, -7, 1 << 61, 1 << 62, -1 << 62, 1 << 62, -1 << 62}
	for _, sigma := range []uint64{1, 1 << 40, MaxSigma} {
		t.Run(fmt.Sprint(sigma), func(t *testing.T) {
			sums, twin := slices.Clone(start), NewDemo(71)
			AddGaussian(NewDemo(71), sums, sigma)
			for i, sum := range sums {
				if want := min(max(clamped[i]+twin.DiscreteGaussian(sigma), -maxSum), maxSum); sum != want {
					t.Errorf("sum %d: got %d, want %d", i, sum, want)
				}
			}
		})
	}
}

// TestWideNoise: sums with noise of any size are those of unbounded integers, floored and clamped, also where no word holds the noise.
func TestWideNoise(t *testing.T) {
	sums := []int64{0, 1, -1, 12345, 1<<61 + 7, 1<<62 - 1, 1 << 62, -1 << 62}
	sizes := []uint128{{0, 0}, {0, 1}, {0, 1 << 20}, {0, 1<<62 - 1}, {0, 1 << 62}, {0, 1<<63 - 1}, {0, 1 << 63}, {0, math.MaxUint64}, {1, 0}, {1, 1}, {1<<56 + 5, 77}, {1<<57 - 1, math.MaxUint64}}
	for _, finer := range []int{0, 1, 17, 56, 63} {
		for _, size := range sizes {
			for _, negative := range []bool{false, true} {
				x := new(big.Int).SetUint64(size.hi)
				x.Add(x.Lsh(x, 64), new(big.Int).SetUint64(size.lo))
				if negative {
					x.Neg(x)
				}
				x.Rsh(x, uint(finer)) // towards -∞
				for _, sum := range sums {
					want := new(big.Int).Add(x, big.NewInt(sum))
					if end := big.NewInt(maxSum); want.CmpAbs(end) > 0 {
						want.Mul(end, big.NewInt(int64(want.Sign())))
					}
					if got := addHeld(sum, size.floored(negative, finer)); got != want.Int64() {
						t.Fatalf("%d + (%v, negative %t) on a grid finer by %d: got %d, want %v", sum, size, negative, finer, got, want)
					}
				}
			}
		}
	}
}

// TestGaussianTV compares the bound with the distance itself, summed numerically.
func TestGaussianTV(t *testing.T) {
	for _, sigma := range []uint64{1, 2, 3, 10, 50} {
		t.Run(fmt.Sprint(sigma), func(t *testing.T) {
			total, m := 0.0, int64(12*sigma)
			for x := -m; x <= m; x++ {
				total += math.Exp(-float64(x*x) / float64(2*sigma*sigma))
			}
			tv := 0.0
			for x := -m; x <= m; x++ {
				z := math.Abs(float64(x))
				q := normalCDF(-(z-0.5)/float64(sigma)) - normalCDF(-(z+0.5)/float64(sigma))
				tv += math.Abs(math.Exp(-z*z/float64(2*sigma*sigma))/total-q) / 2
			}
			bound := GaussianTV(sigma)
			if most := tv * (1.05 + 2.5/float64(sigma)); !(tv <= bound) || !(bound <= most) {
				t.Errorf("bound %v, distance %v, want the bound between that and %v", bound, tv, most)
			}
		})
	}
	if got := GaussianTV(0); got != 1 {
		t.Errorf("σ = 0: got %v, want 1", got)
	}
	if got := GaussianTV(MaxSigma); !(got > 0 && got < 1e-35) {
		t.Errorf("σ = 2^57: got %v, want about 1e-36", got)
	}
	for sigma := uint64(1); sigma < MaxSigma; sigma *= 2 {
		if !(GaussianTV(2*sigma) < GaussianTV(sigma)) {
			t.Errorf("GaussianTV does not decrease from σ = %d", sigma)
		}
	}
}

func FuzzDiscreteGaussian(f *testing.F) {
	f.Fuzz(func(t *testing.T, seed, sigma uint64) {
		sigma = sigma%MaxSigma + 1
		s, r := NewDemo(seed), reference{NewDemo(seed)}
		for i := range 20 {
			got, want := s.DiscreteGaussian(sigma), r.gaussian(sigma)
			if got != want || got > maxNoise || got < -maxNoise {
				t.Fatalf("σ = %d, draw %d: got %d, want %d", sigma, i, got, want)
			}
		}
	})
}
