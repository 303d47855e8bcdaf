package frames_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

func rosterSchema(names ...string) (frames.Schema, error) {
	return frames.NewSchema(frames.Person("patient").Roster(names...), frames.Numeric("stay", 0, 100))
}

// TestRoster: who is listed is public, stands where the list has them, and counts with rows or without.
func TestRoster(t *testing.T) {
	s := must(rosterSchema("carl, jr", "ann", "eve", "bob"))
	const text = "patient,stay\nann,3\nbob,5\nann,4\n"
	f := must(frames.ParseCSV(strings.NewReader(text), "v", s, frames.CSVOptions{Header: true}))
	opened := must(frames.OpenCSV(writeFile(t, "v.csv", text), s, frames.CSVOptions{Header: true}))
	c, _ := s.Person()
	for name, src := range map[string]frames.Source{"read": f, "opened": opened, "collected": must(frames.Collect(t.Context(), f)), "twice": must(frames.Concat(f, opened))} {
		if n := must(frames.People(t.Context(), src)); n != 4 {
			t.Errorf("%s: got %d people, want 4", name, n)
		}
		if place, ok := c.Place(ids(t, src)[1]); !ok || place != 3 {
			t.Errorf("%s: bob stands at %d, %v", name, place, ok)
		}
	}
	for _, text := range []string{f.String(), opened.String(), f.Describe().String()} {
		if !strings.Contains(text, "4 people") || strings.Contains(text, "2 people") || !strings.Contains(text, "listed") {
			t.Errorf("got\n%s", text)
		}
	}
	var back frames.Schema
	if err := json.Unmarshal(must(json.Marshal(s)), &back); err != nil || back.Hash() != s.Hash() {
		t.Errorf("read back %v, %v", back, err)
	}
	other := must(rosterSchema("ann", "carl, jr", "eve", "bob"))
	none := must(frames.NewSchema(frames.Person("patient"), frames.Numeric("stay", 0, 100)))
	if s.Hash() == other.Hash() || s.Hash() == none.Hash() {
		t.Error("another list is the same schema")
	}
	key := []byte("a key of a ledger, 32 bytes long")
	sum := func(s frames.Schema) [32]byte {
		f := must(frames.ParseCSV(strings.NewReader(text), "v", s, frames.CSVOptions{Header: true}))
		return must(must(frames.ContentOf(t.Context(), f)).Fingerprint(key, "patient"))
	}
	if sum(s) == sum(other) || sum(s) == sum(none) {
		t.Error("a ledger does not tell the lists apart")
	}
}

func TestRosterRefuses(t *testing.T) {
	s := must(rosterSchema("ann", "bob"))
	_, err := frames.ParseCSV(strings.NewReader("patient,stay\nann,3\nmallory,5\n"), "v", s, frames.CSVOptions{Header: true})
	if !errors.Is(err, frames.ErrPerson) || !strings.Contains(err.Error(), `line 3, field 1, column "patient"`) || strings.Contains(err.Error(), "mallory") {
		t.Errorf("got %v", err)
	}
	stranger := ids(t, must(frames.ParseCSV(strings.NewReader("mallory,3,no\n"), "v", visitsSchema(t), frames.CSVOptions{})))
	if _, err := frames.FromBlock(s, &frames.Block{Rows: 1, Cols: 1, X: []float64{1}, Person: stranger}); !errors.Is(err, frames.ErrPerson) || !strings.Contains(err.Error(), "row 1") {
		t.Errorf("a block: got %v", err)
	}
	for name, names := range map[string][]string{"nobody": {}, "twice": {"ann", "bob", "ann"}, "empty": {"ann", ""}, "space": {"ann", "bob "}, "a control": {"ann\n"}} {
		if _, err := rosterSchema(names...); !errors.Is(err, frames.ErrSchema) {
			t.Errorf("%s: got %v", name, err)
		}
	}
	if _, err := frames.NewSchema(frames.Numeric("a", 0, 1).Roster("ann")); !errors.Is(err, frames.ErrSchema) {
		t.Errorf("numbers: got %v", err)
	}
}
