package dpkit

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/internal/rows"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
	memory "github.com/dpkit-go/dpnb/internal/fresh"
)

// rowsAtEnd are the rows at the end of a chain that may hold so many bytes of tables.
func rowsAtEnd(t *testing.T, p Pipeline, held int) *rows.Matrix {
	t.Helper()
	a, end := appliedWithin(t, p, held)
	return must(rows.Materialise(t.Context(), a.rows, end.In, rows.SameRow))
}

// appliedWithin is a chain that was fitted to its rows, and what its end sees.
func appliedWithin(t *testing.T, p Pipeline, held int) (applied, stage.Stage) {
	t.Helper()
	stages, end, err := p.trace()
	if err != nil {
		t.Fatal(err)
	}
	q := quote{stages: stages, end: end, held: held, place: p.s.place, second: p.s.tables.source}
	a, err := q.apply(t.Context(), p.s.src, nil)
	if err != nil {
		t.Fatalf("%s: %v", p, err)
	}
	return a, end
}

// TestTablesThatAreWrittenOver: chains of steps in whatever order, whose table is written over, lead to the bits
// of tables that nobody holds, and of those of which some are held; so do chains behind a join of people.
func TestTablesThatAreWrittenOver(t *testing.T) {
	t.Parallel()
	type step struct {
		name string
		do   func(Pipeline) Pipeline
	}
	of := func(age, pay string) []step {
		return []step{
			{"clip", func(p Pipeline) Pipeline { return p.ClipColumns(0.25, 3, pay) }},
			{"quantize", func(p Pipeline) Pipeline { return p.Quantize(0.5, age) }},
			{"impute", func(p Pipeline) Pipeline { return p.Impute(Midpoint{}) }},
			{"means", func(p Pipeline) Pipeline { return p.Impute(Mean{}) }},
			{"trimmed", func(p Pipeline) Pipeline { return p.Impute(TrimmedMean{Trim: 0.1, Pad: 10}, pay) }},
			{"scale", func(p Pipeline) Pipeline { return p.Scale() }},
			{"norm", func(p Pipeline) Pipeline { return p.ClipNorm(0.8) }},
			{"centre", func(p Pipeline) Pipeline { return p.Center() }},
			{"rank", func(p Pipeline) Pipeline { return p.RankTransform(age) }},
			{"winsor", func(p Pipeline) Pipeline { return p.Winsorize(SmoothedQuantile{Q: 0.1, Window: 0.1}, age) }},
			{"largest", func(p Pipeline) Pipeline { return p.MaxAbs(0.1) }},
			{"filter", func(p Pipeline) Pipeline { return p.PCA(SoftThreshold{Lambda: 0.05}) }},
			{"ridge", func(p Pipeline) Pipeline { return p.PCA(Tikhonov{Lambda: 0.1}) }},
			{"where", func(p Pipeline) Pipeline { return p.Where(Between(age, 0, 50)) }},
			{"duplicates", func(p Pipeline) Pipeline { return p.Dedup(Exact{}) }},
			{"one side", func(p Pipeline) Pipeline { train, _ := p.Holdout(0.3); return train }},
			{"another", func(p Pipeline) Pipeline { _, test := p.Holdout(0.3); return test }},
			{"encode", func(p Pipeline) Pipeline { return p.OneHot() }},
			{"two of them", func(p Pipeline) Pipeline { return p.Select(pay, age) }},
			{"indicate", func(p Pipeline) Pipeline { return p.Indicate() }},
		}
	}
	rng := rand.New(rand.NewPCG(8, 26))
	tiny := must(Demo(tinyFrame(t, 1500, 3), 1, ReplaceOne)).Data()
	people := must(Demo(visitFrame(t, hostileVisits(rng, 400)), 1, ReplaceOne))
	drugs := must(people.AddTable("drugs", drugFrame(t, hostileDrugs(rng, 400))))
	joined := people.Data().PerPerson(CountRows{Max: 20, As: "age"}, MeanOf{Column: "stay"}, PersonLabel{Of: MostFrequent{Column: "back", As: "came"}}).
		JoinPeople(drugs.PerPerson(SumOf{Column: "dose", Hi: 9, As: "pay"}, MostFrequent{Column: "drug"}))
	used := map[string]int{}
	for _, from := range []Pipeline{tiny, joined} {
		all := of("age", "pay")
		for range 25 {
			p := from
			for tries := 0; tries < 30 && len(p.steps) < len(from.steps)+7; tries++ {
				s := all[rng.IntN(len(all))]
				next := s.do(p)
				if _, _, err := next.trace(); err == nil {
					p, used[s.name] = next, used[s.name]+1
				}
			}
			want := rowsAtEnd(t, p, 1)
			for _, held := range []int{0, 1500 * 4 * 8} {
				clean := memory.Poison(math.NaN()) // what tables begin with does not show
				got := rowsAtEnd(t, p, held)
				clean()
				if !sameBits(got.X, want.X) || !slices.Equal(got.Y, want.Y) || !slices.Equal(got.Empty, want.Empty) {
					t.Errorf("at most %d bytes: other rows: %s", held, p)
				}
			}
		}
	}
	if len(used) < len(of("", "")) {
		t.Errorf("some steps are in no chain: %v", used)
	}
}

// TestReleasesReadWhatTheyNeed: a release of a frame, of which no other columns are read than those that it needs, is that of a source of which all are.
func TestReleasesReadWhatTheyNeed(t *testing.T) {
	t.Parallel()
	data := entryData(t)
	for _, e := range mechanismEntries() {
		for name, end := range map[string]func(Pipeline) *plan{"": e.end, " beside": e.beside} {
			if end == nil {
				continue
			}
			var want string
			for i, src := range []frames.Source{data[e.data], data[e.data].Blocks(333)} {
				pl := end(must(Demo(src, 1, e.rel)).Data())
				r, err := pl.release(t.Context())
				if err != nil && name == "" {
					t.Fatalf("%s: %v", e.kind, err)
				}
				got := fmt.Sprint(string(must(json.Marshal(r.Value))), err)
				if i == 0 {
					want = got
				} else if got != want {
					t.Errorf("%s%s: got %s, want %s", e.kind, name, got, want)
				}
			}
		}
	}
}
