package linalg

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// The product follows the usual scheme of panels (Goto, van de Geijn 2008, Anatomy of High-Performance Matrix
// Multiplication): depth columns of op(A) and rows of op(B) at a time, op(B) in panels as wide as a tile, op(A) in
// panels as high as a tile, a few of which fill part of the second-level cache.
const (
	depth   = 256  // of a panel
	stripe  = 3072 // columns of op(B) at a time
	highest = 96   // rows of op(A) that are packed at a time
)

// operand is a row-major matrix, or its transpose.
type operand struct {
	data  []float64
	ld    int
	trans bool
}

// transposed is the transpose of the operand.
func (o operand) transposed() operand { return operand{o.data, o.ld, !o.trans} }

// from is the operand without its first i rows and j columns.
func (o operand) from(i, j int) operand {
	if o.trans {
		i, j = j, i
	}
	return operand{o.data[i*o.ld+j:], o.ld, o.trans}
}

var panels = sync.Pool{New: func() any { return new([]float64) }}

func panelOf(size int) *[]float64 {
	p := panels.Get().(*[]float64)
	if cap(*p) < size {
		*p = make([]float64, size)
	}
	*p = (*p)[:size]
	return p
}

// multiply adds op(A)·op(B) to the m×n matrix C, k being the inner dimension. An entry is the sum of sums over depth
// terms, each in order, so that it does not depend on the number of workers.
func multiply(s isa, m, n, k int, a, b operand, c []float64, ldc, workers int) {
	if terms(m, n, k) < 1<<20 { // 20 µs of work
		workers = 1
	}
	l := s.lanes()
	width := 3 * l
	high := highest
	if workers > 1 {
		high = max(l, min(high, (m/(2*workers)+l-1)/l*l))
	}
	bp := panelOf(min(k, depth) * (min(n, stripe) + width))
	defer panels.Put(bp)
	for j0 := 0; j0 < n; j0 += stripe {
		cols := min(stripe, n-j0)
		for k0 := 0; k0 < k; k0 += depth {
			d := min(depth, k-k0)
			share((cols+width-1)/width, workers, 8, func(i int) {
				j := i * width
				pack(s, (*bp)[j*d:], width, min(width, cols-j), d, b.from(k0, j0+j).transposed())
			})
			share((m+high-1)/high, workers, 1, func(i int) {
				i0 := i * high
				t := block{s: s, d: d, c: c, ldc: ldc}
				t.run(a.from(i0, k0), i0, min(high, m-i0), *bp, j0, cols)
			})
		}
	}
}

// share calls f for 0 to n-1 on that many workers, in runs of several.
func share(n, workers, run int, f func(i int)) {
	workers = min(workers, (n+run-1)/run)
	if workers <= 1 {
		for i := range n {
			f(i)
		}
		return
	}
	var next atomic.Int64
	work := func() {
		for {
			to := int(next.Add(int64(run)))
			if to-run >= n {
				return
			}
			for i := to - run; i < min(to, n); i++ {
				f(i)
			}
		}
	}
	var wg sync.WaitGroup
	for range workers - 1 {
		wg.Go(work)
	}
	work()
	wg.Wait()
}

// pack writes the first n rows and d columns of op(A) as a panel, in which the numbers of a column are neighbours and
// columns are width apart. Rows up to a whole vector count as zeros.
func pack(s isa, to []float64, width, n, d int, a operand) {
	if a.trans {
		s.padRows(d, n, a.data, a.ld, to, width)
		return
	}
	l := s.lanes()
	i := 0
	for ; i+4 <= n; i += 4 {
		r0, r1, r2, r3 := a.data[i*a.ld:][:d], a.data[(i+1)*a.ld:][:d], a.data[(i+2)*a.ld:][:d], a.data[(i+3)*a.ld:][:d]
		at := i
		for j, v := range r0 {
			t := (*[4]float64)(to[at:])
			t[0], t[1], t[2], t[3] = v, r1[j], r2[j], r3[j]
			at += width
		}
	}
	for ; i < (n+l-1)/l*l; i++ {
		for j := range d {
			to[j*width+i] = 0
			if i < n {
				to[j*width+i] = a.data[i*a.ld+j]
			}
		}
	}
}

// block is a product of d columns of op(A) and rows of op(B).
type block struct {
	s   isa
	d   int
	c   []float64
	ldc int
}

// run updates rows i0 to i0+rows and columns j0 to j0+cols of C. The first entry of a is that of row i0.
func (t *block) run(a operand, i0, rows int, bp []float64, j0, cols int) {
	l := t.s.lanes()
	width := 3 * l
	ap := panelOf((rows + l - 1) / l * l * t.d)
	defer panels.Put(ap)
	for i := 0; i < rows; i += l {
		pack(t.s, (*ap)[i*t.d:], l, min(l, rows-i), t.d, a.from(i, 0))
	}
	for j := 0; j < cols; j += width {
		for i := 0; i < rows; i += l {
			t.tile((*ap)[i*t.d:], bp[j*t.d:], i0+i, min(l, rows-i), j0+j, min(width, cols-j))
		}
	}
}

// tile updates h×w entries of C from (i, j) on.
func (t *block) tile(a, b []float64, i, h, j, w int) {
	l := t.s.lanes()
	vectors := (w + l - 1) / l
	if h == l && w == vectors*l {
		t.s.tile(vectors, t.d, a, l, b, 3*l, t.c[i*t.ldc+j:], t.ldc, 0)
		return
	}
	var edge [8 * 24]float64
	t.s.tile(vectors, t.d, a, l, b, 3*l, edge[:], 24, 0)
	for r := range h {
		for q := range w {
			t.c[(i+r)*t.ldc+j+q] += edge[r*24+q]
		}
	}
}

// terms is the number of products that a product of an m×k and a k×n matrix adds up.
func terms(m, n, k int) float64 { return float64(m) * float64(n) * float64(k) }

func processors() int { return runtime.GOMAXPROCS(0) }
