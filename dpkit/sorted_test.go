package dpkit

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/frames"
)

// inOrderOfAge are rows in the order of their own values.
type inOrderOfAge struct{ frames.Source }

func (inOrderOfAge) SortedBy() []string { return []string{"age"} }

// TestSortedRowsHaveNoPlaces: where a source gives rows in the order of a column, one value moves the places of others, and what goes by places has no price. What
// does not has the price that it had.
func TestSortedRowsHaveNoPlaces(t *testing.T) {
	f := tinyFrame(t, 300, 3)
	plain := must(Demo(f, 1, ReplaceOne)).Data()
	src := must(frames.Check(t.Context(), inOrderOfAge{f}))
	sorted := must(Demo(src, 1, ReplaceOne)).Data()
	collected := must(Demo(must(frames.Collect(context.Background(), src)), 1, ReplaceOne)).Data()
	target := Target{Epsilon: 1, Delta: 1e-6}
	side := func(p Pipeline) Pipeline { train, _ := p.Holdout(0.3); return train }
	if _, err := side(plain).Count(target, Between("age", 17, 30)).Cost(); err != nil {
		t.Fatalf("rows with places: %v", err)
	}
	for name, p := range map[string]Pipeline{"checked": sorted, "collected": collected} {
		if _, err := side(p).Count(target, Between("age", 17, 30)).Cost(); !errors.Is(err, ErrOrder) || !strings.Contains(err.Error(), "in the order of a column") {
			t.Errorf("%s: a split: got %v, want ErrOrder", name, err)
		}
		got, want := must(p.OneHot().Impute(Mean{}).Scale().Mean(target).Cost()), must(plain.OneHot().Impute(Mean{}).Scale().Mean(target).Cost())
		if got.String() != want.String() {
			t.Errorf("%s: means cost\n%v\nwant\n%v", name, got, want)
		}
	}
}
