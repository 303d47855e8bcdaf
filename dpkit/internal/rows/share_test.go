package rows

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/dpkit-go/dpnb/frames"
)

// Tests share whatever there is to do.
func init() { worthSharing = 0 }

// TestShare: however many workers there are, each chunk is read once, those of a lane in order; little to do is done by one.
func TestShare(t *testing.T) {
	defer func(d time.Duration) { worthSharing = d }(worthSharing)
	for _, c := range []struct {
		name  string
		worth time.Duration
		most  int // workers
	}{{"shared", 0, lanes}, {"alone", time.Hour, 1}} {
		for _, n := range []int{0, 1, 9, 10, 11, 25, 400} {
			worthSharing = c.worth
			var mu sync.Mutex
			workers, seen := 0, make([][]int, lanes)
			err := share(context.Background(), n, 10, func() (chunkFunc, func(from, to int) *frames.Block) {
				mu.Lock()
				workers++
				mu.Unlock()
				return func(lane int, b *frames.Block) {
						mu.Lock()
						seen[lane] = append(seen[lane], b.First, b.Rows)
						mu.Unlock()
					}, func(from, to int) *frames.Block {
						return &frames.Block{First: from, Rows: to - from}
					}
			})
			if err != nil || workers > c.most {
				t.Errorf("%s: %d rows: %d workers, %v, want at most %d", c.name, n, workers, err, c.most)
			}
			want := make([][]int, lanes)
			for from := 0; from < n; from += 10 {
				lane := from / 10 % lanes
				want[lane] = append(want[lane], from, min(10, n-from))
			}
			for lane := range want {
				if !slices.Equal(seen[lane], want[lane]) {
					t.Errorf("%s: %d rows: lane %d saw the chunks %v, want %v", c.name, n, lane, seen[lane], want[lane])
				}
			}
		}
	}
}
