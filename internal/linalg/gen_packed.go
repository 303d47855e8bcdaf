//go:build ignore

package main

// The kernels of packed rows, for AVX-512 alone. See Packed.

// packRows: of each row the or and the and of the cells of blocks that are not +0, the sum of what they add to codes, and how many they are beyond
// the blocks that they are of. Memory of other cells is not touched.
func packRows(s isa) {
	text("packRows"+s.name, 48, "rows int, x *float64, stride, vectors int, of *packedVector, to *packedRow")
	op("MOVQ rows+0(FP), R11")
	op("MOVQ x+8(FP), SI")
	op("MOVQ stride+16(FP), R8")
	op("SHLQ $3, R8")
	op("MOVQ vectors+24(FP), R12")
	op("MOVQ of+32(FP), R9")
	op("MOVQ to+40(FP), DI")
	const either, both, code, blocks, cell = 0, 1, 2, 3, 4
	line("row:")
	s.zero(either)
	op("VPTERNLOGQ $255, %[1]s, %[1]s, %[1]s", s.v(both)) // ones
	s.zero(code)
	s.zero(blocks)
	op("XORQ R10, R10") // cells
	op("MOVQ R9, BX")
	op("MOVQ R12, CX")
	line("vector:")
	op("MOVQ %d(BX), DX", 2*s.bytes())
	op("KMOVW %d(BX), K1", 2*s.bytes()+8)
	op("VMOVDQU64.Z (SI)(DX*8), K1, %s", s.v(cell))
	op("VPTESTMQ %[1]s, %[1]s, K2", s.v(cell))
	op("VPORQ %s, %[2]s, %[2]s", s.v(cell), s.v(either))
	op("VPANDQ %s, %[2]s, K2, %[2]s", s.v(cell), s.v(both))
	op("VPADDQ (BX), %[1]s, K2, %[1]s", s.v(code))
	op("VPORQ %d(BX), %[2]s, K2, %[2]s", s.bytes(), s.v(blocks))
	op("KMOVW K2, AX")
	op("POPCNTL AX, AX")
	op("ADDQ AX, R10")
	op("ADDQ $%d, BX", 2*s.bytes()+16)
	op("DECQ CX")
	op("JNZ vector")
	for i, by := range []string{"VPOR", "VPAND", "VPADDQ", "VPOR"} {
		op("VEXTRACTI64X4 $1, Z%d, Y%d", i, cell)
		op("%s Y%d, Y%[3]d, Y%[3]d", by, cell, i)
		op("VEXTRACTI128 $1, Y%d, X%d", i, cell)
		op("%s X%d, X%[3]d, X%[3]d", by, cell, i)
		op("VPSRLDQ $8, X%d, X%d", i, cell)
		op("%s X%d, X%[3]d, X%[3]d", by, cell, i)
	}
	for i := range 3 {
		op("VMOVQ X%d, %d(DI)", i, 8*i)
	}
	op("VMOVQ X%d, AX", blocks)
	op("POPCNTQ AX, AX")
	op("SUBQ AX, R10")
	op("MOVQ R10, 24(DI)")
	op("ADDQ $32, DI")
	op("ADDQ R8, SI")
	op("DECQ R11")
	op("JNZ row")
	end()
}

// dotColumns: m = sizes·m + Σ w_j·x_j + plus, cell by cell, from left to right, products fused. Columns of x are ld apart, and hold whole vectors.
func dotColumns(s isa) {
	text("dotColumns"+s.name, 64, "n, cols int, x *float64, ld int, w, sizes, m *float64, plus float64")
	op("MOVQ n+0(FP), R12")
	op("MOVQ cols+8(FP), R11")
	op("MOVQ x+16(FP), SI")
	op("MOVQ ld+24(FP), R8")
	op("SHLQ $3, R8")
	op("MOVQ w+32(FP), R9")
	op("MOVQ sizes+40(FP), R10")
	op("MOVQ m+48(FP), DI")
	op("MOVQ R12, R13")
	op("ANDQ $%d, R13", s.lanes-1)
	s.mask("R13", "AX", "BX")
	const weight, plus, zero = 8, 9, 10
	op("VBROADCASTSD plus+56(FP), %s", s.v(plus))
	s.zero(zero)
	rows := func(label string, n int, tail bool) {
		for u := range n {
			if tail {
				s.loadTail("(DI)", s.v(u))
			} else {
				op("VMOVUPD %d(DI), %s", u*s.bytes(), s.v(u))
			}
			op("VMULPD %d(R10), %[2]s, %[2]s", u*s.bytes(), s.v(u))
		}
		op("MOVQ SI, AX")
		op("MOVQ R9, BX")
		op("MOVQ R11, CX")
		op("TESTQ CX, CX")
		op("JZ %sDone", label)
		line("%sColumn:", label)
		op("VBROADCASTSD (BX), %s", s.v(weight))
		for u := range n {
			op("VFMADD231PD %d(AX), %s, %s", u*s.bytes(), s.v(weight), s.v(u))
		}
		op("ADDQ R8, AX")
		op("ADDQ $8, BX")
		op("DECQ CX")
		op("JNZ %sColumn", label)
		line("%sDone:", label)
		for u := range n {
			op("VADDPD %s, %[2]s, %[2]s", s.v(zero), s.v(u)) // −0 becomes 0
			op("VADDPD %s, %[2]s, %[2]s", s.v(plus), s.v(u))
			if tail {
				s.storeTail(s.v(u), "(DI)")
			} else {
				op("VMOVUPD %s, %d(DI)", s.v(u), u*s.bytes())
			}
		}
		for _, r := range []string{"SI", "R10", "DI"} {
			op("ADDQ $%d, %s", n*s.bytes(), r)
		}
	}
	op("SUBQ $%d, R12", 4*s.lanes)
	op("JLT ones")
	line("fours:")
	rows("four", 4, false)
	op("SUBQ $%d, R12", 4*s.lanes)
	op("JGE fours")
	line("ones:")
	op("ADDQ $%d, R12", 3*s.lanes)
	op("JLT tail")
	line("one:")
	rows("one", 1, false)
	op("SUBQ $%d, R12", s.lanes)
	op("JGE one")
	line("tail:")
	op("TESTQ R13, R13")
	op("JZ done")
	rows("tail", 1, true)
	line("done:")
	end()
}

// sumRounded: Σ f·x, rounded to integers as in addRoundedRows, over f other than 0. x goes on by step numbers for each vector, and holds whole ones.
func sumRounded(s isa) {
	text("sumRounded"+s.name, 40, "n int, f, x *float64, step int) (sum int64")
	op("MOVQ n+0(FP), R12")
	op("MOVQ f+8(FP), SI")
	op("MOVQ x+16(FP), DI")
	op("MOVQ step+24(FP), R8")
	op("SHLQ $3, R8")
	op("MOVQ R12, R13")
	op("ANDQ $%d, R13", s.lanes-1)
	s.mask("R13", "AX", "BX")
	const magic, zero, weight, sums = 13, 14, 4, 2
	op("MOVQ $0x4338000000000000, DX")
	op("VMOVQ DX, X%d", magic)
	op("VBROADCASTSD X%d, %s", magic, s.v(magic))
	s.zero(zero)
	for u := range sums {
		s.zero(u)
	}
	op("XORQ R10, R10") // vectors
	add := func(u int, x string) {
		op("VCMPPD $4, %s, %s, K%d", s.v(zero), s.v(weight+u), 2+u) // NaN too
		op("VMULPD.Z %s, %s, K%d, %s", x, s.v(weight+u), 2+u, s.v(weight+u))
		op("VADDPD %s, %[2]s, %[2]s", s.v(magic), s.v(weight+u))
		op("VPADDQ %s, %[2]s, %[2]s", s.v(weight+u), s.v(u))
	}
	op("SUBQ $%d, R12", 2*s.lanes)
	op("JLT one")
	line("two:")
	op("VMOVUPD (SI), %s", s.v(weight))
	op("VMOVUPD %d(SI), %s", s.bytes(), s.v(weight+1))
	add(0, "(DI)")
	add(1, "(DI)(R8*1)")
	op("LEAQ (DI)(R8*2), DI")
	op("ADDQ $%d, SI", 2*s.bytes())
	op("ADDQ $2, R10")
	op("SUBQ $%d, R12", 2*s.lanes)
	op("JGE two")
	line("one:")
	op("ADDQ $%d, R12", s.lanes)
	op("JLT tail")
	op("VMOVUPD (SI), %s", s.v(weight))
	add(0, "(DI)")
	op("ADDQ R8, DI")
	op("ADDQ $%d, SI", s.bytes())
	op("INCQ R10")
	line("tail:")
	op("TESTQ R13, R13")
	op("JZ sum")
	s.loadTail("(SI)", s.v(weight))
	add(0, "(DI)")
	op("INCQ R10")
	line("sum:")
	op("VPADDQ %s, %s, %s", s.v(1), s.v(0), s.v(0))
	op("VEXTRACTI64X4 $1, Z0, Y1")
	op("VPADDQ Y1, Y0, Y0")
	op("VEXTRACTI128 $1, Y0, X1")
	op("VPADDQ X1, X0, X0")
	op("VPSRLDQ $8, X0, X1")
	op("VPADDQ X1, X0, X0")
	op("VMOVQ X0, AX")
	op("IMULQ DX, R10")
	op("SHLQ $3, R10") // of eight lanes
	op("SUBQ R10, AX")
	op("MOVQ AX, sum+32(FP)")
	end()
}

// roundProducts: r = f·h, rounded to integers as in addRoundedRows; 0 where f is.
func roundProducts(s isa) {
	text("roundProducts"+s.name, 32, "n int, r *int64, f, h *float64")
	op("MOVQ n+0(FP), R12")
	op("MOVQ r+8(FP), DI")
	op("MOVQ f+16(FP), SI")
	op("MOVQ h+24(FP), R8")
	op("MOVQ R12, R13")
	op("ANDQ $%d, R13", s.lanes-1)
	s.mask("R13", "AX", "BX")
	const magic, zero = 13, 14
	op("MOVQ $0x4338000000000000, DX")
	op("VMOVQ DX, X%d", magic)
	op("VBROADCASTSD X%d, %s", magic, s.v(magic))
	s.zero(zero)
	lanes := func(tail bool) {
		if tail {
			s.loadTail("(SI)", s.v(0))
			s.loadTail("(R8)", s.v(1))
		} else {
			op("VMOVUPD (SI), %s", s.v(0))
			op("VMOVUPD (R8), %s", s.v(1))
		}
		op("VCMPPD $4, %s, %s, K2", s.v(zero), s.v(0)) // NaN too
		op("VMULPD.Z %s, %s, K2, %s", s.v(0), s.v(1), s.v(0))
		op("VADDPD %s, %s, %s", s.v(magic), s.v(0), s.v(0))
		op("VPSUBQ %s, %s, %s", s.v(magic), s.v(0), s.v(0))
		if tail {
			s.storeTail(s.v(0), "(DI)")
		} else {
			op("VMOVUPD %s, (DI)", s.v(0))
		}
	}
	op("SUBQ $%d, R12", s.lanes)
	op("JLT tail")
	line("whole:")
	lanes(false)
	for _, r := range []string{"SI", "R8", "DI"} {
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
