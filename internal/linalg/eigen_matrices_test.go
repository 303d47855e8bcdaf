package linalg

import (
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"slices"
)

// symmetricCase is a matrix, and its spectrum where that is known.
type symmetricCase struct {
	name  string
	n     int
	a     []float64
	known []float64 // descending; nil: not known
}

func zeros(n int) []float64 { return make([]float64, n*n) }

func matrixOf(n int, at func(i, j int) float64) []float64 {
	a := zeros(n)
	for i := range n {
		for j := range n {
			a[i*n+j] = at(min(i, j), max(i, j))
		}
	}
	return a
}

// hadamard is H·diag(values)·Hᵀ/n for Sylvester's matrix H, n a power of two: for integer values below 2^40 its entries are exact, and its
// spectrum is values.
func hadamard(values []float64) []float64 {
	n := len(values)
	row := make([]float64, n) // A_ij depends on i xor j
	for x := range row {
		for k, v := range values {
			if bits.OnesCount(uint(x&k))%2 == 1 {
				v = -v
			}
			row[x] += v
		}
		row[x] /= float64(n)
	}
	return matrixOf(n, func(i, j int) float64 { return row[i^j] })
}

// blocks puts matrices on the diagonal and permutes rows and columns.
func blocks(rng *rand.Rand, parts ...symmetricCase) symmetricCase {
	out := symmetricCase{}
	for _, p := range parts {
		out.n += p.n
		out.known = append(out.known, p.known...)
	}
	order := rng.Perm(out.n)
	out.a = zeros(out.n)
	at := 0
	for _, p := range parts {
		for i := range p.n {
			for j := range p.n {
				out.a[order[at+i]*out.n+order[at+j]] = p.a[i*p.n+j]
			}
		}
		at += p.n
	}
	slices.SortFunc(out.known, func(x, y float64) int { return -compareFloats(x, y) })
	return out
}

func compareFloats(x, y float64) int {
	switch {
	case x < y:
		return -1
	case x > y:
		return 1
	}
	return 0
}

// times is the matrix and its spectrum times a power of two.
func (c symmetricCase) times(f float64) symmetricCase {
	out := symmetricCase{n: c.n}
	for _, v := range c.a {
		out.a = append(out.a, f*v)
	}
	for _, v := range c.known {
		out.known = append(out.known, f*v)
	}
	return out
}

func hadamardCase(n int, value func(k int) float64) symmetricCase {
	c := symmetricCase{n: n}
	for k := range n {
		c.known = append(c.known, value(k))
	}
	c.a = hadamard(c.known)
	slices.SortFunc(c.known, func(x, y float64) int { return -compareFloats(x, y) })
	return c
}

// knownSpectra are matrices with exact entries and eigenvalues that are known in closed form, up to 800 rows.
func knownSpectra() []symmetricCase {
	rng := rand.New(rand.NewPCG(31, 32))
	full := func(n int) symmetricCase { return hadamardCase(n, func(k int) float64 { return float64(k * k) }) }
	repeated := func(n int) symmetricCase {
		return hadamardCase(n, func(k int) float64 { return float64(k / 7 * 1000) })
	}
	deficient := func(n int) symmetricCase {
		return hadamardCase(n, func(k int) float64 {
			if k >= 3 {
				return 0
			}
			return float64(5 + k)
		})
	}
	none := func(n int) symmetricCase { return symmetricCase{n: n, a: zeros(n), known: make([]float64, n)} }
	laplacian := func(n int) symmetricCase {
		c := symmetricCase{n: n, a: matrixOf(n, func(i, j int) float64 {
			switch j - i {
			case 0:
				return 2
			case 1:
				return -1
			}
			return 0
		})}
		for k := n; k > 0; k-- {
			s := math.Sin(float64(k) * math.Pi / float64(2*(n+1)))
			c.known = append(c.known, 4*s*s)
		}
		return c
	}
	least := func(n int) symmetricCase { // min(i, j), whose inverse is a Laplacian
		c := symmetricCase{n: n, a: matrixOf(n, func(i, _ int) float64 { return float64(i + 1) })}
		for k := 1; k <= n; k++ {
			s := math.Sin(float64(2*k-1) * math.Pi / float64(4*n+2))
			c.known = append(c.known, 1/(4*s*s))
		}
		return c
	}
	out := []symmetricCase{}
	add := func(name string, c symmetricCase) {
		c.name = fmt.Sprintf("%s of %d", name, c.n)
		out = append(out, c)
	}
	add("one", hadamardCase(1, func(int) float64 { return -3 }))
	add("zeros", none(33))
	for _, n := range []int{2, 16, 128} {
		add("distinct", full(n))
		add("repeated", repeated(n))
		add("rank 2", deficient(n))
		add("all equal", hadamardCase(n, func(int) float64 { return 7 }))
		add("both signs", hadamardCase(n, func(k int) float64 { return float64((k - n/2) * 1024) }))
		add("graded up", blocks(rng, full(n), full(n).times(0x1p-40), full(n).times(0x1p-80), full(n).times(0x1p-120), full(n).times(0x1p-400)))
		add("one huge", blocks(rng, full(n), symmetricCase{n: 1, a: []float64{0x1p300}, known: []float64{0x1p300}}))
		add("tiny and none", blocks(rng, repeated(n).times(0x1p-500), none(3), full(n), deficient(n).times(0x1p-1040)))
	}
	add("laplacian", laplacian(100))
	add("min", least(100))
	add("mixed", blocks(rng, full(256), repeated(256).times(0x1p-30), deficient(128), none(60), laplacian(60), full(32).times(0x1p-420), least(8).times(0x1p-130)))
	add("tiny", blocks(rng, deficient(512).times(0x1p-405), full(256), none(32)))
	return out
}

// hostileMatrices have no known spectrum: what moves between magnitudes, ties and ranks.
func hostileMatrices(rng *rand.Rand, n int) []symmetricCase {
	scale := func(i int) float64 { return math.Ldexp(1, -i*200/n) }
	wild := func() float64 {
		return math.Ldexp(rng.NormFloat64(), -rng.IntN(260)) * float64(rng.IntN(3))
	}
	gram := func(rows int, cell func(i, j int) float64) []float64 {
		a := zeros(n)
		for r := range rows {
			for i := range n {
				for j := range n {
					a[i*n+j] += cell(r, i) * cell(r, j)
				}
			}
		}
		return a
	}
	cells := make([]float64, 64*n)
	for i := range cells {
		cells[i] = rng.NormFloat64()
	}
	cell := func(i, j int) float64 { return cells[(i%64)*n+j] }
	out := []symmetricCase{
		{name: "random", a: gram(40, cell)},
		{name: "rank 1", a: gram(1, cell)},
		{name: "rank 2, far apart", a: gram(2, func(i, j int) float64 { return cell(i, j) * math.Ldexp(1, -30*i) })},
		{name: "graded down", a: gram(40, func(i, j int) float64 { return cell(i, j) * scale(j) })},
		{name: "graded up", a: gram(40, func(i, j int) float64 { return cell(i, j) * scale(n-1-j) })},
		{name: "wild", a: matrixOf(n, func(int, int) float64 { return wild() })},
		{name: "nearly equal", a: matrixOf(n, func(i, j int) float64 {
			if i == j {
				return 1
			}
			return 0x1p-52 * float64((i+j)%3)
		})},
		{name: "at the edge of what counts", a: matrixOf(n, func(i, j int) float64 {
			if i == j {
				return math.Ldexp(1, -(i%2)*99)
			}
			return math.Ldexp(float64((i*j)%3), -100)
		})},
		{name: "Wilkinson", a: matrixOf(n, func(i, j int) float64 {
			switch j - i {
			case 0:
				return math.Abs(float64(i) - float64(n-1)/2)
			case 1:
				return 1
			}
			return 0
		})},
		{name: "glued", a: matrixOf(n, func(i, j int) float64 {
			switch {
			case i == j:
				return math.Abs(float64(i%5) - 2)
			case j == i+1 && j%5 == 0:
				return 0x1p-45
			case j == i+1:
				return 1
			}
			return 0
		})},
		{name: "swap", a: matrixOf(n, func(i, j int) float64 { // eigenvalues ±1: a shift that is one of them
			if i+j == n-1 {
				return 1
			}
			return 0
		})},
		{name: "all ones", a: matrixOf(n, func(int, int) float64 { return 1 })},
		{name: "attack", a: matrixOf(n, func(i, j int) float64 { // a block below 1e-122 before one of size 1
			switch {
			case i == j:
				return math.Ldexp(1, -405*((i/2+1)%2))
			case j == i+1 && i%2 == 0:
				return math.Ldexp(0.7, -405*((i/2+1)%2))
			}
			return 0
		})},
	}
	for i := range out {
		out[i].n = n
	}
	return out
}
