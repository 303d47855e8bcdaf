package fresh

import (
	"math"
	"runtime"
	"strings"
	"testing"
	"unsafe"
)

// TestFloats: tables of all sizes are zeros, whatever the memory held, can be written and read back whole, do not overlap, and survive collections.
func TestFloats(t *testing.T) {
	for range 3 { // the memory of which the one before has left to a collection
		var tables [][]float64
		for k, n := range []int{0, 1, 1000, leastBytes/8 - 1, leastBytes / 8, leastBytes/8 + 1, 1 << 20, 3<<19 + 7, 5<<19 + 1} {
			x := Floats(n)
			if len(x) != n || cap(x) != n {
				t.Fatalf("got %d numbers of %d, want %d", len(x), cap(x), n)
			}
			for i := range x {
				if math.Float64bits(x[i]) != 0 {
					t.Fatalf("number %d of %d: got %g, want 0", i, n, x[i])
				}
				x[i] = float64(k*1e8 + i + 1)
			}
			tables = append(tables, x)
			runtime.GC()
		}
		for k, x := range tables {
			for i, v := range x {
				if v != float64(k*1e8+i+1) {
					t.Fatalf("table %d: number %d: got %g", k, i, v)
				}
			}
		}
	}
}

// TestZero: every cell of a table of any size is cleared, by whatever number of goroutines.
func TestZero(t *testing.T) {
	const part = largePage / 8
	for _, workers := range []int{1, 2, 3, 8} {
		was := runtime.GOMAXPROCS(workers)
		for _, n := range []int{1, part, 2*part - 1, 2 * part, 2*part + 1, 3*part + 5} {
			x := make([]float64, n+1)
			for i := range x {
				x[i] = 1
			}
			zero(x[:n])
			for i, v := range x {
				if want := float64(i / n); v != want {
					t.Fatalf("%d goroutines, %d numbers: number %d: got %g, want %g", workers, n, i, v, want)
				}
			}
		}
		runtime.GOMAXPROCS(was)
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
