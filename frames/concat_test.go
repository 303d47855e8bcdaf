package frames_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

func TestConcat(t *testing.T) {
	text, x, y := manyPeople(1500)
	text += "1,clerk,x,500,low\n"
	x, y = append(x, 1, 0, 100), append(y, 0)
	a, err := parse(people(t), text, frames.CSVOptions{})
	if err != nil {
		t.Fatal(err)
	}
	both, err := frames.Concat(a, openText(t, text), a.Blocks(7))
	if err != nil {
		t.Fatal(err)
	}
	gotX, gotY := rows(t, both)
	if !same(gotX, slices.Concat(x, x, x)) || !same(gotY, slices.Concat(y, y, y)) {
		t.Error("other values")
	}
	f, err := frames.Collect(t.Context(), both)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := f.Clamped()["gain"], 3*a.Clamped()["gain"]; got != want || want == 0 {
		t.Errorf("got %d clamped cells, want %d", got, want)
	}
	stop := errors.New("enough")
	calls := 0
	err = both.Scan(t.Context(), func(*frames.Block) error {
		if calls++; calls == 3 {
			return stop
		}
		return nil
	})
	if !errors.Is(err, stop) || calls != 3 {
		t.Errorf("got %d calls and %v, want 3 and the function's error", calls, err)
	}
	wider := people(t).Columns()
	wider[0].Hi = 121
	b, err := parse(mustSchema(t, wider...), text, frames.CSVOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for name, sources := range map[string][]frames.Source{"none": nil, "other schema": {a, a, b}} {
		if _, err := frames.Concat(sources...); !errors.Is(err, frames.ErrSchema) {
			t.Errorf("%s: got %v, want ErrSchema", name, err)
		}
	}
}
