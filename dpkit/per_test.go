package dpkit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/accountant/ledger"
	"github.com/dpkit-go/dpnb/frames"
)

// weekly is a table whose unit of privacy is a person and a week, of three weeks.
func weekly(t testing.TB, text string) *frames.Frame {
	t.Helper()
	s := must(frames.NewSchema(frames.Person("id").Per(frames.Week, "day"), frames.Date("day", "2024-01-01", "2024-01-21"), frames.Numeric("stay", 0, 30), frames.Category("ward", wardNames...)))
	return must(frames.ParseCSV(strings.NewReader(text), "visits", s, frames.CSVOptions{}))
}

const weeks = "ann,2024-01-01,3,lung\nbob,2024-01-08,5,skin\nann,2024-01-07,5,lung\nann,2024-01-21,9,heart\n"

// TestPeriodsOfPeople: everybody has a row for each period, at its place, whatever steps before did to the day.
func TestPeriodsOfPeople(t *testing.T) {
	of := func(text string, before func(Pipeline) Pipeline) []string {
		return byPlace(t, before(must(Demo(weekly(t, text), 1, ReplaceOne)).Data()).PerPerson(CountRows{Max: 9}, MeanOf{Column: "stay"}))
	}
	same := func(p Pipeline) Pipeline { return p }
	got := of(weeks, same)
	ann, bob := []string{"[2 4]", "empty", "[1 9]"}, []string{"empty", "[1 5]", "empty"}
	if !slices.Equal(got, append(slices.Clone(ann), bob...)) && !slices.Equal(got, append(slices.Clone(bob), ann...)) {
		t.Fatalf("got %v", got)
	}
	for name, before := range map[string]func(Pipeline) Pipeline{
		"without the day":   func(p Pipeline) Pipeline { return p.Drop("day") },
		"on other days":     func(p Pipeline) Pipeline { return p.ClipColumns(3, 4, "day") },
		"with a calendar":   func(p Pipeline) Pipeline { return p.Calendar("day", frames.Week) },
		"bins in its place": func(p Pipeline) Pipeline { return p.Bin([]float64{5}, "day") },
	} {
		if again := of(weeks, before); !slices.Equal(again, got) {
			t.Errorf("%s: got %v, want %v", name, again, got)
		}
	}
	differ := func(text string) (n int) {
		for i, row := range of(text, same) {
			if row != got[i] {
				n++
			}
		}
		return n
	}
	if n := differ(strings.Replace(weeks, "ann,2024-01-07,5", "ann,2024-01-05,7", 1)); n != 1 {
		t.Errorf("another row in the week: %d rows differ, want 1", n)
	}
	if n := differ(strings.Replace(weeks, "ann,2024-01-07", "ann,2024-01-08", 1)); n != 2 {
		t.Errorf("a row moved to another week: %d rows differ, want 2", n)
	}
	if n := differ(strings.Replace(weeks, "ann,2024-01-21,9,heart\n", "", 1)); n != 1 {
		t.Errorf("a week without rows: %d rows differ, want 1", n)
	}
}

// TestPeriodsAreAttacked: of all pairs of tables that differ in one person's rows of one week, none moves a table by more than is charged.
func TestPeriodsAreAttacked(t *testing.T) {
	bags := []string{"", "X,0,lung\n", "X,30,lung\n", "X,30,skin\n", "X,0,skin\nX,0,skin\n", "X,30,heart\nX,0,heart\n"}
	for _, rel := range []accountant.Neighbours{ReplaceOne, AddRemove} {
		var claimed float64
		table := func(bag string) []float64 {
			f := weekly(t, "bob,2024-01-08,3,lung\nann,2024-01-01,3,lung\n"+strings.ReplaceAll(bag, "X", "ann,2024-01-10"))
			plan := func(s *Session) Plan[Table] {
				return s.Data().Calendar("day", frames.Week).PerPerson(MeanOf{Column: "stay"}, MostFrequent{Column: "ward"}, MostFrequent{Column: "day week"}).
					By("ward", "day week").Count().Sum("mean of stay").Table(Target{Epsilon: 1, Delta: 1e-6})
			}
			c := must(plan(must(Demo(f, 1, rel))).Cost())
			if claimed = c.Release.Sensitivity; c.Rows != 6 {
				t.Fatalf("n is %d, want 2 people in 3 weeks", c.Rows)
			}
			v := must(plan(must(OnPublic(frames.Public(f)))).Release(t.Context())).Value
			return append(append([]float64{}, v.Counts...), v.Sums[0]...)
		}
		most := mostMoved(bags, rel, table)
		if !(most <= claimed) || !(most >= 0.99*claimed) {
			t.Errorf("%v: one week of a person moves the table by %v, charged are %v", rel, most, claimed)
		}
	}
}

// TestPeriodsInLedgers: guarantee, value, ledger and statement speak of people and weeks, and a ledger of people takes none of it.
func TestPeriodsInLedgers(t *testing.T) {
	o := Options{Ledger: filepath.Join(t.TempDir(), "v.ledger"), Budget: Budget{Epsilon: 2, Delta: 1e-6}, Neighbours: AddRemove, Dataset: "visits"}
	plan := func(s *Session) Plan[Table] {
		return s.Data().PerPerson(MostFrequent{Column: "ward"}).By("ward").Count().Table(Target{Epsilon: 0.5, Delta: 1e-7})
	}
	s := must(Create(weekly(t, weeks), o))
	r, c, st := must(plan(s).Release(t.Context())), must(plan(s).Cost()), must(s.Status())
	var statement bytes.Buffer
	l := must(ledger.Open(o.Ledger))
	if err := json.NewEncoder(&statement).Encode(must(l.Statement())); err != nil {
		t.Fatal(err)
	}
	_ = l.Close()
	for name, text := range map[string]string{
		"guarantee": r.Guarantee.String(), "value": fmt.Sprint(r.Value), "cost": c.String(), "statement": statement.String(), "status": st.String(),
		"history": must(s.History()).Col("unit").Elem(0).String(),
	} {
		if !strings.Contains(text, "person and week") {
			t.Errorf("%s does not speak of weeks:\n%s", name, text)
		}
	}
	if !strings.Contains(c.String(), "6 person-weeks") || !strings.Contains(s.String(), "6 person-weeks") {
		t.Errorf("n is of\n%s\n%s", c, s)
	}
	if again := must(plan(must(Open(weekly(t, weeks), o.Ledger))).Release(t.Context())); !again.Replayed {
		t.Error("the release does not replay")
	}
	whole := must(frames.NewSchema(frames.Person("id"), frames.Date("day", "2024-01-01", "2024-01-21"), frames.Numeric("stay", 0, 30), frames.Category("ward", wardNames...)))
	people := must(frames.ParseCSV(strings.NewReader(weeks), "visits", whole, frames.CSVOptions{}))
	if _, err := Open(people, o.Ledger); err == nil || !strings.Contains(err.Error(), "per person and week") {
		t.Errorf("people in a ledger of weeks: got %v", err)
	}
}
