//go:build ignore

package main

// The kernels of the eigensolver, on panels of eight columns. No multiplication is fused into a sum: the bits are those of the
// code in Go.

// rotate: row k+1 becomes c·row k+1 + s·row k and row k c·row k − s·row k+1, for n pairs (c, s) and falling k; p points to row k+1
// of the first.
func rotate(s isa) {
	text("rotate"+s.name, 32, "n int, c, s, p *float64")
	op("MOVQ n+0(FP), CX")
	op("MOVQ c+8(FP), SI")
	op("MOVQ s+16(FP), DI")
	op("MOVQ p+24(FP), DX")
	vectors := 8 / s.lanes
	low := func(v int) string { return s.v(v) }
	for v := range vectors {
		op("VMOVUPD %d(DX), %s", v*s.bytes(), low(v))
	}
	c, z := s.v(2), s.v(3)
	op("PCALIGN $32")
	line("loop:")
	op("VBROADCASTSD (SI), %s", c)
	op("VBROADCASTSD (DI), %s", z)
	for v := range vectors {
		y, a, b, d, e := s.v(4+5*v), s.v(5+5*v), s.v(6+5*v), s.v(7+5*v), s.v(8+5*v)
		op("VMOVUPD %d(DX), %s", v*s.bytes()-64, y)
		op("VMULPD %s, %s, %s", low(v), c, a)
		op("VMULPD %s, %s, %s", y, z, b)
		op("VMULPD %s, %s, %s", y, c, d)
		op("VMULPD %s, %s, %s", low(v), z, e)
		op("VADDPD %s, %s, %s", b, a, a)
		op("VSUBPD %s, %s, %s", e, d, low(v))
		op("VMOVUPD %s, %d(DX)", a, v*s.bytes())
	}
	op("SUBQ $64, DX")
	op("ADDQ $8, SI")
	op("ADDQ $8, DI")
	op("DECQ CX")
	op("JNZ loop")
	for v := range vectors {
		op("VMOVUPD %s, %d(DX)", low(v), v*s.bytes())
	}
	end()
}

// reflect: rows r_k of eight numbers become r_k − v_k·(tau·Σ v_k·r_k), sums in the order of k.
func reflect(s isa) {
	text("reflect"+s.name, 32, "n int, tau float64, v, rows *float64")
	vectors := 8 / s.lanes
	sum, x, y := func(v int) string { return s.v(v) }, s.v(2), func(v int) string { return s.v(4 + v) }
	for v := range vectors {
		s.zero(v)
	}
	pass := func(label string, each func(v int)) {
		op("MOVQ n+0(FP), CX")
		op("MOVQ v+16(FP), SI")
		op("MOVQ rows+24(FP), DX")
		op("PCALIGN $32")
		line(label + ":")
		op("VBROADCASTSD (SI), %s", x)
		for v := range vectors {
			each(v)
		}
		op("ADDQ $8, SI")
		op("ADDQ $64, DX")
		op("DECQ CX")
		op("JNZ %s", label)
	}
	pass("sums", func(v int) {
		op("VMULPD %d(DX), %s, %s", v*s.bytes(), x, y(v))
		op("VADDPD %s, %s, %s", y(v), sum(v), sum(v))
	})
	op("VBROADCASTSD tau+8(FP), %s", x)
	for v := range vectors {
		op("VMULPD %s, %s, %s", x, sum(v), sum(v))
	}
	pass("rows", func(v int) {
		op("VMULPD %s, %s, %s", sum(v), x, y(v))
		op("VMOVUPD %d(DX), %s", v*s.bytes(), s.v(6+v))
		op("VSUBPD %s, %s, %s", y(v), s.v(6+v), s.v(6+v))
		op("VMOVUPD %s, %d(DX)", s.v(6+v), v*s.bytes())
	})
	end()
}
