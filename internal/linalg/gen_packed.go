//go:build ignore

package main

import "fmt"

// The kernels of packed rows, for AVX-512 alone: the cells of eight columns are a vector, and a byte of a mask says which are those of a row's one
// size. See Packed.

// dotPacked: the inner product of every row with w, in the order of dotRows. shape has two bytes for eight columns: which of them are numeric, and
// the bytes that all eight take among the numbers. Four rows share what is read of w.
func dotPacked(s isa) {
	text("dotPacked"+s.name, 80, "rows, cols int, masks *uint8, width int, sizes, values *float64, stride int, shape *uint8, w, dots *float64")
	op("MOVQ masks+16(FP), SI")
	op("MOVQ width+24(FP), R8")
	op("LEAQ (R8)(R8*2), R9")
	op("MOVQ sizes+32(FP), R13")
	op("MOVQ values+40(FP), R10")
	op("MOVQ stride+48(FP), R11")
	op("SHLQ $3, R11")
	op("LEAQ (R11)(R11*2), R12")
	op("MOVQ dots+72(FP), DX")
	const size, cell = 16, 20 // registers, one of each for a row
	acc := func(row, u int) string { return s.v(4*row + u) }
	at := func(off int, base, by, by3 string, row int) string {
		return fmt.Sprint(off, "(", base, ")", []string{"", "(" + by + "*1)", "(" + by + "*2)", "(" + by3 + "*1)"}[row])
	}
	var apart []func() // what is done with groups that have numbers, out of the way
	sized := func(n, u, off int, first bool) {
		op("VMOVUPD %d(DI), %s", off*s.bytes(), s.v(cell))
		for r := range n {
			op("KMOVW %s, K%d", at(off, "SI", "R8", "R9", r), r+1)
			if first {
				op("VMULPD.Z %s, %s, K%d, %s", s.v(cell), s.v(size+r), r+1, acc(r, u))
			} else {
				op("VFMADD231PD %s, %s, K%d, %s", s.v(cell), s.v(size+r), r+1, acc(r, u))
			}
		}
	}
	group := func(label string, n, u, off int) {
		op("CMPB %d(AX), $0", 2*off)
		op("JNE %sNumbers", label)
		sized(n, u, off, false)
		line("%sNext:", label)
		apart = append(apart, func() {
			line("%sNumbers:", label)
			for r := range n {
				op("VMOVUPD %s, %s", at(0, "R10", "R11", "R12", r), s.v(cell+r))
				op("KMOVW %s, K%d", at(off, "SI", "R8", "R9", r), r+1)
				op("VMOVAPD %s, K%d, %s", s.v(size+r), r+1, s.v(cell+r))
				op("VFMADD231PD %d(DI), %s, %s", off*s.bytes(), s.v(cell+r), acc(r, u))
			}
			op("ADDQ $%d, R10", s.bytes())
			op("JMP %sNext", label)
		})
	}
	next := func(groups int) {
		op("ADDQ $%d, AX", 2*groups)
		op("ADDQ $%d, SI", groups)
		op("ADDQ $%d, DI", groups*s.bytes())
	}
	rows := func(label string, n int) {
		op("SUBQ $%d, rows+0(FP)", n)
		op("JLT %sEnd", label)
		line("%s:", label)
		for r := range n {
			op("VBROADCASTSD %d(R13), %s", 8*r, s.v(size+r))
		}
		op("MOVQ shape+56(FP), AX")
		op("MOVQ w+64(FP), DI")
		op("MOVQ cols+8(FP), CX")
		op("SUBQ $%d, CX", 4*s.lanes)
		op("JLT %sZero", label)
		op("CMPQ (AX), $0")
		op("JNE %sZero", label)
		for u := range 4 { // products are the first terms of sums
			sized(n, u, u, true)
		}
		next(4)
		op("SUBQ $%d, CX", 4*s.lanes)
		op("JLT %sOnes", label)
		apart = append(apart, func() {
			line("%sZero:", label)
			for r := range n {
				for u := range 4 {
					op("VPXORQ %[1]s, %[1]s, %[1]s", acc(r, u))
				}
			}
			op("TESTQ CX, CX")
			op("JLT %sOnes", label)
			op("JMP %sFours", label)
		})
		line("%sFours:", label)
		op("CMPQ (AX), $0")
		op("JNE %sMixed", label)
		for u := range 4 {
			sized(n, u, u, false)
		}
		line("%sFour:", label)
		next(4)
		apart = append(apart, func() {
			line("%sMixed:", label)
			for u := range 4 {
				group(fmt.Sprint(label, "Four", u), n, u, u)
			}
			op("JMP %sFour", label)
		})
		op("SUBQ $%d, CX", 4*s.lanes)
		op("JGE %sFours", label)
		line("%sOnes:", label)
		op("ADDQ $%d, CX", 3*s.lanes)
		op("JLT %sTail", label)
		line("%sOne:", label)
		group(label+"Single", n, 0, 0)
		next(1)
		op("SUBQ $%d, CX", s.lanes)
		op("JGE %sOne", label)
		line("%sTail:", label)
		op("ADDQ $%d, CX", s.lanes)
		op("JLE %sSum", label)
		group(label+"Last", n, 1, 0)
		next(1)
		line("%sSum:", label)
		for r := range n {
			op("VADDPD %s, %s, %s", acc(r, 1), acc(r, 0), acc(r, 0))
			op("VADDPD %s, %s, %s", acc(r, 3), acc(r, 2), acc(r, 2))
			op("VADDPD %s, %s, %s", acc(r, 2), acc(r, 0), acc(r, 0))
		}
		if n == 4 {
			sumOfFour(s, 0, 4, 8, 12)
			op("VMOVUPD Y0, (DX)")
			op("ADDQ R9, SI") // rows are width apart: the first was left behind
			op("ADDQ R12, R10")
		} else {
			sumOfOne(s, 0)
			op("VMOVLPD X0, (DX)")
		}
		op("ADDQ $%d, R13", 8*n)
		op("ADDQ $%d, DX", 8*n)
		op("SUBQ $%d, rows+0(FP)", n)
		op("JGE %s", label)
		line("%sEnd:", label)
		op("ADDQ $%d, rows+0(FP)", n)
	}
	rows("rows", 4)
	rows("row", 1)
	end()
	for len(apart) > 0 {
		f := apart[0]
		apart = apart[1:]
		f()
	}
}

// sumOfOne leaves the sum of a vector in its first lane, in the order of dotRows; −0 becomes 0.
func sumOfOne(s isa, r int) {
	op("VEXTRACTF64X4 $1, Z%d, Y%d", r, r+1)
	op("VADDPD Y%d, Y%d, Y%d", r+1, r, r)
	op("VEXTRACTF128 $1, Y%d, X%d", r, r+1)
	op("VADDPD X%d, X%d, X%d", r+1, r, r)
	op("VHADDPD X%[1]d, X%[1]d, X%[1]d", r)
	op("VXORPD X%[1]d, X%[1]d, X%[1]d", r+1)
	op("VADDPD X%d, X%d, X%d", r+1, r, r)
}

// sumOfFour leaves the sums of four vectors in the first lanes of the first, each in the order of sumOfOne.
func sumOfFour(s isa, a, b, c, d int) {
	const t, zero = 24, 26
	half := func(to, x, y int) { // lanes i and i+4 of both
		op("VSHUFF64X2 $0x44, Z%d, Z%d, Z%d", y, x, t)
		op("VSHUFF64X2 $0xee, Z%d, Z%d, Z%d", y, x, t+1)
		op("VADDPD Z%d, Z%d, Z%d", t+1, t, to)
	}
	half(a, a, b)
	half(c, c, d)
	op("VSHUFF64X2 $0x88, Z%d, Z%d, Z%d", c, a, t)
	op("VSHUFF64X2 $0xdd, Z%d, Z%d, Z%d", c, a, t+1)
	op("VADDPD Z%d, Z%d, Z%d", t+1, t, a)
	op("VPERMILPD $0x55, Z%d, Z%d", a, t)
	op("VADDPD Z%d, Z%d, Z%d", t, a, a)
	op("VPXORQ Z%[1]d, Z%[1]d, Z%[1]d", zero)
	op("VADDPD Z%d, Z%d, Z%d", zero, a, a)
	// lanes 0, 2, 4, 6 are the sums.
	op("VMOVUPD evenLanes<>(SB), Z%d", t)
	op("VPERMPD Z%d, Z%d, Z%d", a, t, a)
}

// addPacked: sums += r of every row at the columns of its mask, eight columns a group. A run of groups is held in registers while it goes down all
// rows.
func addPacked(s isa) {
	text("addPacked"+s.name, 48, "rows, groups int, masks *uint8, width int, r, sums *int64")
	op("MOVQ groups+8(FP), R12")
	op("MOVQ masks+16(FP), SI")
	op("MOVQ width+24(FP), R8")
	op("LEAQ (R8)(R8*2), R9")
	op("MOVQ sums+40(FP), DI")
	const size = 24
	strip := func(n int) {
		label := fmt.Sprint("of", n)
		line("%s:", label)
		op("SUBQ $%d, R12", n)
		op("JLT %sEnd", label)
		for u := range n {
			op("VMOVUPD %d(DI), %s", u*s.bytes(), s.v(u))
		}
		op("MOVQ rows+0(FP), CX")
		op("MOVQ r+32(FP), BX")
		op("MOVQ SI, AX")
		down := func(rows int, name, past string) {
			op("SUBQ $%d, CX", rows)
			op("JLT %s%sEnd", label, name)
			line("%s%s:", label, name)
			for r, row := range []string{"(AX)", "(AX)(R8*1)", "(AX)(R8*2)", "(AX)(R9*1)"}[:rows] {
				op("VPBROADCASTQ %d(BX), %s", 8*r, s.v(size+r))
				for u := range n {
					op("KMOVW %d%s, K%d", u, row, u%6+1)
					op("VPADDQ %s, %s, K%d, %s", s.v(size+r), s.v(u), u%6+1, s.v(u))
				}
			}
			op(past)
			op("ADDQ $%d, BX", 8*rows)
			op("SUBQ $%d, CX", rows)
			op("JGE %s%s", label, name)
			line("%s%sEnd:", label, name)
			op("ADDQ $%d, CX", rows)
		}
		down(4, "Rows", "LEAQ (AX)(R8*4), AX")
		down(1, "Row", "ADDQ R8, AX")
		for u := range n {
			op("VMOVUPD %s, %d(DI)", s.v(u), u*s.bytes())
		}
		op("ADDQ $%d, SI", n)
		op("ADDQ $%d, DI", n*s.bytes())
		op("JMP %s", label)
		line("%sEnd:", label)
		op("ADDQ $%d, R12", n)
	}
	for _, n := range []int{16, 8, 4, 2, 1} {
		strip(n)
	}
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
