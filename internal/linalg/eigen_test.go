package linalg

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/internal/single"
)

func symmetric(t testing.TB, a []float64, n int, bound float64) Spectrum {
	t.Helper()
	s, err := Symmetric(a, n, bound)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func largestOf(a []float64) (largest float64) {
	for _, v := range a {
		largest = max(largest, math.Abs(v))
	}
	return largest
}

// room is what [Symmetric] may be off by.
func room(a []float64, n int, bound float64) float64 {
	scale := max(bound, largestOf(a))
	if scale == 0 {
		return 0
	}
	size := 0.0
	for _, v := range a {
		size = math.Hypot(size, v/scale)
	}
	return scale * (EigenRounding(n)*size + 0x1p-99*float64(n))
}

// TestKnownSpectra: every eigenvalue of matrices of up to 800 rows, tiny, huge, repeated, zero and rank-deficient blocks in any order.
func TestKnownSpectra(t *testing.T) {
	for _, c := range knownSpectra() {
		for _, bound := range []float64{0, largestOf(c.a), 0x1p20 * largestOf(c.a)} {
			if bound > largestOf(c.a) && c.n > 200 {
				continue
			}
			s := symmetric(t, c.a, c.n, bound)
			e := room(c.a, c.n, bound)
			if !slices.IsSortedFunc(s.Values, func(x, y float64) int { return -compareFloats(x, y) }) {
				t.Errorf("%s: values are not in order", c.name)
			}
			for k, v := range s.Values {
				if !(math.Abs(v-c.known[k]) <= e) {
					t.Errorf("%s, bound %g: value %d is %.17g, want %.17g ± %.3g", c.name, bound, k, v, c.known[k], e)
					break
				}
			}
		}
	}
}

// TestPromise checks, in 300 bits, what the documentation says of ‖A − VᵀΛV‖_F and ‖VVᵀ − 1‖_F, on hostile matrices, both for QL and for
// Jacobi's method alone.
func TestPromise(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 34))
	worst := map[bool][2]float64{}
	for _, n := range []int{1, 2, 3, 4, 7, 12, 25} {
		for _, c := range hostileMatrices(rng, n) {
			for _, f := range []float64{1, 0x1p-400, 0x1p400, 0x1p-1022} {
				a := make([]float64, n*n)
				for i, v := range c.a {
					a[i] = v * f
				}
				for _, bound := range []float64{0, 0x1p60 * largestOf(a), 0x1p98 * largestOf(a)} {
					for _, sweeps := range []int{mostSweeps, 0} {
						s := decompose(a, n, bound, sweeps)
						residual, off := exactResiduals(a, s, n)
						e := room(a, n, bound)
						if !(residual <= e) || !(off <= orthogonalPart(n)) {
							t.Errorf("%s of %d times %g, bound %g, %d sweeps: A is off by %.3g, want %.3g; VVᵀ by %.3g, want %.3g", c.name, n, f, bound, sweeps, residual, e, off, orthogonalPart(n))
						}
						w := worst[sweeps > 0]
						if e > 0 {
							w[0] = max(w[0], residual/e)
						}
						w[1] = max(w[1], off/orthogonalPart(n))
						worst[sweeps > 0] = w
					}
				}
			}
		}
	}
	t.Logf("largest part of what is promised: QL %.3g of A, %.3g of VVᵀ; Jacobi %.3g, %.3g", worst[true][0], worst[true][1], worst[false][0], worst[false][1])
}

// exactResiduals are ‖A − VᵀΛV‖_F and ‖VVᵀ − 1‖_F, V row by row an eigenvector.
func exactResiduals(a []float64, s Spectrum, n int) (residual, off float64) {
	number := func(x float64) *big.Float { return new(big.Float).SetPrec(300).SetFloat64(x) }
	v := make([]*big.Float, n*n)
	for i, x := range s.Vectors {
		v[i] = number(x)
	}
	r, o, p := number(0), number(0), number(0)
	for i := range n {
		for j := range n {
			d, g := number(-a[min(i, j)*n+max(i, j)]), number(0)
			if i == j {
				g.SetInt64(-1)
			}
			for k := range n {
				p.Mul(v[k*n+i], v[k*n+j])
				d.Add(d, p.Mul(p, number(s.Values[k])))
				g.Add(g, p.Mul(v[i*n+k], v[j*n+k]))
			}
			r.Add(r, d.Mul(d, d))
			o.Add(o, g.Mul(g, g))
		}
	}
	residual, _ = r.Sqrt(r).Float64()
	off, _ = o.Sqrt(o).Float64()
	return residual, off
}

// TestSmallBlocksDecideNothing: entries below 2^-100 of the bound change no bit of what comes out. A solver that scales each block by
// itself, and forgets to, made eigenvalues of another 1e120 times as large of two such columns.
func TestSmallBlocksDecideNothing(t *testing.T) {
	four := func(x float64, first bool) []float64 {
		if first {
			return []float64{x, x / 2, 0, 0, x / 2, x, 0, 0, 0, 0, 1, 0.5, 0, 0, 0.5, 1}
		}
		return []float64{1, 0.5, 0, 0, 0.5, 1, 0, 0, 0, 0, x, x / 2, 0, 0, x / 2, x}
	}
	for _, first := range []bool{true, false} {
		want := symmetric(t, four(0, first), 4, 1)
		if !(math.Abs(want.Values[0]-1.5) < 1e-15 && math.Abs(want.Values[1]-0.5) < 1e-15) {
			t.Fatalf("got %v, want 1.5 and 0.5", want.Values)
		}
		for _, x := range []float64{1e-31, 1e-60, 1e-100, 1e-121, 1e-123, 1e-130, 1e-200, 1e-300, 5e-324} {
			if got := symmetric(t, four(x, first), 4, 1); !slices.Equal(got.Values, want.Values) || !slices.Equal(got.Vectors, want.Vectors) {
				t.Errorf("blocks of 1 and %g: got %v, want %v", x, got.Values, want.Values)
			}
		}
		for _, x := range []float64{1e-29, 1e-20, 1e-10} {
			if got := symmetric(t, four(x, first), 4, 1); !(math.Abs(got.Values[0]-1.5) < 1e-15 && math.Abs(got.Values[2]-1.5*x) < 1e-15) {
				t.Errorf("blocks of 1 and %g: got %v", x, got.Values)
			}
		}
	}
}

// TestScalesAreExact: a power of two times the matrix and the bound is that power times the values, bit by bit, and the same vectors.
func TestScalesAreExact(t *testing.T) {
	rng := rand.New(rand.NewPCG(35, 36))
	for _, c := range hostileMatrices(rng, 9) {
		want := symmetric(t, c.a, c.n, 4)
		for _, e := range []int{-600, -300, 1, 300, 900} {
			f := math.Ldexp(1, e)
			got := symmetric(t, c.times(f).a, c.n, 4*f)
			for k, v := range got.Values {
				if v != want.Values[k]*f {
					t.Errorf("%s: times 2^%d has %g, want %g", c.name, e, v, want.Values[k]*f)
				}
			}
			if !slices.Equal(got.Vectors, want.Vectors) && e > -300 { // below, small entries are lost by the matrix itself
				t.Errorf("%s: times 2^%d has other vectors", c.name, e)
			}
		}
	}
}

// TestSymmetricIsTotal: whatever the entries and the bound are, there are finite numbers at the end, and no error.
func TestSymmetricIsTotal(t *testing.T) {
	single.Goroutine(t)
	odd := []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64, -math.MaxFloat64, 5e-324, math.Copysign(0, -1), 0, 1}
	rng := rand.New(rand.NewPCG(37, 38))
	for n := 1; n < 9; n++ {
		for range 60 {
			a := zeros(n)
			for i := range a {
				a[i] = odd[rng.IntN(len(odd))]
			}
			for _, bound := range []float64{0, 1, -1, math.NaN(), math.Inf(1), math.MaxFloat64, 5e-324} {
				s := symmetric(t, a, n, bound)
				for _, v := range s.Vectors {
					if !(math.Abs(v) <= 1.5) {
						t.Fatalf("%v, bound %g: vectors %v", a, bound, s.Vectors)
					}
				}
				for _, v := range s.Values {
					if math.IsNaN(v) {
						t.Fatalf("%v, bound %g: values %v", a, bound, s.Values)
					}
				}
			}
		}
	}
	if _, err := Symmetric(make([]float64, 3), 2, 1); !errors.Is(err, ErrShape) {
		t.Errorf("three numbers: got %v, want %v", err, ErrShape)
	}
	if _, err := Symmetric(nil, 0, 1); !errors.Is(err, ErrShape) {
		t.Errorf("no rows: got %v, want %v", err, ErrShape)
	}
}

// TestReadsUpperTriangle: what is below the diagonal is not looked at, and nothing is written.
func TestReadsUpperTriangle(t *testing.T) {
	rng := rand.New(rand.NewPCG(39, 40))
	for _, c := range hostileMatrices(rng, 6) {
		want := symmetric(t, c.a, c.n, 0)
		other := slices.Clone(c.a)
		for i := range c.n {
			for j := range i {
				other[i*c.n+j] = math.NaN()
			}
		}
		before := slices.Clone(other)
		got := symmetric(t, other, c.n, 0)
		if !slices.Equal(got.Values, want.Values) || !slices.Equal(got.Vectors, want.Vectors) {
			t.Errorf("%s: the lower triangle counts", c.name)
		}
		for i, v := range other {
			if v != before[i] && !math.IsNaN(before[i]) {
				t.Fatalf("%s: entry %d was changed", c.name, i)
			}
		}
	}
}

// TestCheckSees: a wrong value, vector or length does not pass as accurate.
func TestCheckSees(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 42))
	for _, n := range []int{2, 5, 30, 200} {
		c := hostileMatrices(rng, n)[0]
		full, _ := scaled(c.a, n, 0)
		good := jacobi(slices.Clone(full), n)
		if !good.accurate(full) {
			t.Fatalf("n = %d: what is right does not pass", n)
		}
		least := 4 * orthogonalPart(n) // of 1, the largest entry
		for name, spoil := range map[string]func(s Spectrum){
			"value":      func(s Spectrum) { s.Values[0] += 4 * least * float64(n) },
			"all values": func(s Spectrum) { s.Values[0], s.Values[1] = 1e120, 1e120 },
			"NaN":        func(s Spectrum) { s.Values[1] = math.NaN() },
			"vector":     func(s Spectrum) { s.Vectors[0] += least },
			"length": func(s Spectrum) {
				for j := range n {
					s.Vectors[j] *= 1 + least
				}
			},
			"swapped": func(s Spectrum) { s.Values[0], s.Values[1] = s.Values[1], s.Values[0] },
			"twice":   func(s Spectrum) { copy(s.Vectors, s.Vectors[n:2*n]); s.Values[0] = s.Values[1] },
		} {
			s := Spectrum{slices.Clone(good.Values), slices.Clone(good.Vectors)}
			spoil(s)
			if s.accurate(full) {
				t.Errorf("n = %d: a wrong %s passes", n, name)
			}
		}
	}
}

// TestProductsAreParted: eachProduct gives rows to 2^-70, where a plain sum in float64 is off by n·2^-53.
func TestProductsAreParted(t *testing.T) {
	rng := rand.New(rand.NewPCG(43, 44))
	everyISA(t, func(t *testing.T, _ isa) {
		for _, n := range []int{1, 3, 40, 130} {
			x, y := make([]float64, n*n), make([]float64, n*n)
			for i := range x {
				x[i], y[i] = 2*rng.Float64()-1, 2*rng.Float64()-1
			}
			eachProduct(x, y, n, func(row int, high, low []float64) float64 {
				for j := range n {
					want := new(big.Float).SetPrec(200)
					for k := range n {
						p := new(big.Float).SetPrec(200).SetFloat64(x[row*n+k])
						want.Add(want, p.Mul(p, new(big.Float).SetFloat64(y[j*n+k])))
					}
					want.Sub(want, new(big.Float).SetFloat64(high[j]))
					want.Sub(want, new(big.Float).SetFloat64(low[j]))
					if d, _ := want.Float64(); !(math.Abs(d) <= float64(n*n)*0x1p-70) {
						t.Fatalf("n = %d: entry (%d, %d) is off by %g", n, row, j, d)
					}
				}
				return 0
			})
		}
	})
}

// TestSameBitsEverywhere: the decomposition of matrices that are made without a rounding, digested. The digest was computed once on
// amd64; kernels, processors and architecture must not show in it.
func TestSameBitsEverywhere(t *testing.T) {
	const want = "f38f2c926e3c513e95b15a500085c4a7"
	digest := func() string {
		h := sha256.New()
		rng := rand.New(rand.NewPCG(45, 46))
		for _, n := range []int{1, 2, 5, 8, 31, 130} {
			a := make([]float64, n*n)
			for i := range a {
				a[i] = math.Ldexp(float64(rng.IntN(1<<20)-1<<19), -rng.IntN(1+rng.IntN(120)))
			}
			s := symmetric(t, a, n, 0x1p20)
			for _, v := range slices.Concat(s.Values, s.Vectors) {
				if err := binary.Write(h, binary.LittleEndian, math.Float64bits(v)); err != nil {
					t.Fatal(err)
				}
			}
		}
		return fmt.Sprintf("%x", h.Sum(nil)[:16])
	}
	everyISA(t, func(t *testing.T, _ isa) {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
		for _, workers := range []int{1, 3} {
			runtime.GOMAXPROCS(workers)
			if got := digest(); got != want {
				t.Errorf("%d workers: got %s, want %s", workers, got, want)
			}
		}
	})
}

// FuzzSymmetric reads a matrix of up to five rows from bytes: magnitudes from all of float64.
func FuzzSymmetric(f *testing.F) {
	for _, data := range [][]byte{
		{0, 7, 0, 0, 0},
		{1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0}, // a tie
		{3, 1, 0, 206, 0, 0, 128, 206, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 206, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 128, 0, 0}, // 2^-400 beside 1
		{2, 1, 0, 242, 0, 1, 0, 243, 0, 1, 0, 244, 0, 1, 0, 245, 0, 1, 0, 246, 0, 1, 0, 247, 0, 1, 0, 248, 0, 1, 0, 249, 0, 1, 0, 0, 0},                               // graded
		{4, 200, 3, 120, 7, 1, 2, 136, 1, 0, 1, 128, 0, 100, 0, 127, 0},
	} {
		for _, bound := range []float64{0, 1, 1e30, -1} {
			f.Add(data, bound)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte, bound float64) {
		if len(data) == 0 {
			return
		}
		n := 1 + int(data[0])%5
		a := zeros(n)
		for i := range a {
			if len(data) >= 4*i+5 {
				d := data[4*i+1:]
				a[i] = math.Ldexp(float64(int8(d[0]))+float64(d[1])/256, int(int8(d[2]))*8+int(d[3]%8))
			}
		}
		s := symmetric(t, a, n, bound)
		if !(math.Abs(bound) <= 1e300) || !(largestOf(a) <= 1e300) {
			return
		}
		residual, off := exactResiduals(a, s, n)
		if e := room(a, n, max(bound, 0)); !(residual <= e+5e-324*float64(n*n)) || !(off <= orthogonalPart(n)) {
			t.Errorf("%v, bound %g: A is off by %g, want %g, VVᵀ by %g", a, bound, residual, e, off)
		}
	})
}

// TestNoSecondOpinion: QL passes the check on hostile matrices and known spectra, in a quarter of the sweeps that it may take.
func TestNoSecondOpinion(t *testing.T) {
	rng := rand.New(rand.NewPCG(47, 48))
	cases := knownSpectra()
	for _, n := range []int{2, 3, 6, 17, 53, 53, 53, 200} {
		cases = append(cases, hostileMatrices(rng, n)...)
	}
	for _, c := range cases {
		for _, bound := range []float64{0, 0x1p90 * largestOf(c.a)} {
			full, _ := scaled(c.a, c.n, bound)
			tri := tridiagonalise(full, c.n)
			z := tri.basis()
			tri.diagonalise(z, mostSweeps/4)
			if !ordered(tri.d, z.row).accurate(full) {
				t.Errorf("%s of %d, bound %g: QL does not pass", c.name, c.n, bound)
			}
		}
	}
}
