package fresh

import (
	"math"
	"runtime"
	"strings"
	"testing"
	"unsafe"
)

// TestFloats: tables of all sizes can be written and read back whole, do not overlap, and survive collections.
func TestFloats(t *testing.T) {
	var tables [][]float64
	for k, n := range []int{0, 1, leastBytes/8 - 1, leastBytes / 8, leastBytes/8 + 1, 1 << 20, 3<<19 + 7} {
		x := Floats(n)
		if len(x) != n || cap(x) != n {
			t.Fatalf("got %d numbers of %d, want %d", len(x), cap(x), n)
		}
		for i := range x {
			x[i] = float64(k*1e8 + i)
		}
		tables = append(tables, x)
		runtime.GC()
	}
	for k, x := range tables {
		for i, v := range x {
			if v != float64(k*1e8+i) {
				t.Fatalf("table %d: number %d: got %g", k, i, v)
			}
		}
	}
}

// TestSmallTablesAreZero: they are those of make.
func TestSmallTablesAreZero(t *testing.T) {
	for range 100 {
		x := Floats(1000)
		for i := range x {
			if x[i] != 0 {
				t.Fatalf("number %d: got %g, want 0", i, x[i])
			}
			x[i] = math.NaN()
		}
	}
}

// TestOwn: memory that is not a builder's is found out.
func TestOwn(t *testing.T) {
	var b strings.Builder
	b.WriteByte(0)
	if s := b.String(); !own(&b, unsafe.StringData(s)) {
		t.Error("the memory of a strings.Builder is not what its String holds: tables are cleared by make")
	}
	if other := byte(0); own(&b, &other) {
		t.Error("other memory was taken for a builder's")
	}
}

// TestAround: pieces of all sizes keep what they hold.
func TestAround(t *testing.T) {
	for _, n := range []int{0, 1, leastPiece - 1, leastPiece, 3<<20 + 1} {
		piece := make([]byte, n)
		for i := range piece {
			piece[i] = byte(i)
		}
		Around(piece)
		for i, b := range piece {
			if b != byte(i) {
				t.Fatalf("%d bytes: byte %d: got %d, want %d", n, i, b, byte(i))
			}
		}
	}
	Around(nil)
}

// TestPoison: it is in tables of all sizes until it is gone.
func TestPoison(t *testing.T) {
	clean := Poison(7)
	for _, n := range []int{1, 1000, leastBytes / 8} {
		if x := Floats(n); x[0] != 7 || x[n-1] != 7 {
			t.Errorf("%d numbers: got %g and %g, want 7", n, x[0], x[n-1])
		}
	}
	clean()
	if x := Floats(1000); x[0] != 0 || x[999] != 0 {
		t.Errorf("got %g and %g, want 0", x[0], x[999])
	}
}
