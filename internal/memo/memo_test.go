package memo

import (
	"math"
	"sync"
	"testing"
)

// TestMemo: a value is computed once while it is kept, memory is bounded, and NaN, which equals nothing, is harmless.
func TestMemo(t *testing.T) {
	var m Memo[float64, float64]
	calls := 0
	square := func(x float64) float64 {
		return m.Of(x, func() float64 { calls++; return x * x })
	}
	for range 3 {
		if square(3) != 9 {
			t.Error("wrong value")
		}
	}
	if calls != 1 {
		t.Errorf("computed %d times, want once", calls)
	}
	for i := range 3 * Size {
		square(float64(i))
		square(math.NaN())
		if n := len(m.kept) + len(m.old); n > 2*Size {
			t.Fatalf("%d values are kept", n)
		}
	}
	square(0.5)
	halves := 0
	for i := range 5 * Size { // what is asked for all the time stays
		m.Of(0.5, func() float64 { halves++; return 0.25 })
		square(-float64(i))
	}
	if halves > 0 {
		t.Errorf("what is asked for all the time was computed %d times", halves)
	}
	var wg sync.WaitGroup
	var shared Memo[int, int]
	for k := range 4 {
		wg.Go(func() {
			for i := range 2000 {
				if got := shared.Of(i%700, func() int { return 2 * (i % 700) }); got != 2*(i%700) {
					t.Errorf("worker %d: got %d for %d", k, got, i%700)
				}
			}
		})
	}
	wg.Wait()
}
