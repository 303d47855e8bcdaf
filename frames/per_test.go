package frames_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-gota/gota/dataframe"
	"github.com/go-gota/gota/series"

	"github.com/dpkit-go/dpnb/frames"
)

func weekly(t testing.TB, person frames.Column) frames.Schema {
	t.Helper()
	return must(frames.NewSchema(person.Per(frames.Week, "day"), frames.Date("day", "2024-01-01", "2024-01-28").Clamped(), frames.Numeric("stay", 0, 9)))
}

const weeklyText = "id,day,stay\nann,2024-01-07,1\nbob,2024-01-08,2\nann,2024-01-08,3\nann,2024-01-01,4\nbob,2025-01-01,5\n"

// TestPeriods: every way to read a table knows the period of each row, and counts people, not periods with rows.
func TestPeriods(t *testing.T) {
	s := weekly(t, frames.Person("id"))
	c, _ := s.Person()
	read := must(frames.ParseCSV(strings.NewReader(weeklyText), "v", s, frames.CSVOptions{Header: true}))
	opened := must(frames.OpenCSV(writeFile(t, "v.csv", weeklyText), s, frames.CSVOptions{Header: true}))
	gota := must(frames.FromGota(dataframe.New(
		series.New([]string{"ann", "bob", "ann", "ann", "bob"}, series.String, "id"),
		series.New([]string{"2024-01-07", "2024-01-08", "2024-01-08", "2024-01-01", "2025-01-01"}, series.String, "day"),
		series.New([]int{1, 2, 3, 4, 5}, series.Int, "stay"),
	), s, frames.GotaOptions{}))
	if c.Periods() != 4 {
		t.Fatalf("got %d periods, want 4", c.Periods())
	}
	key := []byte("a key of a ledger, 32 bytes long")
	for name, src := range map[string]frames.Source{"read": read, "opened": opened, "gota": gota, "collected": must(frames.Collect(t.Context(), opened)), "part": must(frames.Concat(read))} {
		var whom []frames.PersonID
		var when []int
		for _, id := range ids(t, src) {
			who, period := c.Split(id)
			whom, when = append(whom, who), append(when, period)
		}
		if fmt.Sprint(when) != "[0 1 1 0 3]" || whom[0] != whom[2] || whom[1] != whom[4] || whom[0] == whom[1] {
			t.Errorf("%s: got periods %v", name, when)
		}
		if n, units := must(frames.People(t.Context(), src)), must(frames.Protected(t.Context(), src)); n != 2 || units != 8 {
			t.Errorf("%s: got %d people and %d of both, want 2 and 8", name, n, units)
		}
		if must(frames.Fingerprint(t.Context(), src, key)) != read.Fingerprint(key) {
			t.Errorf("%s: another fingerprint", name)
		}
	}
	listed := weekly(t, frames.Person("id").Roster("bob", "eve", "ann"))
	f := must(frames.ParseCSV(strings.NewReader(weeklyText), "v", listed, frames.CSVOptions{Header: true}))
	if c, _ := listed.Person(); must(frames.Protected(t.Context(), f)) != 12 {
		t.Error("a roster does not count in periods")
	} else if place, ok := c.Place(ids(t, f)[2]); !ok || place != 2 {
		t.Errorf("ann stands at %d, %v", place, ok)
	}
	for _, text := range []string{read.String(), read.Describe().String()} {
		if !strings.Contains(text, "2 people") || !strings.Contains(text, "week") {
			t.Errorf("got\n%s", text)
		}
	}
}

func TestPeriodsInSchemas(t *testing.T) {
	seen := map[[32]byte]bool{}
	person := frames.Person("id")
	for _, c := range []frames.Column{person, person.Per(frames.Week, "day"), person.Per(frames.Month, "day"), person.Per(frames.Week, "end"), person.Roster("a"), person.Roster("a").Per(frames.Week, "day")} {
		s := must(frames.NewSchema(c, frames.Date("day", "2024-01-01", "2024-12-31"), frames.Date("end", "2024-01-01", "2024-12-31")))
		seen[s.Hash()] = true
		var back frames.Schema
		if err := json.Unmarshal(must(json.Marshal(s)), &back); err != nil || back.Hash() != s.Hash() {
			t.Errorf("%v: read back %v, %v", s, back, err)
		}
		p, _ := back.Person()
		q, _ := s.Person()
		if p.Periods() != q.Periods() {
			t.Errorf("%v: read back %d periods, want %d", s, p.Periods(), q.Periods())
		}
	}
	if len(seen) != 6 {
		t.Errorf("6 schemas have %d hashes", len(seen))
	}
	day := frames.Date("day", "2024-01-01", "2024-12-31")
	for name, cols := range map[string][]frames.Column{
		"no column":    {person.Per(frames.Week, "night"), day},
		"no date":      {person.Per(frames.Week, "stay"), day, frames.Numeric("stay", 0, 1)},
		"may miss":     {person.Per(frames.Week, "day"), day.MayMiss()},
		"one year":     {person.Per(frames.Year, "day"), day},
		"weekdays":     {person.Per(frames.Weekday, "day"), day},
		"ages":         {person.Per(frames.AgeOn("2024-01-01"), "day"), day},
		"of a number":  {frames.Numeric("x", 0, 1).Per(frames.Week, "day"), day},
		"of an answer": {frames.Label("x", "a", "b").Per(frames.Week, "day"), day},
	} {
		if _, err := frames.NewSchema(cols...); !errors.Is(err, frames.ErrSchema) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	_, err := frames.ParseCSV(strings.NewReader("ann,,3\n"), "v", weekly(t, person), frames.CSVOptions{})
	if !errors.Is(err, frames.ErrMissing) || !strings.Contains(err.Error(), `line 1, field 2, column "day"`) {
		t.Errorf("a row without a day: got %v", err)
	}
}
