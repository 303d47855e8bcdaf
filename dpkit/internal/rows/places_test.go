package rows

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

// TestPlaces: a scan, and chunks on several workers, show every place once, with the rows that are there and empty ones behind them.
func TestPlaces(t *testing.T) {
	schema, err := frames.NewSchema(frames.Numeric("a", 0, 1e9), frames.Numeric("b", 0, 1e9), frames.NumericLabel("y", 0, 1e9))
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 21))
	for _, each := range []int{1, 3, 1500} {
		p := &Places{Domain: schema, Each: each, cols: 2, labelled: true}
		p.pieces = make([]piece, 3)
		rows := 0
		want := map[int]float64{} // label by place
		people := 40
		if each < 10 {
			people = 3000
		}
		for who := range people {
			number := rng.IntN(len(p.pieces))
			in := &p.pieces[number]
			of := made{piece: uint32(number), from: uint32(in.rows)}
			for rank := range rng.IntN(min(each, 5) + 1) {
				rows, in.rows, of.rows = rows+1, in.rows+1, of.rows+1
				v := float64(rows)
				in.x, in.y = append(in.x, v, 2*v), append(in.y, 3*v)
				want[who*each+rank] = 3 * v
			}
			p.of = append(p.of, of)
		}
		if p.Rows() != people*each {
			t.Fatalf("%d places, want %d", p.Rows(), people*each)
		}
		var mu sync.Mutex
		seen := make([]int, p.Rows())
		check := func(b *frames.Block) error {
			mu.Lock()
			defer mu.Unlock()
			for i := range b.Rows {
				at := b.First + i
				seen[at]++
				y, there := want[at]
				switch {
				case b.Empty[i] == there:
					t.Fatalf("place %d: empty %v", at, b.Empty[i])
				case b.Y[i] != y || there && !slices.Equal(b.Row(i), []float64{y / 3, 2 * y / 3}):
					t.Fatalf("place %d: got %v, %g, want the row of %g", at, b.Row(i), b.Y[i], y)
				}
			}
			return nil
		}
		if err := p.Scan(context.Background(), check); err != nil {
			t.Fatal(err)
		}
		if err := scanChunks(context.Background(), p, 100, mostWorkers, func() chunkFunc { return func(b *frames.Block) { _ = check(b) } }); err != nil {
			t.Fatal(err)
		}
		if i := slices.IndexFunc(seen, func(n int) bool { return n != 2 }); i >= 0 {
			t.Fatalf("place %d is seen %d times in two scans", i, seen[i])
		}
	}
}
