package frames_test

import (
	"slices"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

// sortedSource is a caller's source whose rows are ordered by a column.
type sortedSource struct{ scripted }

func (sortedSource) SortedBy() []string { return []string{"age"} }

// TestSortedBy: that rows stand in the order of their values is known of whatever is made of them.
func TestSortedBy(t *testing.T) {
	plain := always(mustSchema(t, frames.Numeric("age", 0, 120)), frames.Block{Rows: 4, Cols: 1, X: []float64{30, 31, 32, 33}})
	src := sortedSource{plain}
	checked, err := frames.Check(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	frame, err := frames.Collect(t.Context(), src)
	if err != nil {
		t.Fatal(err)
	}
	other, err := frames.Collect(t.Context(), plain)
	if err != nil {
		t.Fatal(err)
	}
	both, err := frames.Concat(other, frame)
	if err != nil {
		t.Fatal(err)
	}
	half, _, err := frames.Split(frame, 0.5, 1)
	if err != nil {
		t.Fatal(err)
	}
	again, err := frames.Collect(t.Context(), checked)
	if err != nil {
		t.Fatal(err)
	}
	for name, of := range map[string]frames.Source{"the source": src, "checked": checked, "a frame": frame, "blocks": frame.Blocks(1), "a concat": both, "a split": half, "collected of checked": again} {
		if got := frames.SortedBy(of); !slices.Equal(got, []string{"age"}) {
			t.Errorf("%s: got %q, want age", name, got)
		}
	}
	var none *frames.Frame
	for _, of := range []frames.Source{plain, other, none, nil, &frames.Checked{}} {
		if got := frames.SortedBy(of); len(got) > 0 {
			t.Errorf("%T: got %q, want none", of, got)
		}
	}
}
