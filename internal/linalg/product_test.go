package linalg

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
)

// TestGonumIsLeftAlone: importing the package changes nothing of gonum's.
func TestGonumIsLeftAlone(t *testing.T) {
	if own, ok := blas64.Implementation().(gonum.Implementation); !ok {
		t.Errorf("blas64 uses %T, want %T", blas64.Implementation(), own)
	}
}

// padded returns rows of n numbers and their distance, NaN between them.
func padded(rng *rand.Rand, rows, n int) ([]float64, int) {
	ld := n + rng.IntN(4)
	a := normals(rng, (rows-1)*ld+n)
	for i := range a {
		if i%ld >= n {
			a[i] = math.NaN()
		}
	}
	return a, ld
}

// operandOf returns a matrix of that shape, at random stored as its transpose, NaN between its rows and around them.
func operandOf(rng *rand.Rand, rows, cols int) Matrix {
	transposed := rng.IntN(2) == 0
	if transposed {
		rows, cols = cols, rows
	}
	a, ld := padded(rng, rows, cols)
	return Matrix{guarded(a), rows, cols, ld, transposed}
}

func (m Matrix) at(i, j int) float64 {
	if m.Transposed {
		i, j = j, i
	}
	return m.Data[i*m.Stride+j]
}

// TestProduct compares products of random shapes, distances of rows and transpositions with plain sums. What lies between
// rows stays.
func TestProduct(t *testing.T) {
	everyISA(t, func(t *testing.T, _ isa) {
		rng := shapeRNG(21)
		for range 150 {
			m, n, k := 1+rng.IntN(70), 1+rng.IntN(70), 1+rng.IntN(70)
			switch rng.IntN(12) {
			case 0:
				k += 256 * rng.IntN(4)
			case 1:
				m += 100
			case 2:
				n += 130
			}
			a, b := operandOf(rng, m, k), operandOf(rng, k, n)
			dst, stride := padded(rng, m, n)
			dst = guarded(dst)
			if err := Product(dst, stride, a, b); err != nil {
				t.Fatal(err)
			}
			for i := range dst {
				if i%stride >= n {
					if !math.IsNaN(dst[i]) {
						t.Fatalf("m, n, k = %d, %d, %d: wrote between rows", m, n, k)
					}
					continue
				}
				var want, size float64
				for l := range k {
					term := a.at(i/stride, l) * b.at(l, i%stride)
					want += term
					size += math.Abs(term)
				}
				if !(math.Abs(dst[i]-want) <= float64(2*k)*0x1p-52*size) {
					t.Fatalf("m, n, k = %d, %d, %d: entry (%d, %d) is %.17g, want %.17g", m, n, k, i/stride, i%stride, dst[i], want)
				}
			}
		}
	})
}

// TestSmallProductsAreGonums: products that packing does not pay for, and all where there are no kernels, have the bits of
// gonum's own.
func TestSmallProductsAreGonums(t *testing.T) {
	everyISA(t, func(t *testing.T, s isa) {
		rng := shapeRNG(22)
		for range 100 {
			m, n, k := 1+rng.IntN(12), 1+rng.IntN(12), 1+rng.IntN(12)
			if s == portable {
				m, n, k = 3*m, 4*n, 5*k
			}
			a, b := operandOf(rng, m, k), operandOf(rng, k, n)
			got, want := make([]float64, m*n), make([]float64, m*n)
			if err := Product(got, n, a, b); err != nil {
				t.Fatal(err)
			}
			side := map[bool]blas.Transpose{false: blas.NoTrans, true: blas.Trans}
			gonum.Implementation{}.Dgemm(side[a.Transposed], side[b.Transposed], m, n, k, 1, a.Data, a.Stride, b.Data, b.Stride, 0, want, n)
			if (s == portable || !worth(m, n, k)) && !slices.Equal(got, want) {
				t.Errorf("m, n, k = %d, %d, %d: got %v, gonum's own has %v", m, n, k, got, want)
			}
		}
	})
}

// TestProductOfTheTranspose is symmetric in every bit.
func TestProductOfTheTranspose(t *testing.T) {
	everyISA(t, func(t *testing.T, _ isa) {
		rng := shapeRNG(23)
		for _, n := range []int{1, 3, 5, 20, 33, 130} {
			for _, k := range []int{1, 7, 40, 300} {
				a := operandOf(rng, n, k)
				c := make([]float64, n*n)
				if err := Product(c, n, a, a.T()); err != nil {
					t.Fatal(err)
				}
				for i := range n {
					for j := range i {
						if c[i*n+j] != c[j*n+i] {
							t.Fatalf("%d×%d: entries (%d, %d) are %.17g and %.17g", n, k, i, j, c[i*n+j], c[j*n+i])
						}
					}
				}
			}
		}
	})
}

// TestProductShapes: a slice that lacks its last number, rows that overlap and factors that do not fit are refused before
// anything is read or written.
func TestProductShapes(t *testing.T) {
	const m, n, k = 30, 40, 50
	numbers := func(size int) []float64 { return make([]float64, size, size+4096) } // room that a kernel could reach
	good := func() (dst []float64, stride int, a, b Matrix) {
		return numbers(m * n), n, Dense(numbers(m*k), m, k), Dense(numbers(k*n), k, n)
	}
	for _, c := range []struct {
		name string
		bad  func(dst *[]float64, stride *int, a, b *Matrix)
	}{
		{"short result", func(dst *[]float64, _ *int, _, _ *Matrix) { *dst = (*dst)[:m*n-1] }},
		{"overlapping rows of the result", func(_ *[]float64, stride *int, _, _ *Matrix) { *stride = n - 1 }},
		{"short left factor", func(_ *[]float64, _ *int, a, _ *Matrix) { a.Data = a.Data[:m*k-1] }},
		{"short right factor", func(_ *[]float64, _ *int, _, b *Matrix) { b.Data = b.Data[:k*n-1] }},
		{"overlapping rows", func(_ *[]float64, _ *int, a, _ *Matrix) { a.Stride = k - 1 }},
		{"no rows", func(_ *[]float64, _ *int, a, _ *Matrix) { a.Rows = 0 }},
		{"negative rows", func(_ *[]float64, _ *int, a, _ *Matrix) { a.Rows = -1 }},
		{"no columns", func(_ *[]float64, _ *int, _, b *Matrix) { b.Cols = 0 }},
		{"transposed", func(_ *[]float64, _ *int, a, _ *Matrix) { *a = a.T() }},
		{"transposed, right", func(_ *[]float64, _ *int, _, b *Matrix) { *b = b.T() }},
	} {
		dst, stride, a, b := good()
		for i := range dst {
			dst[i] = 7
		}
		c.bad(&dst, &stride, &a, &b)
		if err := Product(dst, stride, a, b); !errors.Is(err, ErrShape) {
			t.Errorf("%s: got %v, want %v", c.name, err, ErrShape)
		}
		if slices.ContainsFunc(dst, func(v float64) bool { return v != 7 }) {
			t.Errorf("%s: wrote", c.name)
		}
	}
	dst, stride, a, b := good()
	if err := Product(dst, stride, a, b); err != nil {
		t.Error(err)
	}
}

// TestNaNReachesProducts: an entry of the product has NaN exactly if its row or column has, by a factor 0 too, whatever the
// result held before.
func TestNaNReachesProducts(t *testing.T) {
	everyISA(t, func(t *testing.T, s isa) {
		if s == portable {
			return
		}
		const n = 40
		rng := shapeRNG(24)
		a, b, c := make([]float64, n*n), normals(rng, n*n), make([]float64, n*n)
		for i := range c {
			c[i] = math.NaN()
		}
		a[3*n+8], b[20*n+31] = math.NaN(), math.Inf(-1)
		if err := Product(c, n, Dense(a, n, n), Dense(b, n, n)); err != nil {
			t.Fatal(err)
		}
		for i := range n {
			for j := range n {
				if got, want := math.IsNaN(c[i*n+j]), i == 3 || j == 31; got != want {
					t.Errorf("entry (%d, %d) is %g", i, j, c[i*n+j])
				}
			}
		}
	})
}

// TestProductAnyWorkers: the same bits for any number of workers.
func TestProductAnyWorkers(t *testing.T) {
	everyISA(t, func(t *testing.T, s isa) {
		rng := shapeRNG(25)
		const m, k = 130, 300
		a, b := normals(rng, m*k), normals(rng, k*m)
		var first []float64
		for _, workers := range []int{1, 2, 3, 7} {
			c := make([]float64, m*m)
			multiply(s, m, m, k, operand{a, k, false}, operand{b, m, false}, c, m, workers)
			if first == nil {
				first = c
			}
			if !slices.Equal(c, first) {
				t.Errorf("%d workers give other bits than one", workers)
			}
		}
	})
}

// BenchmarkProduct: products of square matrices in turn by this package and by gonum, and the ratio of their best times.
func BenchmarkProduct(b *testing.B) {
	for _, n := range []int{20, 100, 400} {
		b.Run(fmt.Sprintf("n=%d", n), func(b *testing.B) {
			x, y, to := normals(shapeRNG(95), n*n), normals(shapeRNG(96), n*n), make([]float64, n*n)
			own, other := lowest(b, func() {
				if err := Product(to, n, Dense(x, n, n), Dense(y, n, n)); err != nil {
					b.Fatal(err)
				}
			}, func() {
				gonum.Implementation{}.Dgemm(blas.NoTrans, blas.NoTrans, n, n, n, 1, x, n, y, n, 0, to, n)
			})
			b.ReportMetric(own/1e3, "own-µs")
			b.ReportMetric(own/other, "own/gonum")
		})
	}
}
