//go:build ignore

package main

// fourColumns: rows of a matrix out of columns: four numbers at a time of four columns become four rows, stride numbers apart. Numbers are moved, whatever they are.
func fourColumns(s isa) {
	text("fourColumns"+s.name, 56, "fours int, to *float64, stride int, a, b, c, d *byte")
	op("MOVQ fours+0(FP), R12")
	op("MOVQ to+8(FP), DI")
	op("MOVQ stride+16(FP), R8")
	op("SHLQ $3, R8")
	op("LEAQ (R8)(R8*2), R9") // bytes of three rows
	columns := []string{"AX", "BX", "CX", "DX"}
	for i, name := range []string{"a", "b", "c", "d"} {
		op("MOVQ %s+%d(FP), %s", name, 24+8*i, columns[i])
	}
	line("four:")
	for half := range 2 { // rows 0 and 1, then 2 and 3
		for i, column := range columns[:2] {
			op("VMOVUPD %d(%s), X%d", 16*half, column, 2*half+i)
			op("VINSERTF128 $1, %d(%s), Y%[3]d, Y%[3]d", 16*half, columns[i+2], 2*half+i)
		}
		op("VUNPCKLPD Y%d, Y%d, Y%d", 2*half+1, 2*half, 4+2*half)
		op("VUNPCKHPD Y%d, Y%d, Y%d", 2*half+1, 2*half, 5+2*half)
	}
	for i, row := range []string{"(DI)", "(DI)(R8*1)", "(DI)(R8*2)", "(DI)(R9*1)"} {
		op("VMOVUPD Y%d, %s", 4+i, row)
	}
	for _, column := range columns {
		op("ADDQ $32, %s", column)
	}
	op("LEAQ (DI)(R8*4), DI")
	op("DECQ R12")
	op("JNZ four")
	end()
}
