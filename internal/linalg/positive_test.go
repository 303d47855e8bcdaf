package linalg

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// integerSystem is A x = b with A = UᵀU, U of 2 on the diagonal and -1, 0 and 1 above it, and an x of integers: every number on the
// way to x is an integer or half of one, so that x comes out exactly, whatever the order of sums.
func integerSystem(n int) (a, x, b []float64) {
	if s, ok := integerSystems[n]; ok {
		return slices.Clone(s[0]), slices.Clone(s[1]), slices.Clone(s[2])
	}
	rng := shapeRNG(uint64(n))
	u := make([]float64, n*n)
	a, x, b = make([]float64, n*n), make([]float64, n), make([]float64, n)
	for i := range n {
		u[i*n+i], x[i] = 2, float64(rng.IntN(19)-9)
		for j := i + 1; j < n; j++ {
			u[i*n+j] = float64(rng.IntN(3) - 1)
		}
	}
	for i := range n { // row i of U is 0 up to column i
		for j := i; j < n; j++ {
			f := u[i*n+j]
			for k := i; k < n; k++ {
				a[j*n+k] += f * u[i*n+k]
			}
		}
	}
	for i := range n {
		for j := range n {
			b[i] += a[i*n+j] * x[j]
		}
	}
	integerSystems[n] = [3][]float64{slices.Clone(a), slices.Clone(x), slices.Clone(b)}
	return a, x, b
}

// integerSystems keeps those that were made, by n: making one takes longer than solving it.
var integerSystems = map[int][3][]float64{}

// TestSolvePositiveExact: systems with known solutions, on both sides of every length at which the way of sums changes, at scales up to
// 2^±600; the lower triangle does not count, arguments stay.
func TestSolvePositiveExact(t *testing.T) {
	everyISA(t, func(t *testing.T, _ isa) {
		for _, n := range []int{1, 2, 3, 48, 49, 63, 64, 65, 67, 68, 128, 129, 200, 577, 641} {
			a, want, b := integerSystem(n)
			for _, scale := range []float64{1, 0x1p200, 0x1p-200, 0x1p600, 0x1p-600} {
				scaled, right := make([]float64, n*n), make([]float64, n)
				for i, v := range a {
					if scaled[i] = v * scale; i/n > i%n {
						scaled[i] = math.NaN()
					}
				}
				for i, v := range b {
					right[i] = v * scale
				}
				before := slices.Concat(scaled, right)
				got, err := SolvePositive(scaled, right, n)
				if err != nil || !slices.Equal(got, want) {
					t.Errorf("n = %d, scale %g: got %v and %v, want the integers of the system", n, scale, got, err)
				}
				if !slices.EqualFunc(before, slices.Concat(scaled, right), sameBits) {
					t.Errorf("n = %d: the arguments changed", n)
				}
			}
		}
	})
}

func sameBits(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) }

// TestSolvePositiveSmall: up to 48 unknowns the bits are those of gonum's mat.Cholesky.
func TestSolvePositiveSmall(t *testing.T) {
	for _, n := range []int{1, 2, 5, 17, 31, 48} {
		rng := shapeRNG(uint64(n))
		a, b := randomSPD(rng, n), normals(rng, n)
		got, err := SolvePositive(a, b, n)
		if err != nil {
			t.Fatal(err)
		}
		var c mat.Cholesky
		if !c.Factorize(mat.NewSymDense(n, a)) {
			t.Fatal("not positive definite")
		}
		want := mat.NewVecDense(n, nil)
		if err := c.SolveVecTo(want, mat.NewVecDense(n, b)); err != nil {
			t.Fatal(err)
		}
		if !slices.EqualFunc(got, want.RawVector().Data, sameBits) {
			t.Errorf("n = %d: got %v, want %v", n, got, want.RawVector().Data)
		}
	}
}

// TestSolvePositiveRefuses: what is not positive definite is refused wherever it shows, and texts name no entry.
func TestSolvePositiveRefuses(t *testing.T) {
	everyISA(t, func(t *testing.T, _ isa) {
		for _, n := range []int{1, 2, 48, 65, 130, 577} {
			for _, bad := range []struct {
				name string
				at   func(a []float64, i int)
			}{
				{"NaN on the diagonal", func(a []float64, i int) { a[i*n+i] = math.NaN() }},
				{"NaN above the diagonal", func(a []float64, i int) { a[i/2*n+i] = math.NaN() }},
				{"infinity on the diagonal", func(a []float64, i int) { a[i*n+i] = math.Inf(1) }},
				{"infinity above the diagonal", func(a []float64, i int) { a[i/2*n+i] = math.Inf(-1) }},
				{"zero on the diagonal", func(a []float64, i int) { a[i*n+i] = 0 }},
				{"negative on the diagonal", func(a []float64, i int) { a[i*n+i] = -1 }},
			} {
				for _, i := range []int{0, n / 2, n - 1} {
					a, _, b := integerSystem(n)
					bad.at(a, i)
					if _, err := SolvePositive(a, b, n); !errors.Is(err, ErrNotPositive) {
						t.Errorf("n = %d, %s at %d: got %v, want ErrNotPositive", n, bad.name, i, err)
					}
				}
			}
			if x, err := SolvePositive(make([]float64, n*n), make([]float64, n), n); !errors.Is(err, ErrNotPositive) {
				t.Errorf("n = %d, zeros: got %v and %v, want ErrNotPositive", n, x, err)
			}
		}
	})
	for _, c := range []struct{ a, b, n int }{{4, 2, 0}, {4, 2, -2}, {4, 2, 3}, {4, 3, 2}, {4, 1, 2}, {3, 2, 2}, {0, 0, 0}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			if _, err := SolvePositive(make([]float64, c.a), make([]float64, c.b), c.n); !errors.Is(err, ErrShape) {
				t.Errorf("got %v, want ErrShape", err)
			}
		})
	}
}

// TestFactorsForAnyWorkers: the same bits for any number of processors, at sizes that are shared out.
func TestFactorsForAnyWorkers(t *testing.T) {
	const n = 389
	rng := shapeRNG(n)
	a, m, b := randomSPD(rng, n), normals(rng, n*n), normals(rng, n)
	var first []float64
	for _, workers := range []int{1, 2, 3, 7} {
		before := runtime.GOMAXPROCS(workers)
		x, err := SolvePositive(a, b, n)
		l, err2 := LowerFactor(m, n)
		runtime.GOMAXPROCS(before)
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		both := slices.Concat(x, l)
		if first == nil {
			first = both
		}
		if !slices.EqualFunc(both, first, sameBits) {
			t.Errorf("%d processors give other bits than one", workers)
		}
	}
}
