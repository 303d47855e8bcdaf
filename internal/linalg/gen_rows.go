//go:build ignore

package main

// The kernels of maps of rows. They have the same bits everywhere: no product is fused with a sum.

// affine: dst = (src − shift)·scale, cell by cell.
func affine(s isa) {
	text("affine"+s.name, 40, "n int, dst, src, shift, scale *float64")
	op("MOVQ n+0(FP), R12")
	op("MOVQ dst+8(FP), DI")
	op("MOVQ src+16(FP), SI")
	op("MOVQ shift+24(FP), R8")
	op("MOVQ scale+32(FP), R9")
	op("MOVQ R12, R13")
	op("ANDQ $%d, R13", s.lanes-1)
	s.mask("R13", "AX", "BX")
	const unroll = 4
	loop := func(label, next string, n int) {
		op("SUBQ $%d, R12", n*s.lanes)
		op("JLT %s", next)
		line("%s:", label)
		for u := range n {
			op("VMOVUPD %d(SI), %s", u*s.bytes(), s.v(u))
			op("VSUBPD %d(R8), %[2]s, %[2]s", u*s.bytes(), s.v(u))
			op("VMULPD %d(R9), %[2]s, %[2]s", u*s.bytes(), s.v(u))
			op("VMOVUPD %s, %d(DI)", s.v(u), u*s.bytes())
		}
		for _, r := range []string{"SI", "DI", "R8", "R9"} {
			op("ADDQ $%d, %s", n*s.bytes(), r)
		}
		op("SUBQ $%d, R12", n*s.lanes)
		op("JGE %s", label)
		line("%s:", next)
		op("ADDQ $%d, R12", n*s.lanes)
	}
	loop("fours", "ones", unroll)
	loop("one", "tail", 1)
	op("TESTQ R13, R13")
	op("JZ done")
	s.loadTail("(SI)", s.v(0))
	s.loadTail("(R8)", s.v(1))
	s.loadTail("(R9)", s.v(2))
	op("VSUBPD %s, %[2]s, %[2]s", s.v(1), s.v(0))
	op("VMULPD %s, %[2]s, %[2]s", s.v(2), s.v(0))
	s.storeTail(s.v(0), "(DI)")
	line("done:")
	end()
}

// rowSquares: the sums of squares of four rows at a time, in the order of their cells: lane i of the sum is row i's.
func rowSquares(s isa) {
	text("rowSquares"+s.name, 32, "fours, cols int, x, squares *float64")
	op("MOVQ fours+0(FP), R11")
	op("MOVQ cols+8(FP), R12")
	op("MOVQ x+16(FP), SI")
	op("MOVQ squares+24(FP), DI")
	op("MOVQ R12, R13")
	op("ANDQ $3, R13")
	s.mask("R13", "AX", "BX")
	op("MOVQ R12, R8")
	op("SHLQ $3, R8")         // bytes of a row
	op("LEAQ (R8)(R8*2), R9") // of three
	const sum = 14
	add := func(load func(i int, from string)) {
		for i, from := range []string{"(AX)", "(AX)(R8*1)", "(AX)(R8*2)", "(AX)(R9*1)"} {
			load(i, from)
			op("VMULPD %[1]s, %[1]s, %[1]s", s.v(i))
		}
		for i := range 2 {
			op("VUNPCKLPD %s, %s, %s", s.v(2*i+1), s.v(2*i), s.v(4+2*i)) // columns 0 and 2 of two rows
			op("VUNPCKHPD %s, %s, %s", s.v(2*i+1), s.v(2*i), s.v(5+2*i))
		}
		op("VPERM2F128 $0x20, %s, %s, %s", s.v(6), s.v(4), s.v(8))
		op("VPERM2F128 $0x20, %s, %s, %s", s.v(7), s.v(5), s.v(9))
		op("VPERM2F128 $0x31, %s, %s, %s", s.v(6), s.v(4), s.v(10))
		op("VPERM2F128 $0x31, %s, %s, %s", s.v(7), s.v(5), s.v(11))
		for j := range 4 {
			op("VADDPD %s, %[2]s, %[2]s", s.v(8+j), s.v(sum))
		}
	}
	line("rows:")
	op("MOVQ SI, AX")
	op("MOVQ R12, CX")
	s.zero(sum)
	op("SUBQ $4, CX")
	op("JLT tail")
	line("cells:")
	add(func(i int, from string) { op("VMOVUPD %s, %s", from, s.v(i)) })
	op("ADDQ $32, AX")
	op("SUBQ $4, CX")
	op("JGE cells")
	line("tail:")
	op("TESTQ R13, R13")
	op("JZ done")
	add(func(i int, from string) { s.loadTail(from, s.v(i)) }) // cells behind the last add 0
	line("done:")
	op("VMOVUPD %s, (DI)", s.v(sum))
	op("ADDQ $32, DI")
	op("LEAQ (SI)(R8*4), SI")
	op("DECQ R11")
	op("JNZ rows")
	end()
}
