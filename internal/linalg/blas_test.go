package linalg

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/blas/gonum"
	"gonum.org/v1/gonum/blas/testblas"
	"gonum.org/v1/gonum/mat"
)

// TestRegistered: importing the package is enough.
func TestRegistered(t *testing.T) {
	if _, ours := blas64.Implementation().(Blas); ours != (active != portable) {
		t.Errorf("blas64 uses %T with %v kernels", blas64.Implementation(), active)
	}
}

// TestGonumsOwnTests runs gonum's tests of an implementation of BLAS, wrong arguments included.
func TestGonumsOwnTests(t *testing.T) {
	everyISA(t, func(t *testing.T, _ isa) {
		testblas.TestDgemm(t, Blas{})
		testblas.DsyrkTest(t, Blas{})
		testblas.Dsyr2kTest(t, Blas{})
		testblas.DtrsmTest(t, Blas{})
		testblas.DgemvTest(t, Blas{})
		testblas.DgerTest(t, Blas{})
		testblas.DdotTest(t, Blas{})
		testblas.DaxpyTest(t, Blas{})
	})
}

var (
	transposes = []blas.Transpose{blas.NoTrans, blas.Trans, blas.ConjTrans}
	triangles  = []blas.Uplo{blas.Upper, blas.Lower}
	factors    = []float64{0, 1, -1, 0.7, -2.5}
)

func pick[T any](rng *rand.Rand, of []T) T { return of[rng.IntN(len(of))] }

// padded returns rows of n numbers and their distance, NaN between them.
func padded(rng *rand.Rand, rows, n int) ([]float64, int) {
	ld := n + rng.IntN(4)
	a := normals(rng, max((rows-1)*ld+n, 0))
	for i := range a {
		if i%ld >= n {
			a[i] = math.NaN()
		}
	}
	return a, ld
}

// agree compares results entry by entry; an error of tol, and NaN where both have it, pass.
func agree(t *testing.T, name string, got, want []float64, tol float64) {
	t.Helper()
	for i := range got {
		same := got[i] == want[i] || math.IsNaN(got[i]) && math.IsNaN(want[i])
		if !same && !(math.Abs(got[i]-want[i]) <= tol) {
			t.Fatalf("%s: number %d is %.17g, gonum's own has %.17g", name, i, got[i], want[i])
		}
	}
}

// TestLikeGonum compares every routine with gonum's own on random shapes, distances of rows, transposes, triangles
// and factors. What lies between rows is NaN, and stays.
func TestLikeGonum(t *testing.T) {
	own := gonum.Implementation{}
	everyISA(t, func(t *testing.T, s isa) {
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
			if s == portable && m*n*k > 1<<20 {
				continue
			}
			alpha, beta := pick(rng, factors), pick(rng, factors)
			tA, tB, ul := pick(rng, transposes), pick(rng, transposes), pick(rng, triangles)
			name := fmt.Sprintf("m, n, k = %d, %d, %d, %c%c%c, alpha %g, beta %g", m, n, k, tA, tB, ul, alpha, beta)
			shape := func(t blas.Transpose, rows, cols int) ([]float64, int) {
				if t == blas.NoTrans {
					return padded(rng, rows, cols)
				}
				return padded(rng, cols, rows)
			}
			tol := float64(k+8) * 0x1p-50 * 30
			a, lda := shape(tA, m, k)
			b, ldb := shape(tB, k, n)
			c, ldc := padded(rng, m, n)
			got, want := slices.Clone(c), slices.Clone(c)
			Blas{}.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, got, ldc)
			own.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, want, ldc)
			agree(t, "Dgemm, "+name, got, want, tol)

			b, ldb = shape(tA, m, k)
			c, ldc = padded(rng, m, m)
			got, want = slices.Clone(c), slices.Clone(c)
			Blas{}.Dsyrk(ul, tA, m, k, alpha, a, lda, beta, got, ldc)
			own.Dsyrk(ul, tA, m, k, alpha, a, lda, beta, want, ldc)
			agree(t, "Dsyrk, "+name, got, want, tol)
			Blas{}.Dsyr2k(ul, tA, m, k, alpha, a, lda, b, ldb, beta, got, ldc)
			own.Dsyr2k(ul, tA, m, k, alpha, a, lda, b, ldb, beta, want, ldc)
			agree(t, "Dsyr2k, "+name, got, want, 4*tol)

			a, lda = padded(rng, m, n)
			x, y := normals(rng, max(m, n)), normals(rng, max(m, n))
			got, want = slices.Clone(y), slices.Clone(y)
			Blas{}.Dgemv(tA, m, n, alpha, a, lda, x, 1, beta, got, 1)
			own.Dgemv(tA, m, n, alpha, a, lda, x, 1, beta, want, 1)
			agree(t, "Dgemv, "+name, got, want, tol+float64(m+n)*0x1p-46)
			Blas{}.Daxpy(n, alpha, x, 1, got, 1)
			own.Daxpy(n, alpha, x, 1, want, 1)
			agree(t, "Daxpy, "+name, got, want, tol+float64(m+n)*0x1p-46)
			agree(t, "Ddot, "+name, []float64{Blas{}.Ddot(n, x, 1, y, 1)}, []float64{own.Ddot(n, x, 1, y, 1)}, float64(n)*0x1p-48)
			got, want = slices.Clone(a), slices.Clone(a)
			Blas{}.Dger(m, n, alpha, x, 1, y, 1, got, lda)
			own.Dger(m, n, alpha, x, 1, y, 1, want, lda)
			agree(t, "Dger, "+name, got, want, 0x1p-46)
		}
	})
}

// TestTallDsyrk: the path of tall matrices.
func TestTallDsyrk(t *testing.T) {
	own := gonum.Implementation{}
	everyISA(t, func(t *testing.T, _ isa) {
		rng := shapeRNG(22)
		for _, n := range []int{4, 9, 26, 50} {
			for _, ul := range triangles {
				k := 512 + rng.IntN(6000)
				a, lda := padded(rng, k, n)
				c, ldc := padded(rng, n, n)
				got, want := slices.Clone(c), slices.Clone(c)
				Blas{}.Dsyrk(ul, blas.Trans, n, k, 0.3, a, lda, -2, got, ldc)
				own.Dsyrk(ul, blas.Trans, n, k, 0.3, a, lda, -2, want, ldc)
				agree(t, fmt.Sprintf("%d×%d", k, n), got, want, float64(k)*0x1p-46)
			}
		}
	})
}

// TestDtrsm: the residual of the solution, for every kind of triangular system; the other triangle holds NaN, and so
// does the diagonal where it is understood to be 1.
func TestDtrsm(t *testing.T) {
	everyISA(t, func(t *testing.T, _ isa) {
		rng := shapeRNG(23)
		for _, side := range []blas.Side{blas.Left, blas.Right} {
			for _, ul := range triangles {
				for _, tA := range transposes {
					for _, diag := range []blas.Diag{blas.Unit, blas.NonUnit} {
						m, n := 49+rng.IntN(120), 49+rng.IntN(120)
						size := m
						if side == blas.Right {
							size = n
						}
						lda := size + rng.IntN(3)
						full, a := make([]float64, size*size), make([]float64, size*lda)
						for i := range size {
							for j := range size {
								v := rng.NormFloat64() / float64(size)
								switch {
								case i == j && diag == blas.Unit:
									full[i*size+j], a[i*lda+j] = 1, math.NaN()
								case i == j:
									v = 1 + rng.Float64()
									full[i*size+j], a[i*lda+j] = v, v
								case (j > i) == (ul == blas.Upper):
									full[i*size+j], a[i*lda+j] = v, v
								default:
									a[i*lda+j] = math.NaN()
								}
							}
						}
						b, ldb := padded(rng, m, n)
						x := slices.Clone(b)
						Blas{}.Dtrsm(side, ul, tA, diag, m, n, -1.5, a, lda, x, ldb)
						back := make([]float64, len(b))
						own := gonum.Implementation{}
						if side == blas.Left {
							own.Dgemm(tA, blas.NoTrans, m, n, m, 1, full, size, x, ldb, 0, back, ldb)
						} else {
							own.Dgemm(blas.NoTrans, tA, m, n, n, 1, x, ldb, full, size, 0, back, ldb)
						}
						for i := range b {
							if i%ldb < n && !(math.Abs(back[i]+1.5*b[i]) <= 1e-12) {
								t.Fatalf("%c%c%c%c, %d×%d: op(A)·X has %g, want %g", side, ul, tA, diag, m, n, back[i], -1.5*b[i])
							}
							if i%ldb >= n && !math.IsNaN(x[i]) {
								t.Fatalf("%c%c%c%c, %d×%d: wrote between rows", side, ul, tA, diag, m, n)
							}
						}
					}
				}
			}
		}
	})
}

// TestShortSlices: a slice that lacks its last number, and rows that overlap, panic before anything is read or written.
func TestShortSlices(t *testing.T) {
	everyISA(t, func(t *testing.T, _ isa) {
		const m, n, k = 130, 140, 150
		numbers := func(size int) []float64 { return make([]float64, size, size+4096) } // room that a kernel could reach
		for _, c := range []struct {
			name   string
			sizes  []int // of the slices
			widths []int // row lengths
			call   func(x [][]float64, ld []int)
		}{
			{"Dgemm", []int{m * k, k * n, m * n}, []int{k, n, n}, func(x [][]float64, ld []int) {
				Blas{}.Dgemm(blas.NoTrans, blas.NoTrans, m, n, k, 1, x[0], ld[0], x[1], ld[1], 1, x[2], ld[2])
			}},
			{"Dgemm, transposed", []int{m * k, k * n, m * n}, []int{m, k, n}, func(x [][]float64, ld []int) {
				Blas{}.Dgemm(blas.Trans, blas.Trans, m, n, k, 1, x[0], ld[0], x[1], ld[1], 1, x[2], ld[2])
			}},
			{"Dsyrk", []int{m * k, m * m}, []int{k, m}, func(x [][]float64, ld []int) {
				Blas{}.Dsyrk(blas.Upper, blas.NoTrans, m, k, 1, x[0], ld[0], 1, x[1], ld[1])
			}},
			{"Dsyrk, tall", []int{4 * 600, 16}, []int{4, 4}, func(x [][]float64, ld []int) {
				Blas{}.Dsyrk(blas.Lower, blas.Trans, 4, 600, 1, x[0], ld[0], 1, x[1], ld[1])
			}},
			{"Dsyr2k", []int{m * k, m * k, m * m}, []int{k, k, m}, func(x [][]float64, ld []int) {
				Blas{}.Dsyr2k(blas.Lower, blas.NoTrans, m, k, 1, x[0], ld[0], x[1], ld[1], 1, x[2], ld[2])
			}},
			{"Dtrsm", []int{m * m, m * n}, []int{m, n}, func(x [][]float64, ld []int) {
				Blas{}.Dtrsm(blas.Left, blas.Lower, blas.NoTrans, blas.Unit, m, n, 1, x[0], ld[0], x[1], ld[1])
			}},
			{"Dgemv", []int{m * n, n, m}, []int{n}, func(x [][]float64, ld []int) {
				Blas{}.Dgemv(blas.NoTrans, m, n, 1, x[0], ld[0], x[1], 1, 1, x[2], 1)
			}},
			{"Dgemv, transposed", []int{m * n, m, n}, []int{n}, func(x [][]float64, ld []int) {
				Blas{}.Dgemv(blas.Trans, m, n, 1, x[0], ld[0], x[1], 1, 1, x[2], 1)
			}},
			{"Dger", []int{m * n, m, n}, []int{n}, func(x [][]float64, ld []int) {
				Blas{}.Dger(m, n, 1, x[1], 1, x[2], 1, x[0], ld[0])
			}},
			{"Ddot", []int{n, n}, nil, func(x [][]float64, _ []int) { Blas{}.Ddot(n, x[0], 1, x[1], 1) }},
			{"Daxpy", []int{n, n}, nil, func(x [][]float64, _ []int) { Blas{}.Daxpy(n, 1, x[0], 1, x[1], 1) }},
		} {
			for bad := range len(c.sizes) + len(c.widths) {
				var x [][]float64
				for i, size := range c.sizes {
					if i == bad {
						size--
					}
					x = append(x, numbers(size))
				}
				ld := slices.Clone(c.widths)
				if i := bad - len(c.sizes); i >= 0 {
					ld[i]--
				}
				func() {
					defer func() {
						if recover() == nil {
							t.Errorf("%s: argument %d is short: no panic", c.name, bad)
						}
					}()
					c.call(x, ld)
				}()
			}
		}
	})
}

// TestNaNReachesProducts: an entry of the product has NaN exactly if its row or column has, by a factor 0 too; C has
// none if beta is 0.
func TestNaNReachesProducts(t *testing.T) {
	everyISA(t, func(t *testing.T, _ isa) {
		const n = 40
		rng := shapeRNG(24)
		a, b, c := make([]float64, n*n), normals(rng, n*n), make([]float64, n*n)
		for i := range c {
			c[i] = math.NaN()
		}
		a[3*n+8], b[20*n+31] = math.NaN(), math.Inf(-1)
		Blas{}.Dgemm(blas.NoTrans, blas.NoTrans, n, n, n, 1, a, n, b, n, 0, c, n)
		for i := range n {
			for j := range n {
				if got, want := math.IsNaN(c[i*n+j]), i == 3 || j == 31; got != want {
					t.Errorf("entry (%d, %d) is %g", i, j, c[i*n+j])
				}
			}
		}
	})
}

// TestProductAnyWorkers: the same bits for any number of workers, in every part.
func TestProductAnyWorkers(t *testing.T) {
	everyISA(t, func(t *testing.T, s isa) {
		rng := shapeRNG(25)
		const m, k = 130, 300
		a, b := normals(rng, m*k), normals(rng, k*m)
		for _, p := range []part{whole, upper, lower} {
			var first []float64
			for _, workers := range []int{1, 2, 3, 7} {
				c := make([]float64, m*m)
				multiply(s, m, m, k, 0.9, operand{a, k, false}, operand{b, m, false}, c, m, p, workers)
				if first == nil {
					first = c
				}
				if !slices.Equal(c, first) {
					t.Errorf("part %d: %d workers give other bits than one", p, workers)
				}
			}
		}
	})
}

// TestGonumUsesKernels: a product, a factorization and a solution through gonum's mat.
func TestGonumUsesKernels(t *testing.T) {
	const n = 150
	a := mat.NewSymDense(n, randomSPD(shapeRNG(26), n))
	for i := range n {
		a.SetSym(i, i, a.At(i, i)+n)
	}
	var chol mat.Cholesky
	if !chol.Factorize(a) {
		t.Fatal("no factor")
	}
	var l mat.TriDense
	chol.LTo(&l)
	var back mat.Dense
	back.Mul(&l, l.T())
	if !mat.EqualApprox(&back, a, 1e-10) {
		t.Error("L Lᵀ is not the matrix")
	}
	var x, ax mat.Dense
	b := mat.NewDense(n, 60, normals(shapeRNG(27), 60*n))
	if err := x.Solve(a, b); err != nil {
		t.Fatal(err)
	}
	ax.Mul(a, &x)
	if !mat.EqualApprox(&ax, b, 1e-9) {
		t.Error("A X is not B")
	}
}
