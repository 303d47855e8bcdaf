package beam

import (
	"errors"
	"fmt"
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
	"a row a person": func(d dpkit.Pipeline) fmt.Stringer {
		return d.Where(dpkit.Is("ward", "a", "b")).PerPerson(dpkit.CountRows{Max: 9}, dpkit.MeanOf{Column: "stay"}).Scale().Mean(target)
	},
}

// TestPeople: where people have rows in several shards opening fails, or the release before its charge.
func TestPeople(t *testing.T) {
	o := options("direct")
	o.ByPerson = true
	mixed := write(t, ".csv", people(4, false))
	if _, err := Open(t.Context(), mixed, visits(), o); !errors.Is(err, ErrOptions) || !strings.Contains(err.Error(), "several shards") {
		t.Errorf("people in several shards: got %v", err)
	}
	s := private(t, must(Open(t.Context(), mixed, visits(), options("direct"))), ledgerPath(t))
	_, err := s.Data().Bound(dpkit.Contributing{Rows: 3}).Histogram("ward", target).Release(t.Context())
	if status := must(s.Status()); !errors.Is(err, frames.ErrElsewhere) || status.Releases > 0 {
		t.Errorf("got %v after %d charges", err, status.Releases)
	}
}
