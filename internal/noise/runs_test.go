package noise

import (
	"encoding/binary"
	"runtime"
	"testing"
)

// TestRunsAreTheStream: whatever was drawn before, and on however many processors, the words of runs are those that a demo source hands out one by
// one, and it goes on behind them with nothing in its buffer that was handed out.
func TestRunsAreTheStream(t *testing.T) {
	for _, procs := range []int{1, 3} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
		many, one := NewDemo(4), NewDemo(4)
		for _, c := range []struct{ before, n, run int }{
			{0, 0, 64}, {0, 1, 64}, {1, 63, 64}, {0, 64, 64}, {5, 65, 64}, {500, 511, 512}, {3, 5 * manyWords, 4096}, {1, 512, 7}, {0, 3*manyWords + 1, 1 << 20}, {511, 2048, 512},
		} {
			for range c.before {
				if got, want := many.Uint64(), one.Uint64(); got != want {
					t.Fatalf("%+v: behind runs: %#x, want %#x", c, got, want)
				}
			}
			got := make([]uint64, c.n)
			many.Runs(c.n, c.run, func(at int, words []byte) {
				if at%c.run != 0 || len(words) != 8*min(c.run, c.n-at) {
					t.Errorf("%+v: run at %d of %d bytes", c, at, len(words))
				}
				for i := range len(words) / 8 {
					got[at+i] = binary.LittleEndian.Uint64(words[8*i:])
				}
			})
			for i := range got {
				if want := one.Uint64(); got[i] != want {
					t.Fatalf("%+v on %d processors: word %d is %#x, want %#x", c, procs, i, got[i], want)
				}
			}
			if many.left%bufferSize != one.left%bufferSize || many.left > 0 && many.buf != one.buf {
				t.Fatalf("%+v: what is left in the buffer differs from that of single words", c)
			}
		}
	}
}

// TestRunsAreSecret: the words of a crypto-secure source differ from one another and are erased. Two equal words of 30 000, or a zero, have
// probability below 1e-10.
func TestRunsAreSecret(t *testing.T) {
	s, seen := New(), map[uint64]bool{0: true}
	for range 3 {
		var room [][]byte
		s.Runs(10_000, 1000, func(_ int, words []byte) {
			for i := range 1000 {
				w := binary.LittleEndian.Uint64(words[8*i:])
				if seen[w] {
					t.Fatal("a zero or repeated word")
				}
				seen[w] = true
			}
			room = append(room, words)
		})
		for _, words := range room {
			for _, b := range words {
				if b != 0 {
					t.Fatal("a word is there behind its run")
				}
			}
		}
	}
}
