package rows

import (
	"context"
	"math"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/dpkit-go/dpnb/frames"
)

// Tests share whatever there is to do.
func init() { worthSharing = 0 }

// TestShare: however many workers there are, each chunk is read once; little to do is done by one.
func TestShare(t *testing.T) {
	defer func(d time.Duration) { worthSharing = d }(worthSharing)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(16))
	for _, c := range []struct {
		name       string
		worth      time.Duration
		most, want int // workers, at most
	}{{"shared", 0, mostWorkers, 16}, {"shared by few", 0, 3, 3}, {"alone", time.Hour, mostWorkers, 1}} {
		for _, n := range []int{0, 1, 9, 10, 11, 25, 400} {
			worthSharing = c.worth
			var mu sync.Mutex
			workers, seen := 0, []int{}
			err := share(context.Background(), n, 10, c.most, func() (chunkFunc, func(from, to int) *frames.Block) {
				mu.Lock()
				workers++
				mu.Unlock()
				return func(b *frames.Block) {
						mu.Lock()
						seen = append(seen, b.First, b.First+b.Rows)
						mu.Unlock()
					}, func(from, to int) *frames.Block {
						return &frames.Block{First: from, Rows: to - from}
					}
			})
			if err != nil || workers > c.want {
				t.Errorf("%s: %d rows: %d workers, %v, want at most %d", c.name, n, workers, err, c.want)
			}
			want := []int{}
			for from := 0; from < n; from += 10 {
				want = append(want, from, min(from+10, n))
			}
			if slices.Sort(seen); !slices.Equal(seen, want) {
				t.Errorf("%s: %d rows: saw the chunks %v, want %v", c.name, n, seen, want)
			}
		}
	}
}

// TestStatesOf: wide matrices have few states, and none overflows.
func TestStatesOf(t *testing.T) {
	for cols, want := range map[int]int{0: 64, 20: 64, 512: 64, 1000: 16, 3000: 8, 1 << 20: 8, math.MaxInt32: 8} {
		if got := statesOf(cols); got != want {
			t.Errorf("%d columns: got %d states, want %d", cols, got, want)
		}
	}
}
