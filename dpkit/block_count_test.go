package dpkit

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// TestLargestBlock compares the search with a count of all blocks, and holds its sensitivity of 1 and
// what it is for: no good cluster, and no number of rows that one change affects, is larger.
func TestLargestBlock(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 1))
	ctx := context.Background()
	jumps := 0
	for range 600 {
		n, d, eta := 2+r.IntN(12), 1+r.IntN(3), 0.5+r.Float64()
		in := lineSchema(d, 0, 100)
		k := must(keysOf(in, nil))
		draw := func() []float64 {
			row := make([]float64, d+1)
			for j := range d {
				row[j] = 8 * eta * (float64(r.IntN(4)) + []float64{0, 0.5, 0.999}[r.IntN(3)])
			}
			row[d] = float64(r.IntN(4) / 3)
			return row
		}
		var rows [][]float64
		for range n {
			rows = append(rows, draw())
		}
		counts := map[string]int{} // of blocks, by their last corner and label
		for _, row := range rows {
			for corner := range 1 << d {
				id := fmt.Sprint(row[d])
				for j := range d {
					id += fmt.Sprint(" ", math.Floor(math.RoundToEven(row[j]/eta*snap)/(8*snap))+float64(corner>>j&1))
				}
				counts[id]++
			}
		}
		want := 0
		for _, c := range counts {
			want = max(want, c)
		}
		m := matrixOf(rows)
		got := must(m.largestBlock(ctx, k, in, eta))
		if got != want {
			t.Fatalf("d = %d: got %d, want %d", d, got, want)
		}
		if c := m.largestCluster(t, in, eta); c > got {
			t.Fatalf("a good cluster has %d rows, the largest block %d", c, got)
		}
		other := slices.Clone(rows)
		other[r.IntN(n)] = draw()
		o := matrixOf(other)
		next := must(o.largestBlock(ctx, k, in, eta))
		if next > got+1 || next < got-1 {
			t.Fatalf("one replaced row changes the statistic from %d to %d", got, next)
		}
		if next != got {
			jumps++
		}
	}
	if jumps < 50 {
		t.Errorf("the statistic changed %d times: the test has lost its teeth", jumps)
	}
}
