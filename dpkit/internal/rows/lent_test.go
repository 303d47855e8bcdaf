package rows

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

// TestLentBlocks: passes over columns of a frame, in turns and at the same time, find those columns' cells and the same in all rows of the others; one that
// panics takes nothing with it.
func TestLentBlocks(t *testing.T) {
	const n = 5000
	s, err := frames.NewSchema(frames.Numeric("a", 0, 9), frames.Numeric("b", 3, 9), frames.NumericLabel("y", 0, 9))
	if err != nil {
		t.Fatal(err)
	}
	b := &frames.Block{Rows: n, Cols: 2}
	for i := range n {
		b.X, b.Y = append(b.X, float64(i%7), float64(3+i%5)), append(b.Y, float64(i%3))
	}
	f, err := frames.FromBlock(s, b)
	if err != nil {
		t.Fatal(err)
	}
	sums := func(columns ...string) []int64 {
		in := InProcess{In: frames.Narrow(f, columns...)}
		got, err := IntegerSums(context.Background(), in, 3, func() func([]int64, []float64, float64) {
			return func(sums []int64, row []float64, y float64) {
				sums[0], sums[1], sums[2] = sums[0]+int64(row[0]), sums[1]+int64(row[1]), sums[2]+int64(y)
			}
		})
		if err != nil {
			t.Error(err)
		}
		return got
	}
	all := sums("a", "b", "y")
	var wait sync.WaitGroup
	for range 4 {
		wait.Go(func() {
			for range 3 {
				for _, c := range []struct {
					columns []string
					want    []int64
				}{
					{[]string{"a"}, []int64{all[0], 3 * n, 0}},
					{[]string{"b"}, []int64{0, all[1], 0}},
					{[]string{"a", "y"}, []int64{all[0], 3 * n, all[2]}},
					{[]string{"a"}, []int64{all[0], 3 * n, 0}},
				} {
					if got := sums(c.columns...); !slices.Equal(got, c.want) {
						t.Errorf("%v: got %v, want %v", c.columns, got, c.want)
					}
				}
				func() {
					defer func() {
						if recover() == nil {
							t.Error("no panic")
						}
					}()
					_ = scanChunks(context.Background(), frames.Narrow(f, "a"), 512, mostWorkers, func() chunkFunc { return func(*frames.Block) { panic("a step") } })
				}()
			}
		})
	}
	wait.Wait()
}
