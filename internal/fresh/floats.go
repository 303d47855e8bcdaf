package fresh

import (
	"strings"
	"unsafe"
)

// leastBytes is how large a table is that is worth it.
const leastBytes = 4 << 20

// Floats returns n numbers, which the caller must write before it reads them, or clear: they hold what other tables of this process left there, and
// small tables zeros.
func Floats(n int) []float64 {
	x := floats(n)
	if p := poison.Load(); p != nil {
		for i := range x {
			x[i] = *p
		}
	}
	return x
}

func floats(n int) []float64 {
	const size = int(unsafe.Sizeof(float64(0)))
	if n < leastBytes/size {
		return make([]float64, n)
	}
	if n > int(^uint(0)>>1)/size {
		return make([]float64, n) // which says so
	}
	// The memory of a strings.Builder is the only one of the standard library that nobody clears.
	var b strings.Builder
	b.Grow(n * size)
	b.WriteByte(0)
	first := unsafe.StringData(b.String())
	x := unsafe.Pointer(first)
	if !own(&b, first) || b.Cap() < n*size || uintptr(x)%unsafe.Alignof(float64(0)) != 0 {
		return make([]float64, n)
	}
	advise(uintptr(x), uintptr(n*size), false)
	return unsafe.Slice((*float64)(x), n)
}

// leastPiece is how large a piece of a table is around which there are likely others.
const leastPiece = 128 << 10

// Around asks for large pages where a piece of a table is about to be written that grows piece by piece: what lies around it is likely the others. Small
// pieces are left alone.
func Around(piece []byte) {
	if n := cap(piece); n >= leastPiece {
		advise(uintptr(unsafe.Pointer(unsafe.SliceData(piece))), uintptr(n), true)
	}
}

// own reports whether first is the first byte of the builder's memory, as it is unless String copies it.
func own(b *strings.Builder, first *byte) bool {
	*first = 1
	is := b.String()[0] == 1
	*first = 0
	return is && b.String()[0] == 0
}
