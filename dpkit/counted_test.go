package dpkit

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant/pair"
	"github.com/dpkit-go/dpnb/dpkit/internal/attack"
	"github.com/dpkit-go/dpnb/dpkit/internal/kind"
	"github.com/dpkit-go/dpnb/dpkit/stage"
	"github.com/dpkit-go/dpnb/frames"
)

// change is what a step did to a table that was held against the table before it.
type change struct{ rows, values bool }

// changeBetween compares the rows that are there, and the cells of columns that both tables have by one name and of one kind.
func changeBetween(in, out frames.Schema, a, b *frames.Block) (c change) {
	there := func(b *frames.Block) (at []int) {
		for i := range b.Rows {
			if b.Empty == nil || !b.Empty[i] {
				at = append(at, i)
			}
		}
		return at
	}
	x, y := there(a), there(b)
	if len(x) != len(y) {
		return change{rows: true}
	}
	for j, col := range in.Features() {
		k, ok := out.FeatureIndex(col.Name)
		now, _ := out.Column(col.Name)
		if ok && len(col.Levels) > 0 && len(now.Levels) == 0 { // numbers in the place of levels; levels say themselves what they are
			c.values = true
		}
		if !ok || now.Kind != col.Kind || !slices.Equal(now.Levels, col.Levels) {
			continue
		}
		of := func(b *frames.Block, at []int, j int) []float64 { // in order: steps of people move rows to other places
			v := make([]float64, len(at))
			for i, row := range at {
				v[i] = b.Row(row)[j] + 0
			}
			slices.Sort(v)
			return v
		}
		c.values = c.values || !slices.EqualFunc(of(a, x, j), of(b, y, k), func(a, b float64) bool { return a == b || math.IsNaN(a) && math.IsNaN(b) })
	}
	return c
}

// saysMore are the kinds of step that these rows do not show at work.
var saysMore = map[string]string{
	"people/join":       "the cells that it adds are of the rows that the second table's chain left",
	"pca/private":       "its components have names of their own",
	"winsorize/private": "its bounds come out at the release, and clamp no row of these",
}

// TestEveryStepSaysWhatItCounts runs each kind of step over hostile rows. One that drops rows, makes rows of others, or changes values under a
// name that stays says so in the words that are printed with every release; and what a step says, it is seen to do.
func TestEveryStepSaysWhatItCounts(t *testing.T) {
	entries := stepEntries()
	dropped, changed := 0, 0
	for _, known := range knownSteps() {
		name := known.Kind().Name
		t.Run(name, func(t *testing.T) {
			var did, said change
			for _, a := range entries[name].attacks {
				for seed := range uint64(4) {
					s := a.domain(1)
					rng := rand.New(rand.NewPCG(seed, 38))
					bags, _ := hostileBags(s, rng, 24, 3, ReplaceOne)
					block, n := bags.block(s, rng), 24
					if _, people := s.Person(); !people {
						n = block.Rows
					}
					chain := a.chain(Pipeline{}, 1).steps
					state := attack.State{Schema: s, Pair: must(pair.Start(n, attack.Radius(s), ReplaceOne)), Empty: a.empty}
					before, behind := runOf(t, chain[:len(chain)-1], state, block), runOf(t, chain, state, block)
					if before.table == nil || behind.table == nil {
						continue
					}
					last := behind.q.stages[len(chain)-1]
					one := changeBetween(before.q.end.In, behind.q.end.In, before.table, behind.table)
					if last.Collapses {
						one.rows = true
					}
					did.rows, did.values = did.rows || one.rows, did.values || one.values
					c, ok := last.Step.(stage.Counter)
					var words stage.Counted
					if ok {
						words = c.Counted(last.Stage)
					}
					said.rows, said.values = said.rows || words.Rows != "", said.values || words.Values != ""
					if one.rows && words.Rows == "" {
						t.Fatalf("%s drops rows, or makes rows of others, and says %+v", kind.TextOf(last.Step), words)
					}
					if one.values && words.Rows == "" && words.Values == "" {
						t.Fatalf("%s changes values, and says nothing", kind.TextOf(last.Step))
					}
					if strings.HasSuffix(words.Rows+words.Values+words.Lost, ".") || words.Values != "" && len(words.Columns) == 0 {
						t.Errorf("%s says %+v: want no full stop, and the columns whose values change", kind.TextOf(last.Step), words)
					}
				}
			}
			if why := saysMore[name]; why == "" && (said.values && !did.values || said.rows && !did.rows && !did.values) {
				t.Errorf("it says more than was seen: said %+v, did %+v", said, did)
			}
			if did.rows {
				dropped++
			}
			if did.values {
				changed++
			}
		})
	}
	if dropped < 7 || changed < 20 { // of 50 kinds
		t.Errorf("%d kinds were seen to drop rows and %d to change values: the rows are not hostile any more", dropped, changed)
	}
}

// ranChain is a chain with what is at its end; table is nil where the chain has no price on these rows.
type ranChain struct {
	q     quote
	table *frames.Block
}

func runOf(t *testing.T, chain []stage.Preprocessor, state attack.State, rows *frames.Block) ranChain {
	t.Helper()
	claim, err := claimOf(chain, state)
	if err != nil {
		if hasNoPrice(err) {
			return ranChain{}
		}
		t.Fatal(err)
	}
	q := claim.Priced.(quote)
	x, _, err := runBoth(t.Context(), q, attack.Side{Rows: rows}, attack.Side{Rows: rows})
	if err != nil {
		t.Fatal(err)
	}
	if len(chain) == 0 {
		return ranChain{q, rows}
	}
	return ranChain{q, x.Rows}
}

// TestBoundSaysWhatItCounts: the words of each way to bound.
func TestBoundSaysWhatItCounts(t *testing.T) {
	by := []string{"ward"}
	for _, c := range []struct {
		to   Contributing
		want string
	}{
		{Contributing{Rows: 1}, `at most 1 row a person; rows beyond are not counted`},
		{Contributing{Rows: 3}, `at most 3 rows a person; rows beyond are not counted`},
		{Contributing{Groups: 3, RowsPerGroup: 1, By: by}, `at most 3 rows a person, at most 1 in each of at most 3 groups by "ward"; rows beyond are not counted`},
		{Contributing{Groups: 3, RowsPerGroup: 2, By: by}, `at most 6 rows a person, at most 2 in each of at most 3 groups by "ward"; rows beyond are not counted`},
		{Contributing{Rows: 4, Groups: 3, RowsPerGroup: 2, By: by}, `at most 4 rows a person, at most 2 in each of at most 3 groups by "ward"; rows beyond are not counted`},
		{Contributing{Rows: 10, RowsPerGroup: 2, By: by}, `at most 10 rows a person, at most 2 in each group by "ward"; rows beyond are not counted`},
		{Contributing{Rows: 10, Groups: 2, By: by}, `at most 10 rows a person, in at most 2 groups by "ward"; rows beyond are not counted`},
	} {
		s := must(Demo(visitFrame(t, hostileVisits(rand.New(rand.NewPCG(12, 20)), 60)), 1, ReplaceOne))
		pl := s.Data().Bound(c.to).By("back").Count().Table(Target{Epsilon: 1, Delta: 1e-6}).plan()
		if got := pl.counted(must(pl.quote())); got != c.want {
			t.Errorf("%+v: got %q, want %q", c.to, got, c.want)
		}
	}
}

// TestPairedRowsSayWhatIsCounted: rows beyond those that are paired are not counted, of either table.
func TestPairedRowsSayWhatIsCounted(t *testing.T) {
	s, second := twoTables(t)
	pl := s.Data().JoinPeople(second, PairedRows{First: 2, Second: 3}).Bound(Contributing{Rows: 4}).By("back").Count().Table(Target{Epsilon: 1, Delta: 1e-6}).plan()
	q := must(pl.quote())
	const want = `at most 2 rows a person, each joined with each of at most 3 rows of the same person in table "drugs"; rows beyond are not counted`
	if got := pl.counted(q); !strings.HasPrefix(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := pl.leftOut(q); !strings.Contains(got, "the rows of a person that JoinPeople drops") {
		t.Errorf("what is lost: %q", got)
	}
}

// TestEveryReleaseSaysWhatIsCounted: after a bound, and after a condition, every kind of release says so in its text, its JSON and its frame, in
// a demonstration, on public data and in a replay from a ledger.
func TestEveryReleaseSaysWhatIsCounted(t *testing.T) {
	const k = 3
	data, ran := entryData(t), 0
	everyMechanism(t, func(t *testing.T, e mechanismEntry, _ Pipeline, _ knownMechanism) {
		s := must(Demo(ofPersons(t, data[e.data], 4), 1, e.rel))
		pl := e.end(s.Data().Bound(Contributing{Rows: k}))
		q, err := pl.quote()
		if err != nil || q.made.Unread != "" {
			return // which TestEveryMechanismCountsAPerson asks for
		}
		ran++
		if got, want := pl.counted(q), "at most 3 rows a person; rows beyond are not counted"; !strings.HasPrefix(got, want) {
			t.Errorf("it says %q, want %q", got, want)
		}
		if got := pl.leftOut(q); !strings.Contains(got, "the rows of a person that Bound drops") {
			t.Errorf("what is lost: %q", got)
		}
	})
	if ran < 15 {
		t.Errorf("%d kinds of release have a price after a bound", ran)
	}
}

// TestReplaysSayWhatIsCounted: the words come from the chain, so that a replayed value, and one that was written to a file, have them.
func TestReplaysSayWhatIsCounted(t *testing.T) {
	const want = `rows that meet Between("stay", 1, 20); at most 2 rows a person; rows beyond are not counted; "stay" clamped to [0, 9]`
	rows := visitFrame(t, hostileVisits(rand.New(rand.NewPCG(12, 20)), 200))
	chain := func(s *Session) Plan[Table] {
		return s.Data().Impute(Midpoint{}, "stay").Where(Between("stay", 1, 20)).Bound(Contributing{Rows: 2}).ClipColumns(0, 9, "stay").By("ward").Count().Mean("stay").Table(Target{Epsilon: 1, Delta: 1e-6})
	}
	filled := `missing cells of "stay" filled with the middle of the bounds; `
	path := ledgerPath(t)
	private(t, rows, path, Budget{Epsilon: 3, Delta: 1e-5})
	var first Table
	for i := range 2 {
		s := must(Open(rows, path))
		r, err := chain(s).Release(t.Context())
		if err != nil || r.Replayed != (i == 1) {
			t.Fatalf("release %d: %v, %v", i+1, r, err)
		}
		if got := r.Value.Counted; got != filled+want {
			t.Errorf("release %d says %q, want %q", i+1, got, filled+want)
		}
		first = r.Value
	}
	var csv strings.Builder
	if err := first.WriteCSV(&csv); err != nil {
		t.Fatal(err)
	}
	for form, text := range map[string]string{"text": first.String(), "JSON": string(must(first.MarshalJSON())), "frame": fmt.Sprint(first.Gota().Col("counted")), "CSV": csv.String()} {
		plain := strings.NewReplacer(`\"`, `"`, `""`, `"`).Replace(text)
		if !strings.Contains(plain, "at most 2 rows a person; rows beyond are not counted") {
			t.Errorf("the %s does not say what is counted:\n%s", form, text)
		}
	}
	var again Table
	if err := again.UnmarshalJSON(must(first.MarshalJSON())); err != nil || again.Counted != first.Counted {
		t.Errorf("read back: %q, %v", again.Counted, err)
	}
	// A table that reads no clamped column does not speak of it, and one of all rows says nothing.
	s := must(Demo(rows, 1, ReplaceOne))
	count := s.Data().Bound(Contributing{Rows: 2}).ClipColumns(0, 9, "stay").By("ward").Count().Table(Target{Epsilon: 1, Delta: 1e-6}).plan()
	if got := count.counted(must(count.quote())); got != "at most 2 rows a person; rows beyond are not counted" {
		t.Errorf("a table of counts says %q", got)
	}
}
