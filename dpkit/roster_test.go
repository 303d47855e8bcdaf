package dpkit

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/frames"
)

func listed(t testing.TB, names, text string) *frames.Frame {
	t.Helper()
	s := must(frames.NewSchema(frames.Person("patient").Roster(strings.Fields(names)...), frames.Numeric("stay", 0, 30), frames.Category("ward", wardNames...)))
	return must(frames.ParseCSV(strings.NewReader(text), "visits", s, frames.CSVOptions{}))
}

// byPlace are the rows that a chain makes of people, "empty" where nobody left one.
func byPlace(t testing.TB, p Pipeline) (out []string) {
	t.Helper()
	stages, end, err := p.trace()
	if err != nil {
		t.Fatal(err)
	}
	if !end.Empty {
		t.Error("rows of who is listed cannot be empty")
	}
	a := must(quote{stages: stages, end: end, place: p.s.place}.apply(t.Context(), p.s.src, nil))
	if err := a.rows.Scan(t.Context(), func(b *frames.Block) error {
		for i := range b.Rows {
			if b.Empty != nil && b.Empty[i] {
				out = append(out, "empty")
			} else {
				out = append(out, fmt.Sprint(b.Row(i)))
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return out
}

// TestRosterPlaces: people stand where the list has them, who has no rows is empty there, and rows of somebody more or less move nobody.
func TestRosterPlaces(t *testing.T) {
	const names = "dan ann eve bob"
	of := func(text string) string {
		p := must(Demo(listed(t, names, text), 1, ReplaceOne)).Data().PerPerson(CountRows{Max: 9}, MeanOf{Column: "stay"})
		return strings.Join(byPlace(t, p), " ")
	}
	for text, want := range map[string]string{
		"bob,3,lung\nann,5,skin\nbob,5,lung\n":             "empty [1 5] empty [2 4]",
		"bob,3,lung\nbob,5,lung\n":                         "empty empty empty [2 4]",
		"eve,1,lung\nbob,3,lung\nann,5,skin\nbob,5,lung\n": "empty [1 5] [1 1] [2 4]",
	} {
		if got := of(text); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
	p := must(Demo(listed(t, names, "ann,3,lung\n"), 1, AddRemove)).Data().PerPerson(CountRows{Max: 9})
	if c := must(p.By().Count().Table(Target{Epsilon: 1, Delta: 1e-6}).Cost()); c.Rows != 4 {
		t.Errorf("n is %d, want 4: one row is enough, since how many there are is private", c.Rows)
	}
}

// TestRosterIsAttacked: all pairs of tables of two people, with rows or without, which differ in one person's: a table by groups moves by no
// more than is charged, under both relations, and by as much for some.
func TestRosterIsAttacked(t *testing.T) {
	bags := []string{"", "X,0,lung\n", "X,30,lung\n", "X,30,skin\n", "X,0,skin\nX,0,skin\n", "X,30,heart\nX,0,heart\n"}
	for _, rel := range []accountant.Neighbours{ReplaceOne, AddRemove} {
		var claimed float64
		table := func(bag string) []float64 {
			f := listed(t, "ann bob", "bob,3,lung\n"+strings.ReplaceAll(bag, "X", "ann"))
			plan := func(s *Session) Plan[Table] {
				return s.Data().PerPerson(MeanOf{Column: "stay"}, MostFrequent{Column: "ward"}).By("ward").Count().Sum("mean of stay").Table(Target{Epsilon: 1, Delta: 1e-6})
			}
			claimed = must(plan(must(Demo(f, 1, rel))).Cost()).Release.Sensitivity
			v := must(plan(must(OnPublic(frames.Public(f)))).Release(t.Context())).Value
			return append(append([]float64{}, v.Counts...), v.Sums[0]...)
		}
		most := mostMoved(bags, rel, table)
		if !(most <= claimed) || !(most >= 0.99*claimed) {
			t.Errorf("%v: one person moves the table by %v, charged are %v", rel, most, claimed)
		}
	}
}

// TestRosterInLedgers: the list is a part of what a ledger knows its data by.
func TestRosterInLedgers(t *testing.T) {
	const text = "bob,3,lung\nann,5,skin\nbob,5,lung\n"
	o := Options{Ledger: filepath.Join(t.TempDir(), "v.ledger"), Budget: Budget{Epsilon: 2, Delta: 1e-6}, Neighbours: ReplaceOne, Dataset: "visits"}
	plan := func(s *Session) Plan[Table] {
		return s.Data().PerPerson(MostFrequent{Column: "ward"}).By("ward").Count().Table(Target{Epsilon: 0.5, Delta: 1e-7})
	}
	r := must(plan(must(Create(listed(t, "ann bob eve", text), o))).Release(t.Context()))
	if again := must(plan(must(Open(listed(t, "ann bob eve", text), o.Ledger))).Release(t.Context())); !again.Replayed || r.Value.Rows != 3 {
		t.Errorf("the release does not replay; n is %d", r.Value.Rows)
	}
	for name, names := range map[string]string{"another order": "bob ann eve", "one more": "ann bob eve dan"} {
		s, err := Open(listed(t, names, text), o.Ledger)
		if err == nil {
			_, err = plan(s).Release(t.Context())
		}
		if err == nil {
			t.Errorf("%s: released", name)
		}
	}
}

// mostMoved is how far apart the tables of two bags of somebody's rows are at most, one of which is empty under add/remove.
func mostMoved(bags []string, rel accountant.Neighbours, table func(bag string) []float64) (most float64) {
	for _, a := range bags {
		for _, b := range bags {
			if rel == AddRemove && a != "" && b != "" {
				continue
			}
			d, x, y := 0.0, table(a), table(b)
			for i := range x {
				d += (x[i] - y[i]) * (x[i] - y[i])
			}
			most = max(most, math.Sqrt(d))
		}
	}
	return most
}
