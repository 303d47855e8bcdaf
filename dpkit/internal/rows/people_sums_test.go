package rows

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

// TestPeopleSums: people count once in each of their groups, however the rows are cut into blocks, shards and workers.
func TestPeopleSums(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 21))
	for _, each := range []int{1, 3, 7, 1500} {
		m := tableOf(t, each*(1+6000/each), 1, false, func(int, int) float64 { return float64(rng.IntN(4)) })
		for i := range m.Rows() {
			if rng.IntN(3) == 0 {
				m.Remove(i)
			}
		}
		want := make([]int64, 8) // people in each group, then rows
		for who := range m.Rows() / each {
			var seen [4]bool
			for i := who * each; i < (who+1)*each; i++ {
				if g := int(m.Row(i)[0]); !m.IsEmpty(i) {
					seen[g] = true
					want[4+g]++
				}
			}
			for g, there := range seen {
				if there {
					want[g]++
				}
			}
		}
		pass := PeopleSums{
			Each:   each,
			Group:  func(row []float64, _ float64) int { return int(row[0]) },
			Row:    func(sums []int64, row []float64, _ float64) { sums[4+int(row[0])]++ },
			Person: func(sums []int64, group int) { sums[group]++ },
		}
		got, err := pass.Of(t.Context(), InProcess{In: m}, 8)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%d places each: got %v (%v), want %v", each, got, err, want)
		}
		pass.Row = nil
		if got, err := pass.Of(t.Context(), InProcess{In: m}, 8); err != nil || !slices.Equal(got[:4], want[:4]) || got[4] != 0 {
			t.Errorf("%d places each, people alone: got %v (%v), want %v", each, got, err, want[:4])
		}
		pass.Values = []func([]float64, float64) float64{func(row []float64, _ float64) float64 { return row[0] + 0.1 }}
		pass.Total = func(sums []int64, group int, of []float64) {
			sums[group]++
			sums[4+group] += int64(math.Round(of[0] * 10)) // of all rows of a person in the group
		}
		totals := slices.Clone(want)
		for g := range 4 {
			totals[4+g] *= int64(10*g + 1)
		}
		if got, err := pass.Of(t.Context(), InProcess{In: m}, 8); err != nil || !slices.Equal(got, totals) {
			t.Errorf("%d places each, totals: got %v (%v), want %v", each, got, err, totals)
		}
		begin := func() *peopleSums { return &peopleSums{PeopleSums: pass, sums: make([]int64, 8)} }
		all, shards := begin(), []*frames.Block{}
		for from := 0; from < m.Rows(); {
			to := min(from+1+rng.IntN(900), m.Rows())
			shards = append(shards, m.Block(from, to))
			from = to
		}
		for _, k := range rng.Perm(len(shards)) {
			one, read := begin(), begin()
			one.Add(shards[k])
			if err := ReadState(read, must(WriteState(one))); err != nil {
				t.Fatal(err)
			}
			all.Merge(read)
		}
		if all.together(); !slices.Equal(all.sums, totals) {
			t.Errorf("%d places each, from %d shards: got %v, want %v", each, len(shards), all.sums, totals)
		}
	}
}
