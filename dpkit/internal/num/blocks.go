package num

import (
	"math"
	"slices"
	"sync"

	"github.com/dpkit-go/dpnb/internal/linalg"
)

// A Block maps n rows, which lie one behind the other in src, to n rows of dst. A row's image depends on that row alone.
type Block = func(dst, src []float64, n int)

// StripRows is how many rows of so many cells are mapped at a time, so that they stay in a first-level cache: 16 kB of them, by four, as
// kernels take rows.
func StripRows(cols int) int { return max(8, (1<<11)/max(cols, 1)&^3) }

// Strips calls fn for the places of strips of n rows, which lie in rows of so many cells.
func Strips(n, cols int, fn func(from, to int)) {
	size := StripRows(cols)
	for from := 0; from < n; from += size {
		fn(from, min(from+size, n))
	}
}

// Chain maps rows by one map after the other; widths are those of the rows between two maps, one less than maps.
func Chain(maps []Block, widths []int) Block {
	switch len(maps) {
	case 0:
		return func(dst, src []float64, _ int) { copy(dst, src) }
	case 1:
		return maps[0]
	}
	most := slices.Max(widths)
	size := StripRows(most)
	buffers := sync.Pool{New: func() any { return new([2][]float64) }}
	return func(dst, src []float64, n int) {
		if n == 0 {
			return
		}
		b := buffers.Get().(*[2][]float64)
		for k := range b {
			b[k] = slices.Grow(b[k][:0], min(n, size)*most)
		}
		in, out := len(src)/n, len(dst)/n
		for from := 0; from < n; from += size {
			to := min(from+size, n)
			cur := src[from*in : to*in]
			for i, f := range maps[:len(maps)-1] {
				next := b[i&1][:(to-from)*widths[i]]
				f(next, cur, to-from)
				cur = next
			}
			maps[len(maps)-1](dst[from*out:to*out], cur, to-from)
		}
		buffers.Put(b)
	}
}

// A repeatedRow is a row of values, and as often as it takes to have at least 256 of them: loops over the cells of several rows at a time, which few
// rows are not worth.
type repeatedRow struct {
	once []float64
	many func() []float64
}

func repeated(values []float64) repeatedRow {
	once := slices.Clone(values)
	if len(once) == 0 {
		return repeatedRow{nil, func() []float64 { return nil }}
	}
	return repeatedRow{once, sync.OnceValue(func() []float64 { return slices.Repeat(once, (255+len(once))/len(once)) })}
}

// under is a whole number of rows of the values, for so many cells.
func (r repeatedRow) under(cells int) []float64 {
	if cells < 64 && cells <= 8*len(r.once) {
		return r.once
	}
	return r.many()
}

// Affine maps every cell x of column j to (x − shift[j])·scale[j].
func Affine(shift, scale []float64) Block {
	shifts, scales := repeated(shift), repeated(scale)
	return func(dst, src []float64, _ int) {
		shift, scale := shifts.under(len(src)), scales.under(len(src))
		for len(src) > 0 {
			k := min(len(src), len(shift))
			linalg.Affine(dst[:k], src, shift, scale)
			dst, src = dst[k:], src[k:]
		}
	}
}

// FillRows replaces missing cells of each column by its value.
func FillRows(values []float64) Block {
	rows := repeated(values)
	return func(dst, src []float64, _ int) {
		values := rows.under(len(src))
		for len(src) > 0 {
			k := min(len(src), len(values))
			Fill(dst[:k], src[:k], values)
			dst, src = dst[k:], src[k:]
		}
	}
}

// ClipRows is [ClipRow] of n rows. dst may be src. It reports whether all cells are numbers, none so large that squares leave the range of float64.
func ClipRows(dst, src []float64, r float64, n int) (whole bool) {
	whole = true
	if len(src) == 0 {
		return whole
	}
	d := len(src) / n
	inside := -1.0 // squares up to here are those of rows that stay: 2^-50 is for what rounds until norms are compared
	if r >= 0x1p-400 {
		inside = r * r * (1 - 0x1p-50)
	}
	if d == 1 {
		if v := largest(src); v*v <= inside {
			copy(dst, src)
			return whole
		}
	}
	var squares [64]float64
	for from := 0; from < n; from += len(squares) {
		to := min(from+len(squares), n)
		dst, src, squares := dst[from*d:to*d], src[from*d:to*d], squares[:to-from]
		linalg.RowSquares(squares, src, d)
		if &dst[0] != &src[0] {
			copy(dst, src)
		}
		for i, s := range squares {
			if !(s <= inside) {
				whole = whole && s <= math.MaxFloat64
				clip(dst[i*d:(i+1)*d], src[i*d:(i+1)*d], r, s)
			}
		}
	}
	return whole
}

// largest is the largest size of numbers, or NaN where one is none: sizes are in the order of their bits.
func largest(x []float64) float64 {
	const size = 1<<63 - 1
	var a, b, c, d uint64
	for ; len(x) >= 4; x = x[4:] {
		a, b = max(a, math.Float64bits(x[0])&size), max(b, math.Float64bits(x[1])&size)
		c, d = max(c, math.Float64bits(x[2])&size), max(d, math.Float64bits(x[3])&size)
	}
	for _, v := range x {
		a = max(a, math.Float64bits(v)&size)
	}
	return math.Float64frombits(max(a, b, c, d))
}

// Columns copies rows and then maps the cells of some columns, each by f, which is handed the column's place in the list.
func Columns(at []int, f func(k int, x float64) float64) Block {
	return func(dst, src []float64, n int) {
		copy(dst, src)
		if n == 0 {
			return
		}
		d := len(src) / n
		for k, j := range at {
			for i := j; i < len(src); i += d {
				dst[i] = f(k, src[i])
			}
		}
	}
}

// ClampColumns copies rows and clamps column at[k] to [lo(k), hi(k)]. Missing cells stay.
func ClampColumns(at []int, bounds func(k int) (lo, hi float64)) Block {
	return func(dst, src []float64, n int) {
		copy(dst, src)
		if n == 0 {
			return
		}
		d := len(src) / n
		for k, j := range at {
			lo, hi := bounds(k)
			for i := j; i < len(src); i += d {
				dst[i] = Clamp(src[i], lo, hi)
			}
		}
	}
}

// Widened copies n rows to wider ones.
func Widened(dst, src []float64, n int) {
	if n == 0 {
		return
	}
	in, out := len(src)/n, len(dst)/n
	CopyColumns(dst, src, 0, 0, in, out, in, n)
}

// CopyColumns copies k neighbouring columns of n rows: from column j of rows of in cells to column i of rows of out cells.
func CopyColumns(dst, src []float64, i, j, k, out, in, n int) {
	switch {
	case k == 0:
	case k < 8: // a call for so few takes longer
		for c := range k {
			to, from := i+c, j+c
			for range n {
				dst[to] = src[from]
				to, from = to+out, from+in
			}
		}
	default:
		for r := range n {
			copy(dst[r*out+i:r*out+i+k], src[r*in+j:r*in+j+k])
		}
	}
}

// missing makes cells missing.
func missing(cells []float64) {
	for i := range cells {
		cells[i] = math.NaN()
	}
}

// Encode writes the blocks of 0/1 cells, k wide, of a column of codes: column j of rows of in cells becomes the columns from i on of rows of
// out cells, which are 0. What is no code, as only a map that does not belong to the schema gives, misses.
func Encode(dst, src []float64, i, j, k, out, in, n int) {
	to, from := i, j
	for range n {
		if code := src[from]; code >= 0 && code < float64(k) {
			dst[to+int(code)] = 1
		} else {
			missing(dst[to : to+k])
		}
		to, from = to+out, from+in
	}
}
