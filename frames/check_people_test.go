package frames_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

// TestCheckKnowsPeople: rows under guard, and rows of structs, are of the people and the periods that the same rows in a file are of, whatever
// period the source wrote; who is not in the roster is refused.
func TestCheckKnowsPeople(t *testing.T) {
	s := mustSchema(t, frames.Person("who").Roster("ann", "bob", "cy").Per(frames.Week, "day"), frames.Date("day", "2024-01-01", "2024-03-01"), frames.Numeric("x", 0, 9))
	type row struct {
		Who string  `dpnb:"who"`
		Day string  `dpnb:"day"`
		X   float64 `dpnb:"x"`
	}
	rows := []row{{"ann", "2024-01-01", 1}, {"ann", "2024-02-29", 2}, {"bob", "2024-01-08", 3}, {"ann", "2024-01-02", 4}}
	var text strings.Builder
	b := frames.Block{Rows: len(rows), Cols: 2}
	for _, r := range rows {
		fmt.Fprintf(&text, "%s,%s,%v\n", r.Who, r.Day, r.X)
		day, err := s.Features()[0].DayNumber(r.Day)
		if err != nil {
			t.Fatal(err)
		}
		b.X, b.Person = append(b.X, day, r.X), append(b.Person, frames.NewPersonID([]byte(r.Who)))
	}
	want, err := parse(s, text.String(), frames.CSVOptions{})
	if err != nil {
		t.Fatal(err)
	}
	checked, err := frames.Check(t.Context(), always(s, b))
	if err != nil {
		t.Fatal(err)
	}
	structs, err := frames.FromRows(s, slices.Values(rows))
	if err != nil {
		t.Fatal(err)
	}
	for name, src := range map[string]frames.Source{"checked": checked, "structs": structs} {
		if fingerprintOf(t, src, "who", "day", "x") != fingerprintOf(t, want, "who", "day", "x") {
			t.Errorf("%s: other people, periods or cells", name)
		}
		if n, err := frames.People(t.Context(), src); err != nil || n != 3 {
			t.Errorf("%s: %d people, %v, want the 3 of the roster", name, n, err)
		}
	}
	b.Person[2] = frames.NewPersonID([]byte("dee"))
	if _, err := frames.Check(t.Context(), always(s, b)); !errors.Is(err, frames.ErrPerson) || !strings.Contains(fmt.Sprint(err), `row 3, column "who"`) {
		t.Errorf("a stranger: got %v", err)
	}
	rows[1].Who = "dee"
	if _, err := frames.FromRows(s, slices.Values(rows)); !errors.Is(err, frames.ErrPerson) || !strings.Contains(fmt.Sprint(err), `row 2, column "who"`) {
		t.Errorf("a stranger: got %v", err)
	}
}
