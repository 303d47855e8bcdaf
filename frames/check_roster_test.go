package frames_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

// TestCheckKeepsToTheRoster: a source of the caller's own has no row of a stranger, and has all people of the list.
func TestCheckKeepsToTheRoster(t *testing.T) {
	open, listed := frames.Person("id"), frames.Person("id").Roster("p", "q", "r")
	rows := must(frames.ParseCSV(strings.NewReader("id,x\np,1\nq,2\np,3\n"), "t", must(frames.NewSchema(open, frames.Numeric("x", 0, 9))), frames.CSVOptions{Header: true}))
	schema := must(frames.NewSchema(listed, frames.Numeric("x", 0, 9)))
	c, err := frames.Check(t.Context(), relabelled{rows, schema})
	if err != nil {
		t.Fatal(err)
	}
	if n, err := frames.People(t.Context(), c); n != 3 || err != nil {
		t.Errorf("got %d people, %v, want the 3 of the list", n, err)
	}
	other := must(frames.NewSchema(frames.Person("id").Roster("p", "r"), frames.Numeric("x", 0, 9)))
	if _, err := frames.Check(t.Context(), relabelled{rows, other}); !errors.Is(err, frames.ErrPerson) || !strings.Contains(err.Error(), "row 2") {
		t.Errorf("a stranger in row 2: got %v", err)
	}
}

// relabelled are rows under another schema.
type relabelled struct {
	frames.Source
	schema frames.Schema
}

func (r relabelled) Schema() frames.Schema { return r.schema }
