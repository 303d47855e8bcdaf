package linalg

import (
	"errors"
	"math"
	"slices"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// lowerOf is the factor, with zeros above the diagonal.
func lowerOf(t *testing.T, a []float64, n int) []float64 {
	t.Helper()
	before := slices.Clone(a)
	l, err := LowerFactor(a, n)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.EqualFunc(before, a, sameBits) {
		t.Errorf("n = %d: the argument changed", n)
	}
	for i := range n {
		for j := i + 1; j < n; j++ {
			if l[i*n+j] != 0 {
				t.Fatalf("n = %d: entry (%d, %d) is %g, want 0", n, i, j, l[i*n+j])
			}
		}
	}
	return l
}

// sameGram checks L·Lᵀ = A·Aᵀ entry by entry, relative to the norms of the two rows: each row of L is that of A but for rounding
// of n² operations. Rows are brought to norm 1 first, so that no product overflows.
func sameGram(t *testing.T, what string, l, a []float64, n int) {
	t.Helper()
	l, a = slices.Clone(l), slices.Clone(a)
	for i := range n {
		if f := reference.Dnrm2(n, a[i*n:], 1); f > 0 {
			for j := range n {
				l[i*n+j] /= f
				a[i*n+j] /= f
			}
		}
	}
	got, want := make([]float64, n*n), make([]float64, n*n)
	for _, p := range []struct{ dst, of []float64 }{{got, l}, {want, a}} {
		if err := Product(p.dst, n, Dense(p.of, n, n), Dense(p.of, n, n).T()); err != nil {
			t.Fatal(err)
		}
	}
	for i, v := range got {
		if !(math.Abs(v-want[i]) <= float64(n*n+9)*0x1p-51) {
			t.Fatalf("%s: entry (%d, %d) of L·Lᵀ is off by %g of the norms of its rows", what, i/n, i%n, v-want[i])
		}
	}
}

var lowerSizes = []int{1, 2, 3, 31, 32, 33, 64, 127, 128, 129, 130, 161, 300}

// TestLowerFactor: L·Lᵀ = A·Aᵀ at every size at which the way changes, with rows of scales from 1e-60 to 1e60, down to subnormal
// numbers, with zeros, repeated rows, rows of zeros, and of matrices that are triangular already.
func TestLowerFactor(t *testing.T) {
	everyISA(t, func(t *testing.T, _ isa) {
		for _, n := range lowerSizes {
			for _, c := range []struct {
				name  string
				entry func(x float64, i, j int) float64
			}{
				{"normal", func(x float64, _, _ int) float64 { return x }},
				{"large", func(x float64, _, _ int) float64 { return x * 1e60 }},
				{"small", func(x float64, _, _ int) float64 { return x * 1e-60 }},
				{"graded", func(x float64, i, _ int) float64 { return x * math.Pow(10, 120*float64(i)/float64(n)-60) }},
				{"graded down", func(x float64, i, _ int) float64 { return x * math.Pow(10, 60-120*float64(i)/float64(n)) }},
				{"enormous", func(x float64, _, _ int) float64 { return x * 0x1p1000 }},
				{"least normal", func(x float64, _, _ int) float64 { return math.Ldexp(math.Trunc(x*64), -1022) }},
				{"rows of zeros", func(x float64, i, _ int) float64 { return x * float64(i%3) }},
				{"columns of zeros", func(x float64, _, j int) float64 { return x * float64((j+2)%3) }},
				{"lower triangle", func(x float64, i, j int) float64 {
					if j > i {
						return 0
					}
					return x
				}},
				{"zeros", func(float64, int, int) float64 { return 0 }},
			} {
				a := normals(shapeRNG(uint64(n)), n*n)
				for i := range a {
					a[i] = c.entry(a[i], i/n, i%n)
				}
				sameGram(t, c.name, lowerOf(t, a, n), a, n)
			}
		}
	})
}

// TestLowerFactorKnown has factors that are known in closed form, up to signs of columns.
func TestLowerFactorKnown(t *testing.T) {
	const small = 0x1p-40
	for _, c := range []struct {
		name    string
		n       int
		a, want []float64
	}{
		{"orthogonal rows", 2, []float64{3, 4, -4, 3}, []float64{5, 0, 0, 5}},
		{"one row", 1, []float64{-7}, []float64{7}},
		{"no rotation", 2, []float64{2, 0, 3, 5}, []float64{2, 0, 3, 5}},
		{"of (2, 2, 1), (-2, 1, 2) and (1, -2, 2)", 3, []float64{2, 2, 1, 2, 5, 4, 6, -3, 3}, []float64{3, 0, 0, 6, 3, 0, 3, -3, 6}},
		// A·Aᵀ has a determinant of small²: its own factor in float64 would have 0 or a number of another size.
		{"nearly collinear", 2, []float64{1, 1, 1, 1 + small}, []float64{math.Sqrt2, 0, math.Sqrt2 + small/math.Sqrt2, small / math.Sqrt2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := lowerOf(t, c.a, c.n)
			for i, v := range l {
				sign := 1.0
				if d := i % c.n; l[d*c.n+d] < 0 && c.want[d*c.n+d] > 0 {
					sign = -1
				}
				if !(math.Abs(sign*v-c.want[i]) <= 8*0x1p-52*(1+math.Abs(c.want[i]))) {
					t.Errorf("number %d: got %.17g, want %.17g up to the sign of its column", i, v, c.want[i])
				}
			}
		})
	}
}

// TestLowerFactorDeficient: rows that repeat leave nothing but rounding on the diagonal.
func TestLowerFactorDeficient(t *testing.T) {
	everyISA(t, func(t *testing.T, _ isa) {
		for _, n := range []int{2, 32, 130, 200} {
			a := normals(shapeRNG(uint64(n)), n*n)
			for i := 1; i < n; i += 2 {
				copy(a[i*n:(i+1)*n], a[(i-1)*n:i*n])
			}
			l := lowerOf(t, a, n)
			for i := 1; i < n; i += 2 {
				if d := math.Abs(l[i*n+i]); !(d <= float64(n*n)*0x1p-50*math.Sqrt(float64(n))) {
					t.Errorf("n = %d: the diagonal of repeated row %d is %g, want rounding", n, i, d)
				}
			}
			sameGram(t, "repeated rows", l, a, n)
		}
	})
}

// TestLowerFactorSmall: below 32 rows the factor has the bits of gonum's mat.LQ.
func TestLowerFactorSmall(t *testing.T) {
	for _, n := range []int{1, 2, 5, 17, 31} {
		a := normals(shapeRNG(uint64(n)), n*n)
		var lq mat.LQ
		var want mat.Dense
		lq.Factorize(mat.NewDense(n, n, slices.Clone(a)))
		lq.LTo(&want)
		if l := lowerOf(t, a, n); !slices.EqualFunc(l, want.RawMatrix().Data, sameBits) {
			t.Errorf("n = %d: got %v, want %v", n, l, want.RawMatrix().Data)
		}
	}
}

// TestLowerFactorOfNaN: it ends, and NaN and infinity show in the row of L that they came from.
func TestLowerFactorOfNaN(t *testing.T) {
	everyISA(t, func(t *testing.T, _ isa) {
		for _, n := range []int{1, 2, 33, 130, 200} {
			for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
				for _, at := range []int{0, n / 2, n*n/2 + n/3, n*n - 1} {
					a := normals(shapeRNG(uint64(n)), n*n)
					a[at] = bad
					row := lowerOf(t, a, n)[at/n*n : (at/n+1)*n]
					if !slices.ContainsFunc(row, func(v float64) bool { return math.IsNaN(v) || math.IsInf(v, 0) }) {
						t.Errorf("n = %d: %g in entry %d does not show in its row", n, bad, at)
					}
				}
			}
		}
	})
}

func TestLowerFactorRefuses(t *testing.T) {
	for _, c := range []struct{ size, n int }{{0, 0}, {4, 0}, {4, -2}, {4, 3}, {3, 2}, {6, 2}} {
		if _, err := LowerFactor(make([]float64, c.size), c.n); !errors.Is(err, ErrShape) {
			t.Errorf("%d numbers, n = %d: got %v, want ErrShape", c.size, c.n, err)
		}
	}
}

func BenchmarkFactors(b *testing.B) {
	for _, n := range []int{10, 30, 60, 120, 300, 800} {
		rng := shapeRNG(uint64(n))
		a, m, x := randomSPD(rng, n), normals(rng, n*n), normals(rng, n)
		b.Run("solve/n="+strconv.Itoa(n), func(b *testing.B) {
			for b.Loop() {
				if _, err := SolvePositive(a, x, n); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("lower/n="+strconv.Itoa(n), func(b *testing.B) {
			for b.Loop() {
				if _, err := LowerFactor(m, n); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
