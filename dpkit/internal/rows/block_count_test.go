package rows

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/internal/single"

	"github.com/dpkit-go/dpnb/frames"
)

// TestLargestBlock compares the search with a count of all blocks, and holds its sensitivity of 1 and
// what it is for: no good cluster, and no number of rows that one change affects, is larger.
func TestLargestBlock(t *testing.T) {
	single.Goroutine(t)
	r := rand.New(rand.NewPCG(5, 1))
	ctx := context.Background()
	jumps := 0
	for range 600 {
		n, d, eta := 2+r.IntN(12), 1+r.IntN(3), 0.5+r.Float64()
		in := lineSchema(d, 0, 100)
		k := must(KeysOf(in, nil))
		draw := func() []float64 {
			row := make([]float64, d+1)
			for j := range d {
				row[j] = 8 * eta * (float64(r.IntN(4)) + []float64{0, 0.5, 0.999}[r.IntN(3)])
			}
			row[d] = float64(r.IntN(4) / 3)
			return row
		}
		var table [][]float64
		for range n {
			table = append(table, draw())
		}
		counts := map[string]int{} // of blocks, by their last corner and label
		for _, row := range table {
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
		m := matrixOf(table)
		got := must(m.LargestBlock(ctx, k, in, eta))
		if got != want {
			t.Fatalf("d = %d: got %d, want %d", d, got, want)
		}
		if c := largestCluster(t, m, in, eta); c > got {
			t.Fatalf("a good cluster has %d rows, the largest block %d", c, got)
		}
		other := slices.Clone(table)
		other[r.IntN(n)] = draw()
		o := matrixOf(other)
		next := must(o.LargestBlock(ctx, k, in, eta))
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

// TestLargestBlockOfManyColumns: beyond the columns that are searched the statistic is not below the largest
// block and has a sensitivity of 1, and evenly filled cells come to an end.
func TestLargestBlockOfManyColumns(t *testing.T) {
	single.Goroutine(t)
	r := rand.New(rand.NewPCG(5, 2))
	ctx := context.Background()
	const d = blockColumns + 2
	in := lineSchema(d, 0, 100)
	k := must(KeysOf(in, nil))
	draw := func(cells int) []float64 {
		row := make([]float64, d+1)
		for j := range d {
			row[j] = 8 * (float64(r.IntN(cells)) + r.Float64())
		}
		return row
	}
	above := 0
	for range 200 {
		table := make([][]float64, 10)
		for i := range table {
			table[i] = draw(3)
		}
		largest := 0
		for _, row := range table { // a block that holds a row has it in one of 2^d corners
			for corner := range 1 << d {
				c := 0
				for _, other := range table {
					inside := true
					for j := range d {
						at := math.Floor(math.RoundToEven(row[j]*snap)/(8*snap)) - float64(corner>>j&1)
						v := math.Floor(math.RoundToEven(other[j]*snap) / (8 * snap))
						inside = inside && (v == at || v == at+1)
					}
					if inside {
						c++
					}
				}
				largest = max(largest, c)
			}
		}
		got := must(matrixOf(table).LargestBlock(ctx, k, in, 1))
		if got < largest {
			t.Fatalf("got %d, below the largest block of %d", got, largest)
		}
		if got > largest {
			above++
		}
		table[r.IntN(len(table))] = draw(3)
		if next := must(matrixOf(table).LargestBlock(ctx, k, in, 1)); next > got+1 || next < got-1 {
			t.Fatalf("one replaced row changes the statistic from %d to %d", got, next)
		}
	}
	if above == 0 {
		t.Error("no statistic is above the largest block: the test has lost its teeth")
	}
	table := make([][]float64, 5000)
	for i := range table {
		table[i] = draw(5)
	}
	// 3 blocks a column cover its 5 cells, so that one holds 5000/3^6 rows at least.
	if got := must(matrixOf(table).LargestBlock(ctx, k, in, 1)); got < 7 {
		t.Errorf("5000 rows: the largest block of %d columns holds %d of them, want at least 7", blockColumns, got)
	}
	stopped, cancel := context.WithCancel(ctx)
	cancel()
	if _, err := matrixOf(table).LargestBlock(stopped, k, in, 1); err == nil {
		t.Error("a search under an ended context returned a value")
	}
}

func largestCluster(t *testing.T, m *Matrix, in frames.Schema, eta float64) int {
	t.Helper()
	largest := 0
	err := m.GoodClusters(t.Context(), must(KeysOf(in, nil)), in, eta, func(rows []int32, _ int) {
		largest = max(largest, len(rows))
	})
	if err != nil {
		t.Fatal(err)
	}
	return largest
}
