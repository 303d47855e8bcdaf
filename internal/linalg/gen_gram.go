//go:build ignore

package main

import (
	"fmt"
	"math"
)

// The kernels of Gram matrices: tiles, and the packing of rows into panels.

// tile: C += AᵀB for a k×lanes A and a k×(vectors·lanes) B. One accumulator per entry of C, which begins at start; that is taken off at the end.
func tile(s isa, vectors int) {
	rows := s.lanes
	acc := func(r, v int) string { return s.v(r*vectors + v) }
	b := rows * vectors
	text(fmt.Sprintf("tile%sx%d", s.name, vectors), 64, "k int, a *float64, lda int, b *float64, ldb int, c *float64, ldc int, start float64")
	op("MOVQ k+0(FP), CX")
	op("MOVQ a+8(FP), SI")
	op("MOVQ lda+16(FP), R8")
	op("MOVQ b+24(FP), DI")
	op("MOVQ ldb+32(FP), R9")
	op("MOVQ c+40(FP), DX")
	op("MOVQ ldc+48(FP), R10")
	for _, r := range []string{"R8", "R9", "R10"} {
		op("SHLQ $3, %s", r)
	}
	for i := range rows * vectors {
		op("VBROADCASTSD start+56(FP), %s", s.v(i))
	}
	op("PCALIGN $32")
	line("loop:")
	for v := range vectors {
		op("VMOVUPD %d(DI), %s", v*s.bytes(), s.v(b+v))
	}
	spare := min(s.regs-b-vectors, 4)
	for r := range rows {
		x := s.v(b + vectors + r%spare)
		op("VBROADCASTSD %d(SI), %s", 8*r, x)
		for v := range vectors {
			op("VFMADD231PD %s, %s, %s", s.v(b+v), x, acc(r, v))
		}
	}
	op("ADDQ R8, SI")
	op("ADDQ R9, DI")
	op("DECQ CX")
	op("JNZ loop")
	op("VBROADCASTSD start+56(FP), %s", s.v(b))
	for r := range rows {
		for v := range vectors {
			op("VSUBPD %s, %s, %s", s.v(b), acc(r, v), acc(r, v))
			op("VADDPD %d(DX), %s, %s", v*s.bytes(), acc(r, v), acc(r, v))
			op("VMOVUPD %s, %d(DX)", acc(r, v), v*s.bytes())
		}
		op("ADDQ R10, DX")
	}
	end()
}

// padRows copies rows into rows of another stride and fills their last vector with zeros.
func padRows(s isa) {
	text("padRows"+s.name, 48, "rows, cols int, x *float64, stride int, to *float64, ld int")
	op("MOVQ rows+0(FP), R11")
	op("MOVQ cols+8(FP), R12")
	op("MOVQ x+16(FP), SI")
	op("MOVQ stride+24(FP), R8")
	op("SHLQ $3, R8")
	op("MOVQ to+32(FP), DI")
	op("MOVQ ld+40(FP), R9")
	op("SHLQ $3, R9")
	op("MOVQ R12, R13")
	op("ANDQ $%d, R13", s.lanes-1)
	s.mask("R13", "AX", "BX")
	line("row:")
	op("MOVQ SI, AX")
	op("MOVQ DI, BX")
	op("MOVQ R12, CX")
	op("SUBQ $%d, CX", s.lanes)
	op("JLT tail")
	line("one:")
	op("VMOVUPD (AX), %s", s.v(0))
	op("VMOVUPD %s, (BX)", s.v(0))
	op("ADDQ $%d, AX", s.bytes())
	op("ADDQ $%d, BX", s.bytes())
	op("SUBQ $%d, CX", s.lanes)
	op("JGE one")
	line("tail:")
	op("TESTQ R13, R13")
	op("JZ next")
	s.loadTail("(AX)", s.v(0))
	op("VMOVUPD %s, (BX)", s.v(0))
	line("next:")
	op("ADDQ R8, SI")
	op("ADDQ R9, DI")
	op("DECQ R11")
	op("JNZ row")
	end()
}

// oddRows is padRows of numbers whose last bit is set unless they are 0, cut off at bound in size; NaN is 0.
func oddRows(s isa) {
	text("oddRows"+s.name, 56, "rows, cols int, x *float64, stride int, to *float64, ld int, bound float64")
	op("MOVQ rows+0(FP), R11")
	op("MOVQ cols+8(FP), R12")
	op("MOVQ x+16(FP), SI")
	op("MOVQ stride+24(FP), R8")
	op("SHLQ $3, R8")
	op("MOVQ to+32(FP), DI")
	op("MOVQ ld+40(FP), R9")
	op("SHLQ $3, R9")
	op("MOVQ R12, R13")
	op("ANDQ $%d, R13", s.lanes-1)
	s.mask("R13", "AX", "BX")
	op("VBROADCASTSD bound+48(FP), %s", s.v(10))
	op("MOVQ $0x7fffffffffffffff, AX")
	op("MOVQ AX, X11")
	op("VBROADCASTSD X11, %s", s.v(11)) // all but the sign
	op("MOVQ $1, AX")
	op("MOVQ AX, X12")
	op("VBROADCASTSD X12, %s", s.v(12))
	s.zero(13)
	q := "" // of the names of bitwise operations
	if s == avx512 {
		q = "Q"
	}
	odd := func() { // of register 0, into 1
		op("VPAND"+q+" %s, %s, %s", s.v(11), s.v(0), s.v(1))
		op("VMINPD %s, %s, %s", s.v(10), s.v(1), s.v(2))
		if s == avx512 {
			op("VCMPPD $0x1e, %s, %s, K2", s.v(13), s.v(1)) // above 0, and a number
			op("VPORQ.Z %s, %s, K2, %s", s.v(12), s.v(2), s.v(2))
		} else {
			op("VCMPPD $0x1e, %s, %s, %s", s.v(13), s.v(1), s.v(3))
			op("VPOR %s, %s, %s", s.v(12), s.v(2), s.v(2))
			op("VPAND %s, %s, %s", s.v(3), s.v(2), s.v(2))
		}
		op("VPANDN"+q+" %s, %s, %s", s.v(0), s.v(11), s.v(1))
		op("VPOR"+q+" %s, %s, %s", s.v(2), s.v(1), s.v(1))
	}
	line("row:")
	op("MOVQ SI, AX")
	op("MOVQ DI, BX")
	op("MOVQ R12, CX")
	op("SUBQ $%d, CX", s.lanes)
	op("JLT tail")
	line("one:")
	op("VMOVUPD (AX), %s", s.v(0))
	odd()
	op("VMOVUPD %s, (BX)", s.v(1))
	op("ADDQ $%d, AX", s.bytes())
	op("ADDQ $%d, BX", s.bytes())
	op("SUBQ $%d, CX", s.lanes)
	op("JGE one")
	line("tail:")
	op("TESTQ R13, R13")
	op("JZ next")
	s.loadTail("(AX)", s.v(0))
	odd()
	op("VMOVUPD %s, (BX)", s.v(1))
	line("next:")
	op("ADDQ R8, SI")
	op("ADDQ R9, DI")
	op("DECQ R11")
	op("JNZ row")
	end()
}

// roundRows writes scale·x, rounded to integers by adding and taking off 1.5·2^52, into rows of another stride, zeros in
// the rest of their last vector, and the inner product of every row with itself. A product is rounded before the sum.
func roundRows(s isa) {
	text("roundRows"+s.name, 64, "rows, cols int, x *float64, stride int, to *float64, ld int, scale float64, squares *float64")
	op("MOVQ rows+0(FP), R11")
	op("MOVQ cols+8(FP), R12")
	op("MOVQ x+16(FP), SI")
	op("MOVQ stride+24(FP), R8")
	op("SHLQ $3, R8")
	op("MOVQ to+32(FP), DI")
	op("MOVQ ld+40(FP), R9")
	op("SHLQ $3, R9")
	op("VBROADCASTSD scale+48(FP), %s", s.v(14))
	op("MOVQ squares+56(FP), R10")
	op("MOVQ R12, R13")
	op("ANDQ $%d, R13", s.lanes-1)
	s.mask("R13", "AX", "BX")
	op("MOVQ $0x%x, AX", math.Float64bits(0x1.8p52))
	op("MOVQ AX, X13")
	op("VBROADCASTSD X13, %s", s.v(13))
	round := func(x, sum int) {
		op("VMULPD %s, %s, %s", s.v(14), s.v(x), s.v(x+1))
		op("VFMADD231PD %[1]s, %[1]s, %[2]s", s.v(x), s.v(sum))
		op("VADDPD %s, %s, %s", s.v(13), s.v(x+1), s.v(x+1))
		op("VSUBPD %s, %s, %s", s.v(13), s.v(x+1), s.v(x+1))
	}
	line("row:")
	s.zero(0)
	s.zero(1)
	op("MOVQ SI, AX")
	op("MOVQ DI, BX")
	op("MOVQ R12, CX")
	op("SUBQ $%d, CX", 2*s.lanes)
	op("JLT ones")
	line("pairs:")
	for u := range 2 {
		op("VMOVUPD %d(AX), %s", u*s.bytes(), s.v(4+2*u))
		round(4+2*u, u)
		op("VMOVUPD %s, %d(BX)", s.v(5+2*u), u*s.bytes())
	}
	op("ADDQ $%d, AX", 2*s.bytes())
	op("ADDQ $%d, BX", 2*s.bytes())
	op("SUBQ $%d, CX", 2*s.lanes)
	op("JGE pairs")
	line("ones:")
	op("ADDQ $%d, CX", s.lanes)
	op("JLT tail")
	op("VMOVUPD (AX), %s", s.v(4))
	round(4, 0)
	op("VMOVUPD %s, (BX)", s.v(5))
	op("ADDQ $%d, AX", s.bytes())
	op("ADDQ $%d, BX", s.bytes())
	line("tail:")
	op("TESTQ R13, R13")
	op("JZ sum")
	s.loadTail("(AX)", s.v(4))
	round(4, 1)
	op("VMOVUPD %s, (BX)", s.v(5))
	line("sum:")
	op("VADDPD %s, %s, %s", s.v(1), s.v(0), s.v(0))
	if s == avx512 {
		op("VEXTRACTF64X4 $1, Z0, Y1")
		op("VADDPD Y1, Y0, Y0")
	}
	op("VEXTRACTF128 $1, Y0, X1")
	op("VADDPD X1, X0, X0")
	op("VHADDPD X0, X0, X0")
	op("VMOVLPD X0, (R10)")
	op("ADDQ $8, R10")
	op("ADDQ R8, SI")
	op("ADDQ R9, DI")
	op("DECQ R11")
	op("JNZ row")
	end()
}
