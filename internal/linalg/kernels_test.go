package linalg

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// everyISA runs a test with each instruction set that the machine has.
func everyISA(t *testing.T, f func(t *testing.T, s isa)) {
	best := active
	defer func() { active = best }()
	for s := portable; s <= best; s++ {
		t.Run(s.String(), func(t *testing.T) {
			active = s
			f(t, s)
		})
	}
}

// normals returns numbers, a few of them 0.
func normals(rng *rand.Rand, n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		if x[i] = rng.NormFloat64(); rng.IntN(16) == 0 {
			x[i] = 0
		}
	}
	return x
}

// guarded returns numbers in a slice without room, amid NaN: a kernel that reads outside of it shows.
func guarded(x []float64) []float64 {
	all := make([]float64, len(x)+32)
	for i := range all {
		all[i] = math.NaN()
	}
	copy(all[16:], x)
	return all[16 : 16+len(x) : 16+len(x)]
}

func shapeRNG(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 0x6b65726e)) }

// TestRowKernels: every kernel on rows against plain loops, for all lengths of a tail, with strides, NaN behind the
// cells that count, and results that must stay inside their bounds.
func TestRowKernels(t *testing.T) {
	everyISA(t, func(t *testing.T, s isa) {
		rng := shapeRNG(1)
		for cols := 1; cols <= 75; cols++ {
			rows, stride := 1+rng.IntN(9), cols+rng.IntN(3)
			x := normals(rng, rows*stride)
			for i := range rows {
				for j := cols; j < stride; j++ {
					x[i*stride+j] = math.NaN()
				}
			}
			x = guarded(x[:(rows-1)*stride+cols])
			w := guarded(normals(rng, cols))
			dots, squares, plain := guarded(make([]float64, rows)), guarded(make([]float64, rows)), guarded(make([]float64, rows))
			s.dotSquareRows(rows, cols, x, stride, w, dots, squares)
			s.dotRows(rows, cols, x, stride, w, plain)
			ld := paddedRow(cols)
			padded := make([]float64, rows*ld)
			for i := range padded {
				padded[i] = math.NaN()
			}
			s.padRows(rows, cols, x, stride, padded, ld)
			rounded, own := guarded(make([]float64, rows*ld)), guarded(make([]float64, rows))
			for i := range rounded {
				rounded[i] = math.NaN()
			}
			const scale = 1 << 20 // exact products
			s.roundRows(rows, cols, x, stride, rounded, ld, scale, own)
			for i := range rows {
				for j := range ld {
					want := 0.0
					if j < cols {
						want = math.RoundToEven(x[i*stride+j] * scale)
					}
					if got := rounded[i*ld+j]; j < (cols+s.lanes()-1)/s.lanes()*s.lanes() && got != want || j >= (cols+7)&^7 && !math.IsNaN(got) {
						t.Fatalf("cols = %d: roundRows: cell (%d, %d) is %g, want %g", cols, i, j, got, want)
					}
				}
				if bound := float64(2*cols) * 0x1p-52 * squares[i]; !(math.Abs(own[i]-squares[i]) <= bound) {
					t.Fatalf("cols = %d: roundRows: the square of row %d is %g, want %g", cols, i, own[i], squares[i])
				}
			}
			for i := range rows {
				var dot, square, size float64
				for j := range cols {
					v := x[i*stride+j]
					dot += v * w[j]
					size += math.Abs(v * w[j])
					square += v * v
					if padded[i*ld+j] != v {
						t.Fatalf("cols = %d: padRows moved cell (%d, %d)", cols, i, j)
					}
				}
				for j := cols; j%s.lanes() != 0; j++ {
					if padded[i*ld+j] != 0 {
						t.Fatalf("cols = %d: padRows left %g behind row %d", cols, padded[i*ld+j], i)
					}
				}
				bound := float64(2*cols) * 0x1p-52
				if !(math.Abs(dots[i]-dot) <= bound*size) || !(math.Abs(plain[i]-dot) <= bound*size) || !(math.Abs(squares[i]-square) <= bound*square) {
					t.Fatalf("cols = %d, row %d: got %g, %g, %g, want %g, %g, %g", cols, i, dots[i], plain[i], squares[i], dot, dot, square)
				}
			}
			for _, b := range [][]float64{dots, squares, plain} {
				if around := b[:len(b):len(b)]; math.IsNaN(around[0]) {
					t.Fatalf("cols = %d: NaN", cols)
				}
			}
		}
	})
}

// TestKernelsStayInside: a result's neighbours keep their values.
func TestKernelsStayInside(t *testing.T) {
	everyISA(t, func(t *testing.T, s isa) {
		const mark = 12345
		for cols := 1; cols <= 40; cols++ {
			x, f := make([]float64, 3*cols), []float64{1, 2, 3}
			ints, two := make([]int64, cols+8), make([]float64, 12)
			for i := range two {
				two[i] = mark
			}
			for i := range ints {
				ints[i] = mark
			}
			s.addRoundedRows(3, cols, x, cols, f, ints)
			s.dotSquareRows(3, cols, x, cols, x, two[:3], two[6:9])
			s.dotRows(1, cols, x, cols, x, two[4:5])
			for i := cols; i < cols+8; i++ {
				if ints[i] != mark {
					t.Errorf("cols = %d: cell %d was changed", cols, i)
				}
			}
			for i, want := range []float64{0, 0, 0, mark, 0, mark, 0, 0, 0, mark, mark, mark} {
				if two[i] != want {
					t.Errorf("cols = %d: inner product %d is %g, want %g", cols, i, two[i], want)
				}
			}
		}
	})
}

// TestAddRoundedIsExact: the same integers as math.RoundToEven, ties, signs and the ends of the domain included, and
// rows with factor 0 unread.
func TestAddRoundedIsExact(t *testing.T) {
	everyISA(t, func(t *testing.T, _ isa) {
		rng := shapeRNG(2)
		for cols := 1; cols <= 75; cols += 1 + rng.IntN(3) {
			rows := 1 + rng.IntN(12)
			x, f := make([]float64, rows*cols), make([]float64, rows)
			sums, want := make([]int64, cols), make([]int64, cols)
			for j := range sums {
				sums[j] = rng.Int64()
				want[j] = sums[j]
			}
			for i := range rows {
				f[i] = math.Ldexp(1+rng.Float64(), rng.IntN(40)-20)
				switch rng.IntN(5) {
				case 0:
					f[i] = math.Copysign(0, rng.Float64()-0.5)
				case 1:
					f[i] = -1
				}
				for j := range cols {
					v := (rng.Float64() - 0.5) * 1000
					switch rng.IntN(8) {
					case 0:
						v = float64(rng.IntN(9)) - 4.5 // a tie if f is -1
					case 1:
						v = 0
					case 2:
						v = math.Copysign(0x1p51, v) / max(math.Abs(f[i]), 1) // the end of the domain
						if f[i] != 0 && math.Abs(f[i]*v) > 0x1p51 {
							v = 0
						}
					}
					if f[i] == 0 && rng.IntN(2) == 0 {
						v = math.NaN()
					}
					x[i*cols+j] = v
					if f[i] != 0 {
						want[j] += int64(math.RoundToEven(f[i] * v))
					}
				}
			}
			if err := AddRounded(sums, x, rows, cols, cols, f); err != nil {
				t.Fatal(err)
			}
			if fmt.Sprint(sums) != fmt.Sprint(want) {
				t.Fatalf("%d×%d: got %d, want %d", rows, cols, sums, want)
			}
		}
	})
}

// TestMarginsOfARow: a row's margin and norm have the same bits alone and in any block, at any alignment, and the margin has
// them where norms are not asked for.
func TestMarginsOfARow(t *testing.T) {
	everyISA(t, func(t *testing.T, _ isa) {
		rng := shapeRNG(3)
		for cols := 1; cols < 70; cols += 3 {
			x, w := normals(rng, 9*cols), normals(rng, cols)
			m, sq, one, oneSq := make([]float64, 9), make([]float64, 9), make([]float64, 1), make([]float64, 1)
			if err := Margins(m, sq, x, 9, cols, cols, w); err != nil {
				t.Fatal(err)
			}
			for i := range m {
				row := append(make([]float64, i%3), x[i*cols:(i+1)*cols]...)[i%3:]
				if err := Margins(one, oneSq, row, 1, cols, cols, w); err != nil || one[0] != m[i] || oneSq[0] != sq[i] {
					t.Fatalf("cols = %d: row %d alone has %g, %g, in a block %g, %g (%v)", cols, i, one[0], oneSq[0], m[i], sq[i], err)
				}
				if err := Margins(one, nil, row, 1, cols, cols, w); err != nil || one[0] != m[i] {
					t.Fatalf("cols = %d: row %d without its norm has %g, with it %g (%v)", cols, i, one[0], m[i], err)
				}
			}
		}
	})
}

// TestPanelKernels: the bits of the code in Go, and no cell outside of the rows.
func TestPanelKernels(t *testing.T) {
	everyISA(t, func(t *testing.T, s isa) {
		rng := shapeRNG(5)
		for n := 1; n < 40; n++ {
			c, z := guarded(normals(rng, n)), guarded(normals(rng, n))
			p := normals(rng, (n+1)*strip)
			got, want := guarded(p), slices.Clone(p)
			s.rotate(c, z, got, n*strip)
			rotateGo(c, z, want, n*strip)
			if !slices.Equal(got, want) {
				t.Fatalf("rotate, %d rows: got %v, want %v", n, got, want)
			}
			rows, v := guarded(p[:n*strip]), guarded(normals(rng, n))
			want = slices.Clone(rows)
			s.reflect(0.7, v, rows)
			reflectGo(0.7, v, want)
			if !slices.Equal(rows, want) {
				t.Fatalf("reflect, %d rows: got %v, want %v", n, rows, want)
			}
		}
	})
}
