package linalg

import (
	"errors"
	"math"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/internal/single"
)

// exactGram is XᵀX and |X|ᵀ|X| with 300 bits.
func exactGram(x []float64, rows, cols, stride int) (sum, size []*big.Float) {
	sum, size = make([]*big.Float, cols*cols), make([]*big.Float, cols*cols)
	p := new(big.Float).SetPrec(300)
	a, b := new(big.Float), new(big.Float)
	for i := range cols {
		for j := i; j < cols; j++ {
			s, z := new(big.Float).SetPrec(300), new(big.Float).SetPrec(300)
			for r := range rows {
				p.Mul(a.SetFloat64(x[r*stride+i]), b.SetFloat64(x[r*stride+j]))
				s.Add(s, p)
				z.Add(z, p.Abs(p))
			}
			sum[i*cols+j], size[i*cols+j] = s, z
		}
	}
	return sum, size
}

// worstGram is the largest error of an entry over its bound.
func worstGram(got []float64, x []float64, rows, cols, stride int) float64 {
	sum, size := exactGram(x, rows, cols, stride)
	worst := 0.0
	for i := range cols {
		for j := i; j < cols; j++ {
			e := new(big.Float).Sub(sum[i*cols+j], new(big.Float).SetFloat64(got[i*cols+j]))
			off, _ := e.Abs(e).Float64()
			z, _ := size[i*cols+j].Float64()
			if ratio := off / (GramRounding(rows)*z + float64(rows)*0x1p-1074); off > 0 {
				worst = max(worst, ratio)
			}
		}
	}
	return worst
}

// TestGramWithinBound: against exact sums, over shapes around every border, of normal rows and of rows that are made to
// round: one sign, so that sums grow, with all 53 bits set.
func TestGramWithinBound(t *testing.T) {
	everyISA(t, func(t *testing.T, s isa) {
		rng := shapeRNG(11)
		worst := 0.0
		for _, shape := range [][2]int{{1, 1}, {1, 9}, {2, 3}, {127, 4}, {128, 8}, {129, 24}, {257, 25}, {300, 33}, {2048, 2}, {2049, 5}, {6000, 3}, {40000, 2}} {
			rows, cols := shape[0], shape[1]
			for _, hostile := range []bool{false, true} {
				stride := cols + rng.IntN(3)
				x := normals(rng, rows*stride)
				if hostile {
					for i := range x {
						x[i] = math.Nextafter(1+rng.Float64()/2, 2)
					}
				}
				got := make([]float64, cols*cols)
				if err := SumGram(got, x, rows, cols, stride); err != nil {
					t.Fatal(err)
				}
				r := worstGram(got, x, rows, cols, stride)
				worst = max(worst, r)
				if !(r <= 1) {
					t.Errorf("%d×%d: an error is %g of its bound", rows, cols, r)
				}
				for i := range cols {
					for j := range i {
						if got[i*cols+j] != 0 {
							t.Errorf("%d×%d: wrote %g below the diagonal", rows, cols, got[i*cols+j])
						}
					}
				}
			}
		}
		t.Logf("%v: largest error over bound %.3g", s, worst)
	})
}

// TestGramLadder is made so that every panel after the first rounds up by ¾ of a half unit when it is added to the first
// one after the other: only leaves and pairs keep that within the bound.
func TestGramLadder(t *testing.T) {
	everyISA(t, func(t *testing.T, _ isa) {
		const rows = 400 * PanelRows
		x := make([]float64, rows)
		for i := range x {
			if i%PanelRows == 0 {
				x[i] = 1.5811388300841898 // the square is 2.5; numbers beyond 2^54 have steps of 4
			}
		}
		x[0] = 1 << 27
		got := make([]float64, 1)
		if err := SumGram(got, x, rows, 1, 1); err != nil {
			t.Fatal(err)
		}
		s := newGram(1)
		streamed := make([]float64, 1)
		if err := errors.Join(s.Add(x, rows, 1), s.Upper(streamed)); err != nil {
			t.Fatal(err)
		}
		for _, g := range [][]float64{got, streamed} {
			if r := worstGram(g, x, rows, 1, 1); !(r <= 1) {
				t.Errorf("an error is %g of its bound", r)
			}
		}
	})
}

// TestGramSearch attacks the bound with a (1+1) evolution strategy on one column.
func TestGramSearch(t *testing.T) {
	everyISA(t, func(t *testing.T, _ isa) {
		single.Goroutine(t)
		rng := shapeRNG(12)
		const rows = 300
		x := make([]float64, rows)
		for i := range x {
			x[i] = 1 + rng.Float64()
		}
		got, best := make([]float64, 1), 0.0
		for range 400 {
			y := slices.Clone(x)
			for range 1 + rng.IntN(20) {
				y[rng.IntN(rows)] = math.Ldexp(1+rng.Float64(), rng.IntN(6)-4)
			}
			if err := SumGram(got, y, rows, 1, 1); err != nil {
				t.Fatal(err)
			}
			if r := worstGram(got, y, rows, 1, 1); r >= best {
				best, x = r, y
			}
		}
		if !(best <= 1) {
			t.Errorf("an error of %g of its bound", best)
		}
	})
}

// TestGramAnyWorkers: the same bits for any number of workers, and of the streaming sum for any blocks.
func TestGramAnyWorkers(t *testing.T) {
	everyISA(t, func(t *testing.T, _ isa) {
		rng := shapeRNG(13)
		for _, shape := range [][2]int{{1, 3}, {5000, 1}, {9000, 10}, {20001, 7}, {70000, 3}} {
			rows, cols := shape[0], shape[1]
			x := normals(rng, rows*cols)
			sum := func(workers int) []float64 {
				dst := make([]float64, cols*cols)
				layout, sum := sumGram(x, rows, cols, cols, workers)
				layout.write(dst, sum)
				return dst
			}
			want := sum(1)
			for _, workers := range []int{2, 3, 7, 40} {
				if !slices.Equal(sum(workers), want) {
					t.Errorf("%d×%d: %d workers give other bits than one", rows, cols, workers)
				}
			}
			var first []float64
			for _, most := range []int{rows, 1000, 130} {
				s, err := NewGram(cols)
				if err != nil {
					t.Fatal(err)
				}
				for at := 0; at < rows; {
					n := min(1+rng.IntN(most), rows-at)
					if err := s.Add(x[at*cols:], n, cols); err != nil {
						t.Fatal(err)
					}
					at += n
				}
				got := make([]float64, cols*cols)
				if err := s.Upper(got); err != nil {
					t.Fatal(err)
				}
				if first == nil {
					first = got
				}
				if !slices.Equal(got, first) {
					t.Errorf("%d×%d: blocks of up to %d rows give other bits", rows, cols, most)
				}
			}
		}
	})
}

// TestGramMerges: many merged sums stay within the bound, and a sum that was read is empty.
func TestGramMerges(t *testing.T) {
	everyISA(t, func(t *testing.T, _ isa) {
		rng := shapeRNG(14)
		const rows, cols = 30 * PanelRows, 3
		x := make([]float64, rows*cols)
		for i := range x {
			x[i] = 1 + rng.Float64()
		}
		all, err := NewGram(cols)
		if err != nil {
			t.Fatal(err)
		}
		for at := 0; at < rows; at += PanelRows {
			part := newGram(cols)
			if err := errors.Join(part.Add(x[at*cols:], PanelRows, cols), all.Merge(part)); err != nil {
				t.Fatal(err)
			}
		}
		got := make([]float64, cols*cols)
		if err := all.Upper(got); err != nil {
			t.Fatal(err)
		}
		if r := worstGram(got, x, rows, cols, cols); !(r <= 1) {
			t.Errorf("an error is %g of its bound", r)
		}
		if err := all.Upper(got); err != nil || slices.Max(got) != 0 {
			t.Errorf("a sum that was read holds %v (%v)", got, err)
		}
	})
}

// TestGramAcrossISA: the kernels differ by no more than twice the bound.
func TestGramAcrossISA(t *testing.T) {
	rng := shapeRNG(15)
	const rows, cols = 5000, 37
	x := normals(rng, rows*cols)
	abs := make([]float64, len(x))
	for i, v := range x {
		abs[i] = math.Abs(v)
	}
	size := make([]float64, cols*cols)
	if err := SumGram(size, abs, rows, cols, cols); err != nil {
		t.Fatal(err)
	}
	var first []float64
	everyISA(t, func(t *testing.T, _ isa) {
		got := make([]float64, cols*cols)
		if err := SumGram(got, x, rows, cols, cols); err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = got
		}
		for i := range got {
			if !(math.Abs(got[i]-first[i]) <= 2*GramRounding(rows)*size[i]*(1+0x1p-40)) {
				t.Errorf("entry %d: %g and %g", i, got[i], first[i])
			}
		}
	})
}

// TestGramNaN: NaN and infinity reach the entries of their columns and no other.
func TestGramNaN(t *testing.T) {
	everyISA(t, func(t *testing.T, _ isa) {
		const rows, cols = 3000, 29
		for _, bad := range []float64{math.NaN(), math.Inf(1)} {
			x := normals(shapeRNG(16), rows*cols)
			x[1234*cols+11], x[1234*cols+5] = bad, 0
			got := make([]float64, cols*cols)
			if err := SumGram(got, x, rows, cols, cols); err != nil {
				t.Fatal(err)
			}
			for i := range cols {
				for j := i; j < cols; j++ {
					if finite := got[i*cols+j]-got[i*cols+j] == 0; finite != (i != 11 && j != 11) {
						t.Errorf("%g: entry (%d, %d) is %g", bad, i, j, got[i*cols+j])
					}
				}
			}
		}
	})
}

func TestKernelErrors(t *testing.T) {
	x := make([]float64, 12)
	for i := range x {
		x[i] = 1.2345
	}
	s, err := NewGram(3)
	if err != nil {
		t.Fatal(err)
	}
	other, err := NewGram(4)
	if err != nil {
		t.Fatal(err)
	}
	ints := make([]int64, 3)
	for _, c := range []struct {
		name string
		err  error
	}{
		{"no column", func() error { _, err := NewGram(0); return err }()},
		{"too many columns", func() error { _, err := NewGram(1<<20 + 1); return err }()},
		{"short", s.Add(x, 5, 3)},
		{"stride", s.Add(x, 2, 2)},
		{"negative rows", s.Add(x, -1, 3)},
		{"overflow", s.Add(x, math.MaxInt/2, math.MaxInt/2)},
		{"merge of another width", s.Merge(other)},
		{"merge with itself", s.Merge(s)},
		{"dst", s.Upper(x)},
		{"sum", SumGram(x, x, 5, 3, 3)},
		{"sum's dst", SumGram(x, x, 4, 3, 3)},
		{"margins", Margins(x[:4], x[:3], x, 4, 3, 3, x[:3])},
		{"weights", Margins(x[:4], x[:4], x, 4, 3, 3, x[:4])},
		{"margins of rows", Margins(x[:5], x[:5], x, 5, 3, 3, x[:3])},
		{"factors", AddRounded(ints, x, 4, 3, 3, x[:3])},
		{"sums", AddRounded(ints[:2], x, 4, 3, 3, x[:4])},
		{"rounded rows", AddRounded(ints, x, 5, 3, 3, x[:5])},
	} {
		if !errors.Is(c.err, ErrShape) || strings.Contains(c.err.Error(), "1.23") {
			t.Errorf("%s: got %v, want %v", c.name, c.err, ErrShape)
		}
	}
	if err := errors.Join(s.Add(nil, 0, 3), SumGram(make([]float64, 9), nil, 0, 3, 3), Margins(nil, nil, nil, 0, 3, 3, x[:3]), AddRounded(ints, nil, 0, 3, 3, nil)); err != nil {
		t.Errorf("no rows: %v", err)
	}
}
