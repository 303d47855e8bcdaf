package linalg

import (
	"encoding/binary"
	"math"
	"math/bits"

	"github.com/dpkit-go/dpnb/internal/cpu"
)

// isa is an instruction set. Its methods are the kernels; they check nothing: every cell that a shape implies must be
// there, every count must be at least 1.
//
//   - tile: C += AᵀB for a k×lanes matrix A and a k×(vectors·lanes) matrix B, vectors 1 to 3, rows lda, ldb and ldc
//     apart. An entry is one sum in the order of k, from start, which is taken off at the end. Where start is not 0 products are not rounded before
//     they are added.
//   - dotRows: dots[i] = x_i·w, never −0; dotSquareRows: and squares[i] = x_i·x_i.
//   - addRoundedRows: sums += Σ_i of the f_i·x_ij rounded to the nearest integers, ties to even. A row with
//     f_i = 0 is not looked at.
//   - padRows: copies rows to rows ld apart, with zeros up to the next multiple of lanes.
//   - oddRows: padRows of numbers whose last bit is set unless they are 0, cut off at bound in size before; NaN is 0.
//   - roundRows: padRows of scale·x rounded to the nearest integers, ties to even, where these are at most 2^51; and
//     squares[i] = x_i·x_i.
//   - logistic: see [LogisticFactors].
//   - rotate: rows of a panel of eight columns, p[at:] row k+1 of the first rotation, become c·row k+1 + z·row k and c·row k − z·row k+1,
//     for falling k. reflect: rows of eight numbers become (1 − tau·v·vᵀ) times them. These two have the same bits everywhere.
//   - nearBoxes: see [NearBoxes].
//   - affine: see [Affine]. rowSquares: see [RowSquares]. fourColumns: see [FourColumns]. These three have the same bits everywhere.
//   - packRows, dotColumns, sumRounded, roundProducts: of [Packed] rows. These four have the same bits everywhere.
type isa cpu.Set

const (
	portable = isa(cpu.Portable)
	avx2     = isa(cpu.AVX2)
	avx512   = isa(cpu.AVX512)
)

// active is the instruction set in use.
var active = isa(cpu.Detect())

// lanes is the number of rows of a tile, and of float64 in a vector.
func (s isa) lanes() int {
	if s == avx512 {
		return 8
	}
	return 4
}

func (s isa) String() string { return cpu.Set(s).String() }

// tileGo is the tile of 4 rows in parts of 2×4 entries, which fit in registers.
func tileGo(vectors, k int, a []float64, lda int, b []float64, ldb int, c []float64, ldc int, start float64) {
	if start != 0 {
		tileFusedGo(vectors, k, a, lda, b, ldb, c, ldc, start)
		return
	}
	for i := 0; i < 4; i += 2 {
		for j := 0; j < 4*vectors; j += 4 {
			var s00, s01, s02, s03, s10, s11, s12, s13 float64
			for l := range k {
				u := (*[2]float64)(a[l*lda+i:])
				v := (*[4]float64)(b[l*ldb+j:])
				x, y := u[0], u[1]
				s00 += x * v[0]
				s10 += y * v[0]
				s01 += x * v[1]
				s11 += y * v[1]
				s02 += x * v[2]
				s12 += y * v[2]
				s03 += x * v[3]
				s13 += y * v[3]
			}
			to := (*[4]float64)(c[i*ldc+j:])
			to[0] += s00
			to[1] += s01
			to[2] += s02
			to[3] += s03
			to = (*[4]float64)(c[(i+1)*ldc+j:])
			to[0] += s10
			to[1] += s11
			to[2] += s12
			to[3] += s13
		}
	}
}

// tileFusedGo is the tile whose sums begin elsewhere than at 0.
func tileFusedGo(vectors, k int, a []float64, lda int, b []float64, ldb int, c []float64, ldc int, start float64) {
	for i := range 4 {
		for j := 0; j < 4*vectors; j += 4 {
			s0, s1, s2, s3 := start, start, start, start
			for l := range k {
				x, v := a[l*lda+i], (*[4]float64)(b[l*ldb+j:])
				s0 = math.FMA(x, v[0], s0)
				s1 = math.FMA(x, v[1], s1)
				s2 = math.FMA(x, v[2], s2)
				s3 = math.FMA(x, v[3], s3)
			}
			to := (*[4]float64)(c[i*ldc+j:])
			to[0] += s0 - start
			to[1] += s1 - start
			to[2] += s2 - start
			to[3] += s3 - start
		}
	}
}

func dotRowsGo(rows, cols int, x []float64, stride int, w, dots []float64) {
	w = w[:cols]
	for i := range rows {
		row := x[i*stride:][:len(w)]
		var s0, s1, s2, s3 float64
		j := 0
		for ; j+4 <= len(w); j += 4 {
			u, v := (*[4]float64)(row[j:]), (*[4]float64)(w[j:])
			s0 += u[0] * v[0]
			s1 += u[1] * v[1]
			s2 += u[2] * v[2]
			s3 += u[3] * v[3]
		}
		for ; j < len(w); j++ {
			s0 += row[j] * w[j]
		}
		dots[i] = (s0 + s1) + (s2 + s3) + 0 // −0 becomes 0
	}
}

func dotSquareRowsGo(rows, cols int, x []float64, stride int, w, dots, squares []float64) {
	dotRowsGo(rows, cols, x, stride, w, dots)
	for i := range rows {
		row := x[i*stride:][:cols]
		dotRowsGo(1, cols, row, cols, row, squares[i:])
	}
}

func addRoundedRowsGo(rows, cols int, x []float64, stride int, f []float64, sums []int64) {
	const magic = 0x1.8p52 // a sum with it has steps of 1; that of float64(f*v) is rounded apart, never fused
	offset := int64(math.Float64bits(magic))
	sums = sums[:cols]
	for i := range rows {
		if f := f[i]; f != 0 {
			row := x[i*stride:][:len(sums)]
			for j, v := range row {
				sums[j] += int64(math.Float64bits(float64(f*v)+magic)) - offset
			}
		}
	}
}

func padRowsGo(rows, cols int, x []float64, stride int, to []float64, ld int) {
	padded := (cols + 3) &^ 3
	for i := range rows {
		row := to[i*ld:][:padded]
		copy(row, x[i*stride:][:cols])
		clear(row[cols:])
	}
}

func oddRowsGo(rows, cols int, x []float64, stride int, to []float64, ld int, bound float64) {
	padRowsGo(rows, cols, x, stride, to, ld)
	for i := range rows {
		row := to[i*ld:][:cols]
		for j, v := range row {
			switch size := math.Abs(v); {
			case size > 0:
				row[j] = math.Copysign(math.Float64frombits(math.Float64bits(min(size, bound))|1), v)
			default: // 0, or NaN
				row[j] = 0
			}
		}
	}
}

func roundRowsGo(rows, cols int, x []float64, stride int, to []float64, ld int, scale float64, squares []float64) {
	const magic = 0x1.8p52 // as in addRoundedRowsGo
	padded := (cols + 3) &^ 3
	for i := range rows {
		row, from := to[i*ld:][:padded], x[i*stride:][:cols]
		for j, v := range from {
			row[j] = float64(v*scale) + magic - magic
		}
		clear(row[cols:])
		dotRowsGo(1, cols, from, cols, from, squares[i:])
	}
}

func logisticGo(f, margins, squares, y []float64, clip, scale float64) {
	for i, m := range margins {
		q := 1 - 2*y[i]
		z := q * m
		e := math.Exp(max(-math.Abs(z), -708)) // where e^z is a normal number
		p := 1.0
		if z < 0 {
			p = e
		}
		p /= 1 + e
		if c := clip / math.Sqrt(squares[i]); c < p {
			p = c
		}
		p = q * p * scale
		if !(squares[i] <= math.MaxFloat64) || math.IsNaN(p) {
			p = 0
		}
		f[i] = p
	}
}

func affineGo(dst, src, shift, scale []float64) {
	src, shift, scale = src[:len(dst)], shift[:len(dst)], scale[:len(dst)]
	for j, x := range src {
		dst[j] = (x - shift[j]) * scale[j]
	}
}

func fourColumnsGo(to []float64, stride int, columns *[4][]byte) {
	for j, column := range columns {
		for at := j; len(column) >= 8; at, column = at+stride, column[8:] {
			to[at] = math.Float64frombits(binary.LittleEndian.Uint64(column))
		}
	}
}

func rowSquaresGo(squares, x []float64, cols int) {
	for i := range squares {
		var s float64
		for _, v := range x[i*cols : (i+1)*cols] {
			s += float64(v * v) // never fused
		}
		squares[i] = s
	}
}

// packedVector are eight neighbouring columns, some of which are of blocks.
type packedVector struct {
	codes  [8]uint64 // what a set one adds to the cells of four groups, of 16 bits each
	blocks [8]uint64 // a bit for its block
	first  int64     // of the columns
	of     uint64    // bits of those of blocks
}

// packedRow is what is found of the set cells of a row.
type packedRow struct {
	either, both uint64 // bits of one cell or another, and of all
	codes        uint64
	more         uint64 // than the blocks that they are of
}

// packRowsGo finds it, of len(to) rows.
func packRowsGo(x []float64, stride int, of []packedVector, to []packedRow) {
	for i := range to {
		r, blocks := packedRow{both: ^uint64(0)}, uint64(0)
		for k := range of {
			v := &of[k]
			for l := range 8 {
				if v.of>>l&1 == 0 {
					continue
				}
				if cell := math.Float64bits(x[i*stride+int(v.first)+l]); cell != 0 {
					r.either, r.both = r.either|cell, r.both&cell
					r.codes += v.codes[l]
					r.more++
					blocks |= v.blocks[l]
				}
			}
		}
		r.more -= uint64(bits.OnesCount64(blocks))
		to[i] = r
	}
}

// dotColumnsGo: m = sizes·m + Σ w_j·x_j + plus, for columns of x that are ld apart.
func dotColumnsGo(ld int, x, w, sizes, m []float64, plus float64) {
	for i, v := range m {
		v *= sizes[i]
		for j, w := range w {
			v = math.FMA(w, x[j*ld+i], v)
		}
		m[i] = v + 0 + plus // −0 becomes 0
	}
}

// sumRoundedGo is Σ round(f_i·x_i) over the f_i other than 0; x goes on by step for every eight.
func sumRoundedGo(f, x []float64, step int) int64 {
	const magic = 0x1.8p52
	var sum int64
	offset := int64(math.Float64bits(magic))
	for i, v := range f {
		if v != 0 {
			sum += int64(math.Float64bits(float64(v*x[i/8*step+i%8])+magic)) - offset
		}
	}
	return sum
}

func roundProductsGo(r []int64, f, h []float64) {
	const magic = 0x1.8p52
	offset := int64(math.Float64bits(magic))
	for i, v := range f {
		if r[i] = 0; v != 0 {
			r[i] = int64(math.Float64bits(float64(v*h[i])+magic)) - offset
		}
	}
}
