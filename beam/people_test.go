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

// writeVisits writes rows of people, those of each in one of the files, or anywhere. The rows are the same whatever the files and their order.
func writeVisits(t *testing.T, files int, apart bool, order uint64) (pattern string) {
	t.Helper()
	folder := t.TempDir()
	r := rand.New(rand.NewPCG(3, 4))
	type row struct {
		who  int
		text string
	}
	var all []row
	for range 6000 {
		who := r.IntN(1200)
		all = append(all, row{who, fmt.Sprintf("p%d,%c,%d\n", who, 'a'+rune(r.IntN(3)), r.IntN(31))})
	}
	r = rand.New(rand.NewPCG(order, 5))
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	texts := make([]strings.Builder, files)
	for i := range texts {
		texts[i].WriteString("who,ward,stay\n")
	}
	for _, row := range all {
		file := row.who % files
		if !apart {
			file = r.IntN(files)
		}
		texts[file].WriteString(row.text)
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
	"people of groups": func(d dpkit.Pipeline) fmt.Stringer { // three places of a person, whom blocks cut
		return d.Bound(dpkit.Contributing{Rows: 3}).By("ward").People().Count().Mean("stay").Table(target)
	},
	"people of groups that are found": func(d dpkit.Pipeline) fmt.Stringer {
		return d.Bound(dpkit.Contributing{Rows: 3}).By("ward").People().Found(target)
	},
	"second moments of people": func(d dpkit.Pipeline) fmt.Stringer {
		return d.PerPerson(dpkit.CountRows{Max: 9}, dpkit.MeanOf{Column: "stay"}).Scale().Gram(target)
	},
	"a row a person": func(d dpkit.Pipeline) fmt.Stringer {
		return d.Where(dpkit.Is("ward", "a", "b")).PerPerson(dpkit.CountRows{Max: 9}, dpkit.MeanOf{Column: "stay"}).Scale().Mean(target)
	},
}

// TestPeople: what a person contributes is bounded where all their rows meet, under a key that workers are told, and the release is that of one
// process: whatever shards the rows of a person are in, in any order, and where bundles are made twice.
func TestPeople(t *testing.T) {
	want := map[string]string{}
	one := here(t, writeVisits(t, 1, false, 1), visits())
	for name, plan := range ofPeople {
		want[name] = released(t, one, plan)
	}
	for _, c := range []struct {
		runner string
		files  int
		apart  bool
		order  uint64
	}{{"direct", 2, false, 1}, {"prism", 5, false, 2}, {"prism", 3, true, 3}, {"retrying", 3, false, 4}} {
		o := options(c.runner)
		o.ByPerson = c.apart
		src := must(Open(t.Context(), writeVisits(t, c.files, c.apart, c.order), visits(), o))
		for name, plan := range ofPeople {
			if got := released(t, src, plan); got != want[name] {
				t.Errorf("%v, %s: got %.300s, want %.300s", c, name, got, want[name])
			}
		}
	}
}

// TestPeopleFaults: people who are not apart, and a shard that changes while its rows are dealt.
func TestPeopleFaults(t *testing.T) {
	mixed := writeVisits(t, 4, false, 1)
	o := options("direct")
	o.ByPerson = true
	if _, err := Open(t.Context(), mixed, visits(), o); !errors.Is(err, ErrOptions) || !strings.Contains(err.Error(), "several shards") {
		t.Errorf("people in several shards: got %v", err)
	}
	s := private(t, must(Open(t.Context(), mixed, visits(), options("direct"))), ledgerPath(t))
	path := strings.Replace(mixed, "*", "2", 1)
	text := must(os.ReadFile(path))
	must(0, os.WriteFile(path, []byte(strings.Replace(string(text), ",a,", ",b,", 1)), 0o600))
	_, err := s.Data().Bound(dpkit.Contributing{Rows: 3}).Histogram("ward", target).Release(t.Context())
	if status := must(s.Status()); !errors.Is(err, frames.ErrChanged) || status.Releases != 1 {
		t.Errorf("got %v after %d charges", err, status.Releases)
	}
}
