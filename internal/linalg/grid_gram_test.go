package linalg

import (
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
)

// gridNumbers are rows of numbers of size at most 1: any, of few bits, whose products lie between multiples of the grid, of very different
// sizes, at the bound, and with zeros.
func gridNumbers(rng *rand.Rand) map[string]func() float64 {
	return map[string]func() float64{
		"any": func() float64 { return 2*rng.Float64() - 1 },
		"between": func() float64 {
			return math.Ldexp(float64(2*rng.IntN(8)+1), -[]int{5, 40, 23, 22}[rng.IntN(4)]) * float64(1-2*rng.IntN(2))
		},
		"ties":  func() float64 { return []float64{0x1p-22, 0x1p-23, 0.5, -0.5, 1.5 * 0x1p-23}[rng.IntN(5)] },
		"sizes": func() float64 { return math.Ldexp(rng.Float64()-0.5, -rng.IntN(80)) },
		"bound": func() float64 { return float64(1 - 2*rng.IntN(2)) },
		"one":   func() float64 { return 1 },
		"zeros": func() float64 { return float64(rng.IntN(3)/2) * rng.Float64() },
		"least": func() float64 { return math.Float64frombits(rng.Uint64N(3)) },
	}
}

// onGrid is the sum of products, each rounded to a multiple of g, in 300 bits.
func onGrid(x []float64, rows, cols int, g float64) []float64 {
	out := make([]float64, cols*cols)
	last := func(v float64) *big.Float {
		if v != 0 {
			v = math.Float64frombits(math.Float64bits(v) | 1)
		}
		return new(big.Float).SetPrec(300).SetFloat64(v)
	}
	step, half := new(big.Float).SetFloat64(g), new(big.Float).SetFloat64(0.5)
	for i := range cols {
		for j := i; j < cols; j++ {
			sum := new(big.Int)
			for r := range rows {
				p := new(big.Float).SetPrec(300).Mul(last(x[r*cols+i]), last(x[r*cols+j]))
				p.Quo(p, step)
				if p.Sign() < 0 {
					p.Sub(p, half)
				} else {
					p.Add(p, half)
				}
				q, _ := p.Int(nil) // towards 0
				sum.Add(sum, q)
			}
			v, _ := new(big.Float).SetPrec(300).Mul(new(big.Float).SetInt(sum), step).Float64()
			out[i*cols+j] = v
		}
	}
	return out
}

// TestGridGram: every product rounded to the grid, on every processor, in any order of rows, and however they were parted into sums that merged,
// were written and read; within its bound.
func TestGridGram(t *testing.T) {
	everyISA(t, func(t *testing.T, _ isa) {
		rng := shapeRNG(71)
		for name, draw := range gridNumbers(rng) {
			for _, shape := range [][2]int{{0, 2}, {1, 1}, {127, 3}, {129, 9}, {700, 4}, {300, 27}, {1500, 2}} {
				rows, cols := shape[0], shape[1]
				bound := []float64{1, 1.4142135623730951, 0x1.fffffffffffffp0}[rng.IntN(3)]
				x := make([]float64, rows*cols)
				for i := range x {
					x[i] = draw() * bound
				}
				want := onGrid(x, rows, cols, gridOf(bound))
				var raw []byte
				for range 3 {
					parts := make([]*GridGram, 1+rng.IntN(9))
					for k := range parts {
						parts[k] = mustGrid(t, cols, bound)
					}
					for _, r := range rng.Perm(rows) {
						if err := parts[rng.IntN(len(parts))].Add(x[r*cols:(r+1)*cols], 1, cols); err != nil {
							t.Fatal(err)
						}
					}
					all := mustGrid(t, cols, bound)
					for _, p := range parts {
						read := mustGrid(t, cols, bound)
						if err := errors.Join(read.UnmarshalBinary(p.AppendBinary(nil)), read.Merge(all)); err != nil {
							t.Fatal(err)
						}
						all = read
					}
					got := make([]float64, cols*cols)
					if err := all.Upper(got); err != nil {
						t.Fatal(err)
					}
					if !slices.Equal(got, want) {
						t.Fatalf("%s, %d×%d: got %v, want %v", name, rows, cols, got, want)
					}
					if b := all.AppendBinary(nil); raw == nil {
						raw = b
					} else if !slices.Equal(b, raw) {
						t.Fatalf("%s, %d×%d: equal sums are written in two ways", name, rows, cols)
					}
				}
				whole := mustGrid(t, cols, bound)
				got := make([]float64, cols*cols)
				if err := errors.Join(whole.Add(x, rows, cols), whole.Upper(got)); err != nil || !slices.Equal(got, want) {
					t.Fatalf("%s, %d×%d, in one block: got %v (%v), want %v", name, rows, cols, got, err, want)
				}
			}
		}
	})
}

func mustGrid(t *testing.T, cols int, bound float64) *GridGram {
	t.Helper()
	s, err := NewGridGram(cols, bound)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestGridGramWithinBound: against exact products of rows of norm at most the bound, whose products lie as far from the grid as they can.
func TestGridGramWithinBound(t *testing.T) {
	rng := shapeRNG(72)
	worst := 0.0
	for _, shape := range [][2]int{{64, 1}, {200, 4}, {100, 16}, {30, 50}} {
		rows, cols := shape[0], shape[1]
		bound := math.Nextafter(math.Sqrt2, 2) // the grid is coarsest for its square just above a power of two
		x := make([]float64, rows*cols)
		for i := range rows {
			row := x[i*cols : (i+1)*cols]
			scale := bound / math.Sqrt(float64(cols)) * (1 - 0x1p-40)
			for j := range row {
				row[j] = scale
				if i%2 == 0 {
					row[j] = math.Ldexp(math.Floor(math.Ldexp(scale, 22)), -22) * (1 - 0x1p-30*rng.Float64())
				}
			}
		}
		s, got := mustGrid(t, cols, bound), make([]float64, cols*cols)
		if err := errors.Join(s.Add(x, rows, cols), s.Upper(got)); err != nil {
			t.Fatal(err)
		}
		exact, _ := exactGram(x, rows, cols, cols)
		var off float64
		for i := range cols {
			for j := i; j < cols; j++ {
				e, _ := new(big.Float).Sub(exact[i*cols+j], new(big.Float).SetFloat64(got[i*cols+j])).Float64()
				off = math.Hypot(off, e)
				if j > i {
					off = math.Hypot(off, e)
				}
			}
		}
		worst = max(worst, off/(GridGramRounding(cols)*float64(rows)*bound*bound))
	}
	if !(worst <= 1) || worst < 0.1 {
		t.Errorf("the largest error is %g of its bound, want it at most 1, and near", worst)
	}
}

// TestGridGramBeyond: numbers beyond the bound count as the bound and what is none as 0, in any order.
func TestGridGramBeyond(t *testing.T) {
	everyISA(t, func(t *testing.T, _ isa) {
		odd := math.Nextafter(1, 2)
		for _, c := range []struct{ in, as float64 }{{math.NaN(), 0}, {math.Inf(-1), -odd}, {7, odd}, {math.Nextafter(1, 2), odd}, {1, odd}, {0, 0}} {
			x := make([]float64, 2*300)
			for i := range 300 {
				x[2*i], x[2*i+1] = c.in, 0.5
			}
			got, s := make([]float64, 4), mustGrid(t, 2, 1)
			if err := errors.Join(s.Add(x, 300, 2), s.Upper(got)); err != nil {
				t.Fatal(err)
			}
			if want := 300 * c.as * 0.5; math.Abs(got[1]-want) > 1e-9 || math.Abs(got[0]-300*c.as*c.as) > 1e-9 || got[3] == 0 {
				t.Errorf("%g: got %v", c.in, got)
			}
		}
	})
}

// TestGridGramGarbage: other sums are refused.
func TestGridGramGarbage(t *testing.T) {
	s := mustGrid(t, 3, 1)
	b := s.AppendBinary(nil)
	for n := range b {
		if err := mustGrid(t, 3, 1).UnmarshalBinary(b[:n]); !errors.Is(err, ErrShape) {
			t.Fatalf("%d of %d bytes: got %v, want ErrShape", n, len(b), err)
		}
	}
	for name, other := range map[string]*GridGram{"columns": mustGrid(t, 2, 1), "grid": mustGrid(t, 3, 4)} {
		if err := other.UnmarshalBinary(b); !errors.Is(err, ErrShape) {
			t.Errorf("other %s: got %v, want ErrShape", name, err)
		}
		if err := other.Merge(s); !errors.Is(err, ErrShape) {
			t.Errorf("other %s: merge: got %v, want ErrShape", name, err)
		}
	}
	if err := s.Merge(s); !errors.Is(err, ErrShape) {
		t.Errorf("merge with itself: got %v, want ErrShape", err)
	}
	for _, bad := range []float64{0, -1, math.NaN(), math.Inf(1), 1e101} {
		if _, err := NewGridGram(2, bad); !errors.Is(err, ErrShape) {
			t.Errorf("bound %g: got %v, want ErrShape", bad, err)
		}
	}
}

func BenchmarkGridGram(b *testing.B) {
	for _, cols := range []int{5, 20, 100, 400} {
		const rows = 1024
		x := make([]float64, rows*cols)
		rng := shapeRNG(73)
		for i := range x {
			x[i] = 2*rng.Float64() - 1
		}
		b.Run("grid", func(b *testing.B) {
			s, err := NewGridGram(cols, 1)
			for b.Loop() {
				err = errors.Join(err, s.Add(x, rows, cols))
			}
			if err != nil {
				b.Fatal(err)
			}
		})
		b.Run("tree", func(b *testing.B) {
			s := newGram(cols)
			for b.Loop() {
				s.add(x, rows, cols)
			}
		})
	}
}

// TestGridGramHostile: what is no number, beyond the bound, or subnormal counts alike on every processor, at the ends of the range of bounds, for every
// tail and stride; nothing behind the last cell is read.
func TestGridGramHostile(t *testing.T) {
	want := map[string][]float64{}
	everyISA(t, func(t *testing.T, s isa) {
		for _, bound := range []float64{1e-100, 1, 0x1.fffffffffffffp0, 1e100} {
			hostile := []float64{
				math.NaN(), math.Copysign(math.NaN(), -1), math.Inf(1), math.Inf(-1), math.MaxFloat64, math.SmallestNonzeroFloat64, -math.SmallestNonzeroFloat64,
				math.Copysign(0, -1), 0, bound, -bound, 2 * bound, math.Nextafter(bound, 0), bound * 0x1p-22, 0x1p-1040,
			}
			for cols := 1; cols <= 27; cols++ {
				rng := rand.New(rand.NewPCG(uint64(cols), 7))
				rows, stride := 1+rng.IntN(200), cols+rng.IntN(3)
				x := guarded(make([]float64, (rows-1)*stride+cols))
				for i := range x {
					if x[i] = (2*rng.Float64() - 1) * bound; rng.IntN(3) == 0 {
						x[i] = hostile[rng.IntN(len(hostile))]
					}
				}
				sum, got := mustGrid(t, cols, bound), make([]float64, cols*cols)
				if err := errors.Join(sum.Add(x, rows, stride), sum.Upper(got)); err != nil {
					t.Fatal(err)
				}
				for _, v := range got {
					if !(math.Abs(v) <= float64(rows)*bound*bound*(1+1e-9)) {
						t.Fatalf("%v, bound %g, %d×%d: an entry is %g", s, bound, rows, cols, v)
					}
				}
				name := fmt.Sprint(bound, cols)
				if want[name] == nil {
					want[name] = got
				} else if !slices.Equal(got, want[name]) {
					t.Fatalf("%v, bound %g, %d×%d: other bits than on other processors", s, bound, rows, cols)
				}
			}
		}
	})
}
