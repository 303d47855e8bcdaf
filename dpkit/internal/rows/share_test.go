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

// TestStatesOf: of large states there are few, and nothing overflows.
func TestStatesOf(t *testing.T) {
	for of, want := range map[[2]int]int{{0, 0}: 64, {20, 0}: 64, {512, 5}: 64, {1000, 0}: 16, {3000, 0}: 8, {1 << 20, 1}: 8, {math.MaxInt32, 0}: 8, {1, 1 << 20}: 16, {1, 1 << 30}: 8} {
		if got := statesOf(of[0], of[1]); got != want {
			t.Errorf("%d columns and %d cells: got %d states, want %d", of[0], of[1], got, want)
		}
	}
}

// TestMergeAll: each state once, two by two or one by one, whatever their number.
func TestMergeAll(t *testing.T) {
	defer func(d time.Duration) { worthSharing = d }(worthSharing)
	for _, worthSharing = range []time.Duration{0, time.Hour} {
		for n := range 35 {
			var parts []Partial
			for i := range n {
				parts = append(parts, part[*RowSums]{&RowSums{Sums: []int64{1 << i, int64(i)}}})
			}
			mergeAll(parts)
			if n == 0 {
				continue
			}
			if got := parts[0].(part[*RowSums]).of.Sums; got[0] != 1<<n-1 || got[1] != int64(n*(n-1)/2) {
				t.Errorf("%d states: got %x", n, got)
			}
		}
	}
}
