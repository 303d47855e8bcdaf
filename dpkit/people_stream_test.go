package dpkit

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

// scanned counts how often a source is read.
type scanned struct {
	frames.Source
	times *int
}

func (s scanned) Scan(ctx context.Context, fn func(*frames.Block) error) error {
	*s.times++
	return s.Source.Scan(ctx, fn)
}

// TestPeopleStreamed: tables of people that are larger than what may be held are read once for each part of the people, and what is made of
// them has the bits that it has in memory.
func TestPeopleStreamed(t *testing.T) {
	t.Parallel()
	var all []visit
	for rng := rand.New(rand.NewPCG(6, 21)); len(all) < 60_000; {
		of := hostileVisits(rng, 40)
		for i := range of {
			of[i].who += len(all)
		}
		all = append(all, of...)
	}
	f := visitFrame(t, all)
	bound := func(p Pipeline) Pipeline {
		return p.Bound(Contributing{Rows: 4, Groups: 2, RowsPerGroup: 3, By: []string{"ward"}})
	}
	for name, chain := range map[string]func(Pipeline) Pipeline{"Bound": bound, "PerPerson": everyStatistic} {
		places := func(src frames.Source, held int) []string {
			s := must(Demo(must(frames.Check(t.Context(), src)), 1, ReplaceOne))
			must(0, s.Memory(16*held))
			return kept(t, chain(s.Data()))
		}
		want := places(f, 1<<30)
		for held, parts := range map[int]int{1: 2, 1 << 20: 1} { // 5 cells of a row
			times := 0
			src := scanned{f.Blocks(5000), &times}
			if got := places(src, held); !slices.Equal(got, want) {
				t.Errorf("%s, at most %d cells: got other rows than in memory", name, held)
			}
			if times -= 1; times != parts { // one to check it
				t.Errorf("%s, at most %d cells: read %d times, want %d", name, held, times, parts)
			}
		}
	}
}
