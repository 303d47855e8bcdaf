//go:build ignore

package main

// The kernel of searches for near points.

// nearBoxes: the squared distances of the point p to 16 boxes, cell j of whose corners stands at lo[16j:] and hi[16j:], summed in the order
// of the coordinates, and in the low bits of the result which are at most stop. After two coordinates,
// where most of many are far, and every eight behind them it ends if none is.
func nearBoxes(s isa) {
	text("nearBoxes"+s.name, 56, "d int, p, lo, hi *float64, stop float64, dist *float64) (near uint64")
	op("MOVQ d+0(FP), CX")
	op("MOVQ p+8(FP), DX")
	op("MOVQ lo+16(FP), SI")
	op("MOVQ hi+24(FP), DI")
	vectors := 16 / s.lanes
	sum := s.v
	stop, x, zero := s.v(vectors), s.v(vectors+1), s.v(vectors+2)
	below, above := s.v(vectors+3), s.v(vectors+4)
	op("VBROADCASTSD stop+32(FP), %s", stop)
	s.zero(vectors + 2)
	for v := range vectors {
		s.zero(v)
	}
	// verdict makes the bits in AX.
	verdict := func() {
		for v := range vectors {
			to := "AX"
			if v > 0 {
				to = "BX"
			}
			if s == avx512 {
				op("VCMPPD $2, %s, %s, K1", stop, sum(v)) // sum ≤ stop
				op("KMOVW K1, %s", to)
			} else {
				op("VCMPPD $2, %s, %s, %s", stop, sum(v), below)
				op("VMOVMSKPD %s, %s", below, to)
			}
			if v > 0 {
				op("SHLQ $%d, BX", v*s.lanes)
				op("ORQ BX, AX")
			}
		}
	}
	op("MOVQ $2, R8")
	line("run:")
	op("CMPQ CX, R8")
	op("CMOVQLT CX, R8")
	op("SUBQ R8, CX")
	line("cell:")
	op("VBROADCASTSD (DX), %s", x)
	for v := range vectors {
		op("VMOVUPD %d(SI), %s", v*s.bytes(), below)
		op("VSUBPD %s, %s, %s", x, below, below) // lo − p
		op("VSUBPD %d(DI), %s, %s", v*s.bytes(), x, above)
		op("VMAXPD %s, %s, %s", below, above, above)
		op("VMAXPD %s, %s, %s", zero, above, above)
		op("VFMADD231PD %[1]s, %[1]s, %[2]s", above, sum(v))
	}
	op("ADDQ $8, DX")
	op("ADDQ $128, SI")
	op("ADDQ $128, DI")
	op("DECQ R8")
	op("JNZ cell")
	verdict()
	op("TESTQ AX, AX")
	op("JZ done")
	op("MOVQ $8, R8")
	op("TESTQ CX, CX")
	op("JNZ run")
	op("MOVQ dist+40(FP), R9")
	for v := range vectors {
		op("VMOVUPD %s, %d(R9)", sum(v), v*s.bytes())
	}
	line("done:")
	op("MOVQ AX, near+48(FP)")
	end()
}
