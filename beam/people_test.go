package beam

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
)

func visits() frames.Schema {
	return must(frames.NewSchema(frames.Person("who"), frames.Category("ward", "a", "b", "c"), frames.Numeric("stay", 0, 30)))
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
	"components of people": func(d dpkit.Pipeline) fmt.Stringer {
		return d.PerPerson(dpkit.MeanOf{Column: "stay"}, dpkit.MaxOf{Column: "stay"}).Scale().PCA(dpkit.SoftThreshold{Lambda: 0.1}).Mean(target)
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
	one := here(t, write(t, ".csv", people(1, false, 1)), visits())
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
		src := must(Open(t.Context(), write(t, ".csv", people(c.files, c.apart, c.order)), visits(), o))
		for name, plan := range ofPeople {
			if got := released(t, src, plan); got != want[name] {
				t.Errorf("%v, %s: got %.300s, want %.300s", c, name, got, want[name])
			}
		}
	}
}

// TestPeopleFaults: people who are not apart, and a shard that changes while its rows are dealt.
func TestPeopleFaults(t *testing.T) {
	mixed := write(t, ".csv", people(4, false, 1))
	o := options("direct")
	o.ByPerson = true
	if _, err := Open(t.Context(), mixed, visits(), o); !errors.Is(err, ErrOptions) || !strings.Contains(err.Error(), "several shards") {
		t.Errorf("people in several shards: got %v", err)
	}
	s := private(t, must(Open(t.Context(), mixed, visits(), options("direct"))), ledgerPath(t))
	path := strings.Replace(mixed, "*", "02", 1)
	text := must(os.ReadFile(path))
	must(0, os.WriteFile(path, []byte(strings.Replace(string(text), ",a,", ",b,", 1)), 0o600))
	_, err := s.Data().Bound(dpkit.Contributing{Rows: 3}).Histogram("ward", target).Release(t.Context())
	if status := must(s.Status()); !errors.Is(err, frames.ErrChanged) || status.Releases != 1 {
		t.Errorf("got %v after %d charges", err, status.Releases)
	}
}
