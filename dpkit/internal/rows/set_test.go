package rows

import (
	"math"
	"math/bits"
	"runtime"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/internal/noise"
	"github.com/dpkit-go/dpnb/internal/single"
)

func sizeOf(s RowSet) int {
	n := 0
	for _, word := range s {
		n += bits.OnesCount64(word)
	}
	return n
}

// TestRowSetWords: a row is drawn by a word of its own, in order, on however many processors.
func TestRowSetWords(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(3))
	for _, rows := range []int{1, 63, 64, 65, 1000, 20*drawnAtOnce + 77} {
		s, rng, words := NewRowSet(rows), noise.NewDemo(5), noise.NewDemo(5)
		for range 3 {
			s.Draw(rng, accountant.PoissonSampling(0.3), rows)
			for i := range rows {
				if want := words.Uint64() < uint64(math.Ldexp(0.3, 64)); s.Has(i) != want {
					t.Fatalf("%d rows: row %d: drawn %v, want %v", rows, i, s.Has(i), want)
				}
			}
		}
	}
}

// TestRowSetLaws: each row and each pair of rows is drawn as often as it should be. Shares of 40000 draws are within 7.5 standard
// deviations: at most 1300 comparisons, each wrong with probability below 1e-12 (Bernstein; the smallest expected count is 400).
func TestRowSetLaws(t *testing.T) {
	single.Goroutine(t)
	rng := noise.New()
	const draws = 40000
	for _, c := range []struct {
		how  accountant.Sampling
		rows int
		one  float64 // P(i)
		two  float64 // P(i, j)
	}{
		{accountant.PoissonSampling(0.1), 20, 0.1, 0.01},
		{accountant.PoissonSampling(0.75), 20, 0.75, 0.5625},
		{accountant.BatchSampling(5, 20), 20, 0.25, 5. * 4 / (20 * 19)},
		{accountant.BatchSampling(18, 20), 20, 0.9, 18. * 17 / (20 * 19)},
	} {
		var one [20]int
		var two [20][20]int
		s := NewRowSet(c.rows)
		for range draws {
			s.Draw(rng, c.how, c.rows)
			if n := sizeOf(s); c.how.Kind == accountant.WithoutReplacement && n != c.how.Batch {
				t.Fatalf("%v: %d rows", c.how, n)
			}
			for i := range c.rows {
				if !s.Has(i) {
					continue
				}
				one[i]++
				for j := range i {
					if s.Has(j) {
						two[i][j]++
					}
				}
			}
		}
		check := func(got int, p float64) {
			t.Helper()
			if math.Abs(float64(got)-p*draws) > 7.5*math.Sqrt(p*(1-p)*draws)+20 {
				t.Errorf("%v: drawn %d times of %d, want %v", c.how, got, draws, p*draws)
			}
		}
		for i := range c.rows {
			check(one[i], c.one)
			for j := range i {
				check(two[i][j], c.two)
			}
		}
	}
}

// TestRowSetEnds: rates and batches at the ends of their ranges, over several words.
func TestRowSetEnds(t *testing.T) {
	rng := noise.New()
	for _, size := range []int{1, 63, 64, 65, 200} {
		s := NewRowSet(size)
		for want, how := range map[int][]accountant.Sampling{
			size: {accountant.PoissonSampling(1), accountant.BatchSampling(size, size)},
			0:    {accountant.PoissonSampling(0), accountant.BatchSampling(0, size), accountant.PoissonSampling(0x1p-70)},
			1:    {accountant.BatchSampling(1, size)},
		} {
			for _, h := range how {
				if s.Draw(rng, h, size); sizeOf(s) != want {
					t.Errorf("%v of %d rows: drew %d", h, size, sizeOf(s))
				}
			}
		}
	}
}

// TestRowSetAmong: the rows of a set in a range, in order, whatever words the range begins and ends in.
func TestRowSetAmong(t *testing.T) {
	const rows = 200
	s := NewRowSet(rows)
	s.Draw(noise.NewDemo(6), accountant.PoissonSampling(0.4), rows)
	for from := range rows + 1 {
		for to := from; to <= rows; to++ {
			i := from
			s.Among(from, to, func(row int) {
				for ; i < row; i++ {
					if s.Has(i) {
						t.Fatalf("%d to %d: row %d is missing", from, to, i)
					}
				}
				if !s.Has(row) || row < from || row >= to {
					t.Fatalf("%d to %d: got row %d", from, to, row)
				}
				i = row + 1
			})
			for ; i < to; i++ {
				if s.Has(i) {
					t.Fatalf("%d to %d: row %d is missing", from, to, i)
				}
			}
		}
	}
}
