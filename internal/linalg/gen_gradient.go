//go:build ignore

package main

import (
	"fmt"
	"math"
)

// The kernels of clipped gradients: margins, the factors of the logistic loss, and the weighted sum of rows.

// dotRows: the inner product of every row with w, and of every row with itself if squares is set.
func dotRows(s isa, squares bool) {
	name, args := "dotRows"+s.name, 48
	signature := "rows, cols int, x *float64, stride int, w, dots *float64"
	if squares {
		name, args = "dotSquareRows"+s.name, 56
		signature = "rows, cols int, x *float64, stride int, w, dots, squares *float64"
	}
	text(name, args, signature)
	op("MOVQ rows+0(FP), R11")
	op("MOVQ cols+8(FP), R12")
	op("MOVQ x+16(FP), SI")
	op("MOVQ stride+24(FP), R8")
	op("SHLQ $3, R8")
	op("MOVQ w+32(FP), DI")
	op("MOVQ dots+40(FP), R9")
	if squares {
		op("MOVQ squares+48(FP), R10")
	}
	op("MOVQ R12, R13")
	op("ANDQ $%d, R13", s.lanes-1)
	s.mask("R13", "AX", "BX")
	const unroll = 4
	x := func(u int) string { return s.v(8 + u%4) }
	fma := func(u int, mem string) {
		op("VFMADD231PD %s, %s, %s", mem, x(u), s.v(u))
		if squares {
			op("VFMADD231PD %[1]s, %[1]s, %[2]s", x(u), s.v(4+u))
		}
	}
	line("row:")
	for u := range unroll {
		s.zero(u)
		if squares {
			s.zero(4 + u)
		}
	}
	op("MOVQ SI, AX")
	op("MOVQ DI, BX")
	op("MOVQ R12, CX")
	op("SUBQ $%d, CX", unroll*s.lanes)
	op("JLT ones")
	line("blocks:")
	for u := range unroll {
		op("VMOVUPD %d(AX), %s", u*s.bytes(), x(u))
		fma(u, fmt.Sprintf("%d(BX)", u*s.bytes()))
	}
	op("ADDQ $%d, AX", unroll*s.bytes())
	op("ADDQ $%d, BX", unroll*s.bytes())
	op("SUBQ $%d, CX", unroll*s.lanes)
	op("JGE blocks")
	line("ones:")
	op("ADDQ $%d, CX", (unroll-1)*s.lanes)
	op("JLT tail")
	line("one:")
	op("VMOVUPD (AX), %s", x(0))
	fma(0, "(BX)")
	op("ADDQ $%d, AX", s.bytes())
	op("ADDQ $%d, BX", s.bytes())
	op("SUBQ $%d, CX", s.lanes)
	op("JGE one")
	line("tail:")
	op("TESTQ R13, R13")
	op("JZ sum")
	s.loadTail("(AX)", x(1))
	s.loadTail("(BX)", x(2))
	fma(1, x(2))
	line("sum:")
	first := []int{0}
	if squares {
		first = append(first, 4)
	}
	for _, f := range first {
		op("VADDPD %s, %s, %s", s.v(f+1), s.v(f), s.v(f))
		op("VADDPD %s, %s, %s", s.v(f+3), s.v(f+2), s.v(f+2))
		op("VADDPD %s, %s, %s", s.v(f+2), s.v(f), s.v(f))
		if s == avx512 {
			op("VEXTRACTF64X4 $1, Z%d, Y%d", f, f+1)
			op("VADDPD Y%d, Y%d, Y%d", f+1, f, f)
		}
		op("VEXTRACTF128 $1, Y%d, X%d", f, f+1)
		op("VADDPD X%d, X%d, X%d", f+1, f, f)
	}
	op("VXORPD X1, X1, X1") // −0 becomes 0, whatever zeros were added before
	if squares {
		op("VHADDPD X4, X0, X0")
		op("VADDPD X1, X0, X0")
		op("VMOVLPD X0, (R9)")
		op("VMOVHPD X0, (R10)")
		op("ADDQ $8, R10")
	} else {
		op("VHADDPD X0, X0, X0")
		op("VADDPD X1, X0, X0")
		op("VMOVLPD X0, (R9)")
	}
	op("ADDQ $8, R9")
	op("ADDQ R8, SI")
	op("DECQ R11")
	op("JNZ row")
	end()
}

// addRoundedRows: sums += Σ f·row, rounded to integers, over the rows with f other than 0. A run of columns is held in
// registers while it goes down all rows.
func addRoundedRows(s isa) {
	text("addRoundedRows"+s.name, 48, "rows, cols int, x *float64, stride int, f *float64, sums *int64")
	op("MOVQ cols+8(FP), R12")
	op("MOVQ x+16(FP), SI")
	op("MOVQ stride+24(FP), R8")
	op("SHLQ $3, R8")
	op("MOVQ sums+40(FP), DI")
	op("MOVQ R12, R13")
	op("ANDQ $%d, R13", s.lanes-1)
	s.mask("R13", "AX", "BX")
	const magic, weight, offset = 13, 12, 8 // registers; 8 to 11 hold products
	op("MOVQ $0x4338000000000000, DX")
	op("VMOVQ DX, X%d", magic)
	op("VBROADCASTSD X%d, %s", magic, s.v(magic))
	// down goes down the rows with n vectors; the last of them partial if tail is set.
	down := func(label string, n int, tail bool) {
		for u := range n {
			if tail {
				s.loadTail("(DI)", s.v(u))
			} else {
				op("VMOVUPD %d(DI), %s", u*s.bytes(), s.v(u))
			}
		}
		op("MOVQ rows+0(FP), CX")
		op("MOVQ f+32(FP), R9")
		op("MOVQ SI, AX")
		op("XORQ R10, R10")
		line("%sRow:", label)
		op("MOVQ (R9), BX")
		op("ADDQ BX, BX") // ±0 only
		op("JZ %sNext", label)
		op("VBROADCASTSD (R9), %s", s.v(weight))
		for u := range n {
			mem := fmt.Sprintf("%d(AX)", u*s.bytes())
			p := s.v(8 + u)
			if tail {
				s.loadTail(mem, p)
				mem = p
			}
			op("VMULPD %s, %s, %s", mem, s.v(weight), p)
			op("VADDPD %s, %s, %s", p, s.v(magic), p)
			op("VPADDQ %s, %s, %s", p, s.v(u), s.v(u))
		}
		op("INCQ R10")
		line("%sNext:", label)
		op("ADDQ R8, AX")
		op("ADDQ $8, R9")
		op("DECQ CX")
		op("JNZ %sRow", label)
		op("IMULQ DX, R10")
		op("VMOVQ R10, X%d", offset)
		op("VPBROADCASTQ X%d, %s", offset, s.v(offset))
		for u := range n {
			op("VPSUBQ %s, %s, %s", s.v(offset), s.v(u), s.v(u))
			if tail {
				s.storeTail(s.v(u), "(DI)")
			} else {
				op("VMOVUPD %s, %d(DI)", s.v(u), u*s.bytes())
			}
		}
		if !tail {
			op("ADDQ $%d, SI", n*s.bytes())
			op("ADDQ $%d, DI", n*s.bytes())
		}
	}
	op("SUBQ $%d, R12", 4*s.lanes)
	op("JLT ones")
	line("fours:")
	down("four", 4, false)
	op("SUBQ $%d, R12", 4*s.lanes)
	op("JGE fours")
	line("ones:")
	op("ADDQ $%d, R12", 3*s.lanes)
	op("JLT tail")
	line("one:")
	down("one", 1, false)
	op("SUBQ $%d, R12", s.lanes)
	op("JGE one")
	line("tail:")
	op("TESTQ R13, R13")
	op("JZ done")
	down("tail", 1, true)
	line("done:")
	end()
}

const degree = 13 // of the Taylor polynomial of exp on |r| ≤ ½ ln 2: its remainder is below 2^-57

// The places of constants in their table; those of the polynomial follow.
const (
	cOne = iota
	cMinusTwo
	cLowest
	cLog2E
	cMagic
	cLn2High
	cLn2Low
	cLargest
	cSign
	cTaylor
)

func constants() []float64 {
	const high = 0x1.62e42fefa38p-1 // 11 zeros at its end: exact times any exponent
	c := []float64{1, -2, -708, math.Log2E, 0x1.8p52, high, math.Ln2 - high, math.MaxFloat64, math.Copysign(0, -1)}
	f := 1.0
	for i := range degree + 1 {
		c = append(c, 1/f)
		f *= float64(i + 1)
	}
	return c
}

// logistic: f = q·min(σ(q·m), clip/√square)·scale for q = 1-2y, 0 where the square is not finite or the result NaN.
// A NaN margin may leave e^a as any number, so that z is asked too.
// With a = -|q·m| ≥ -708 and the integer k next to a/ln 2, e^a = 2^k·e^r; 2^k is added to the exponent.
func logistic(s isa) {
	text("logistic"+s.name, 56, "n int, f, margins, squares, y *float64, clip, scale float64")
	op("MOVQ n+0(FP), R12")
	op("MOVQ f+8(FP), DI")
	op("MOVQ margins+16(FP), SI")
	op("MOVQ squares+24(FP), R8")
	op("MOVQ y+32(FP), R9")
	op("LEAQ logistic<>(SB), R10")
	op("MOVQ R12, R13")
	op("ANDQ $%d, R13", s.lanes-1)
	s.mask("R13", "AX", "BX")
	load := func(c, to int) { op("VBROADCASTSD %d(R10), %s", 8*c, s.v(to)) }
	const q, z, a, t, k, p, c, sq, one, two = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
	and, or := "VANDPD", "VORPD"
	if s == avx512 {
		or = "VPORQ"
	}
	// lanes computes a vector of results in register p.
	lanes := func(tail bool) {
		fetch := func(from string, to int) {
			if tail {
				s.loadTail("("+from+")", s.v(to))
			} else {
				op("VMOVUPD (%s), %s", from, s.v(to))
			}
		}
		fetch("R9", q)
		fetch("SI", z)
		fetch("R8", sq)
		load(cOne, one)
		load(cMinusTwo, two)
		op("VFMADD213PD %s, %s, %s", s.v(one), s.v(two), s.v(q)) // q = 1-2y
		op("VMULPD %s, %s, %s", s.v(q), s.v(z), s.v(z))
		load(cSign, c)
		op("%s %s, %s, %s", or, s.v(c), s.v(z), s.v(a))
		load(cLowest, c)
		op("VMAXPD %s, %s, %s", s.v(a), s.v(c), s.v(a))
		load(cLog2E, t)
		load(cMagic, c)
		op("VFMADD213PD %s, %s, %s", s.v(c), s.v(a), s.v(t))
		op("VSUBPD %s, %s, %s", s.v(c), s.v(t), s.v(k))
		load(cLn2High, c)
		op("VFNMADD231PD %s, %s, %s", s.v(c), s.v(k), s.v(a))
		load(cLn2Low, c)
		op("VFNMADD231PD %s, %s, %s", s.v(c), s.v(k), s.v(a))
		load(cTaylor+degree, p)
		for i := degree - 1; i >= 0; i-- {
			load(cTaylor+i, c)
			op("VFMADD213PD %s, %s, %s", s.v(c), s.v(a), s.v(p))
		}
		op("VPSLLQ $52, %s, %s", s.v(t), s.v(t))
		op("VPADDQ %s, %s, %s", s.v(t), s.v(p), s.v(p)) // e^a
		op("VADDPD %s, %s, %s", s.v(one), s.v(p), s.v(t))
		// σ(z) = 1/(1+e^a), for negative z e^a/(1+e^a).
		s.zero(c)
		if s == avx512 {
			op("VCMPPD $1, %s, %s, K2", s.v(c), s.v(z))
			op("VBLENDMPD %s, %s, K2, %s", s.v(p), s.v(one), s.v(p))
		} else {
			op("VBLENDVPD %s, %s, %s, %s", s.v(z), s.v(p), s.v(one), s.v(p))
		}
		op("VDIVPD %s, %s, %s", s.v(t), s.v(p), s.v(p))
		op("VSQRTPD %s, %s", s.v(sq), s.v(a))
		op("VBROADCASTSD clip+40(FP), %s", s.v(c))
		op("VDIVPD %s, %s, %s", s.v(a), s.v(c), s.v(c))
		op("VMINPD %s, %s, %s", s.v(p), s.v(c), s.v(p)) // NaN of the sigmoid stays
		op("VMULPD %s, %s, %s", s.v(q), s.v(p), s.v(p))
		op("VBROADCASTSD scale+48(FP), %s", s.v(c))
		op("VMULPD %s, %s, %s", s.v(c), s.v(p), s.v(p))
		load(cLargest, c)
		if s == avx512 {
			op("VCMPPD $2, %s, %s, K2", s.v(c), s.v(sq))
			op("VCMPPD $7, %s, %s, K2, K2", s.v(z), s.v(p))
			op("VMOVAPD.Z %s, K2, %s", s.v(p), s.v(p))
		} else {
			op("VCMPPD $2, %s, %s, %s", s.v(c), s.v(sq), s.v(c))
			op("%s %s, %s, %s", and, s.v(c), s.v(p), s.v(p))
			op("VCMPPD $7, %s, %s, %s", s.v(z), s.v(p), s.v(c))
			op("%s %s, %s, %s", and, s.v(c), s.v(p), s.v(p))
		}
		if tail {
			s.storeTail(s.v(p), "(DI)")
		} else {
			op("VMOVUPD %s, (DI)", s.v(p))
		}
	}
	op("SUBQ $%d, R12", s.lanes)
	op("JLT tail")
	line("whole:")
	lanes(false)
	for _, r := range []string{"R9", "SI", "R8", "DI"} {
		op("ADDQ $%d, %s", s.bytes(), r)
	}
	op("SUBQ $%d, R12", s.lanes)
	op("JGE whole")
	line("tail:")
	op("TESTQ R13, R13")
	op("JZ done")
	lanes(true)
	line("done:")
	end()
}
