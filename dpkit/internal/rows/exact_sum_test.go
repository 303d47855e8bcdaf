package rows

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// nearest is the number nearest to the sum, computed with enough bits for any.
func nearest(x []float64) float64 {
	sum := new(big.Float).SetPrec(2400)
	for _, v := range x {
		sum.Add(sum, new(big.Float).SetPrec(2400).SetFloat64(v))
	}
	out, _ := sum.Float64()
	return out
}

// hostileNumbers are of one size, of all sizes, with ties, with what cancels, denormal, and at the ends of the range.
func hostileNumbers(r *rand.Rand) map[string]func() float64 {
	any := func() float64 {
		for {
			if v := math.Float64frombits(r.Uint64()); v-v == 0 {
				return v
			}
		}
	}
	var last []float64
	return map[string]func() float64{
		"normal":    r.NormFloat64,
		"any":       any,
		"ties":      func() float64 { return math.Ldexp(float64(r.IntN(7)-3), []int{0, 53, -1, 106}[r.IntN(4)]) },
		"denormal":  func() float64 { return math.Float64frombits(r.Uint64()&(1<<52-1) | r.Uint64()&(1<<63)) },
		"one sign":  func() float64 { return math.Nextafter(1+r.Float64(), 3) },
		"minus one": func() float64 { return -math.Ldexp(1, r.IntN(200)-100) },
		"largest":   func() float64 { return math.MaxFloat64 / float64(int(1)<<r.IntN(30)) * float64(1-2*r.IntN(2)) / 4096 },
		"cancel": func() float64 {
			if len(last) > 0 && r.IntN(2) == 0 {
				v := last[len(last)-1]
				last = last[:len(last)-1]
				return -v
			}
			v := math.Ldexp(r.NormFloat64(), r.IntN(400)-200)
			last = append(last, v)
			return v
		},
	}
}

// TestExactSum: the nearest number, in any order, and however sums were parted, written, read and merged.
func TestExactSum(t *testing.T) {
	r := rand.New(rand.NewPCG(31, 32))
	for name, draw := range hostileNumbers(r) {
		for _, n := range []int{0, 1, 2, 3, 17, 600, 1500} {
			x := make([]float64, n)
			for i := range x {
				x[i] = draw()
			}
			want := nearest(x)
			var raw string
			for range 4 {
				r.Shuffle(n, func(i, j int) { x[i], x[j] = x[j], x[i] })
				sums := make([][]ExactSum, 1+r.IntN(5))
				for k := range sums {
					sums[k] = make([]ExactSum, 1)
				}
				for rest := x; len(rest) > 0; {
					to := &sums[r.IntN(len(sums))][0]
					if n := min(r.IntN(2*stripRows), stripRows, len(rest)); n > 1 {
						to.addEach(rest[:n], 1)
						rest = rest[n:]
						continue
					}
					to.Add(rest[0])
					rest = rest[1:]
				}
				all := make([]ExactSum, 1)
				for _, s := range sums {
					read := make([]ExactSum, 1)
					if err := ReadState(stateOf(func(c *Coder) { c.Exact(read) }), must(WriteState(stateOf(func(c *Coder) { c.Exact(s) })))); err != nil {
						t.Fatal(err)
					}
					all[0].Merge(read[0])
				}
				if got := all[0].Sum(); math.Float64bits(got) != math.Float64bits(want) && !(got == 0 && want == 0) {
					t.Fatalf("%s, %d numbers: got %v, want %v", name, n, got, want)
				}
				written := string(must(WriteState(stateOf(func(c *Coder) { c.Exact(all) }))))
				if raw == "" {
					raw = written
				}
				if written != raw {
					t.Fatalf("%s, %d numbers: equal sums are written in two ways", name, n)
				}
			}
		}
	}
}

// TestExactSumSpecial: what is no number shows, in any order.
func TestExactSumSpecial(t *testing.T) {
	for _, c := range []struct {
		in   []float64
		want float64
	}{
		{[]float64{1, math.Inf(1), 2}, math.Inf(1)},
		{[]float64{math.Inf(-1), 1}, math.Inf(-1)},
		{[]float64{math.Inf(1), math.Inf(-1)}, math.NaN()},
		{[]float64{1, math.NaN()}, math.NaN()},
		{[]float64{math.MaxFloat64, math.MaxFloat64, math.MaxFloat64}, math.Inf(1)},
		{[]float64{math.MaxFloat64, math.MaxFloat64, -math.MaxFloat64}, math.MaxFloat64},
	} {
		var s ExactSum
		for _, v := range c.in {
			s.Add(v)
		}
		if got := s.Sum(); got != c.want && !(math.IsNaN(got) && math.IsNaN(c.want)) {
			t.Errorf("%v: got %v, want %v", c.in, got, c.want)
		}
	}
}

// TestExactSumGarbage: what no sum has is refused.
func TestExactSumGarbage(t *testing.T) {
	for name, words := range map[string][]uint64{
		"far places":   {1, 0, 1 << 20, 1, 1},
		"many limbs":   append([]uint64{1, 0, 1, 100}, make([]uint64, 100)...),
		"many carries": {1, 0, 1, 2, 1, 1 << 60},
		"cut":          {1, 0, 1, 2, 1},
	} {
		raw := must(WriteState(stateOf(func(c *Coder) {
			for _, v := range words {
				c.Word(v)
			}
		})))
		if ReadState(stateOf(func(c *Coder) { c.Exact(make([]ExactSum, 1)) }), raw) == nil {
			t.Errorf("%s: was read", name)
		}
	}
}

func BenchmarkSums(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	m := tableOf(b, 1024, 20, false, func(int, int) float64 { return r.NormFloat64() })
	b.Run("moments", func(b *testing.B) {
		s := NewMoments(20, true)
		for b.Loop() {
			s.Add(m.Block(0, 1024))
		}
	})
	b.Run("sums", func(b *testing.B) {
		s := NewMoments(20, false)
		for b.Loop() {
			s.Add(m.Block(0, 1024))
		}
	})
}
