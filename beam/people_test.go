package beam

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
)

func visits() frames.Schema {
	return must(frames.NewSchema(frames.Person("who"), frames.Category("ward", "a", "b", "c"), frames.Numeric("stay", 0, 30)))
}

// writeVisits writes rows of people, those of each in one of the files, or anywhere.
func writeVisits(t *testing.T, files int, apart bool) (pattern string) {
	t.Helper()
	folder := t.TempDir()
	r := rand.New(rand.NewPCG(3, 4))
	texts := make([]strings.Builder, files)
	for i := range texts {
		texts[i].WriteString("who,ward,stay\n")
	}
	for range 1500 {
		who := r.IntN(300)
		file := who % files
		if !apart {
			file = r.IntN(files)
		}
		fmt.Fprintf(&texts[file], "p%d,%c,%d\n", who, 'a'+rune(r.IntN(3)), r.IntN(31))
	}
	for i := range texts {
		must(0, os.WriteFile(filepath.Join(folder, fmt.Sprintf("part-%d.csv", i)), []byte(texts[i].String()), 0o600))
	}
	return filepath.Join(folder, "part-*.csv")
}

// ofPeople are releases of rows of people.
var ofPeople = map[string]asked{
	"a table of people": func(d dpkit.Pipeline) fmt.Stringer {
		return d.Bound(dpkit.Contributing{Groups: 2, RowsPerGroup: 2, By: []string{"ward"}}).By("ward").Count().Mean("stay").Table(target)
	},
	"rows of people": func(d dpkit.Pipeline) fmt.Stringer {
		return d.Bound(dpkit.Contributing{Rows: 3}).Histogram("ward", target)
	},
	"a row a person": func(d dpkit.Pipeline) fmt.Stringer {
		return d.Where(dpkit.Is("ward", "a", "b")).PerPerson(dpkit.CountRows{Max: 9}, dpkit.MeanOf{Column: "stay"}).Scale().Mean(target)
	},
}

// TestPeople: what a person contributes is bounded where their rows lie, under a key that workers are told, and the release is that of one
// process; where people have rows in several shards opening fails, or the release before its charge.
func TestPeople(t *testing.T) {
	pattern := writeVisits(t, 4, true)
	o := options("prism")
	o.ByPerson = true
	src, one := must(Open(t.Context(), pattern, visits(), o)), here(t, pattern, visits())
	for name, plan := range ofPeople {
		if want, got := released(t, one, plan), released(t, src, plan); got != want {
			t.Errorf("%s: got %s, want %s", name, got, want)
		}
	}
	mixed := writeVisits(t, 4, false)
	if _, err := Open(t.Context(), mixed, visits(), o); !errors.Is(err, ErrOptions) || !strings.Contains(err.Error(), "several shards") {
		t.Errorf("people in several shards: got %v", err)
	}
	s := private(t, must(Open(t.Context(), mixed, visits(), options("direct"))), ledgerPath(t))
	_, err := s.Data().Bound(dpkit.Contributing{Rows: 3}).Histogram("ward", target).Release(t.Context())
	if status := must(s.Status()); !errors.Is(err, frames.ErrElsewhere) || status.Releases > 0 {
		t.Errorf("got %v after %d charges", err, status.Releases)
	}
}
