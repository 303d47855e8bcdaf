package viz

import (
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
)

// TestJointShows: the cost of plans that are released together has each plan's part, their result each value, and each value the
// guarantee of all.
func TestJointShows(t *testing.T) {
	schema, err := frames.NewSchema(frames.Numeric("age", 0, 90), frames.Category("ward", "a", "b"))
	if err != nil {
		t.Fatal(err)
	}
	block := &frames.Block{Rows: 500, Cols: 2}
	for i := range block.Rows {
		block.X = append(block.X, float64(i%90), float64(i%2))
	}
	f, err := frames.FromBlock(schema, block)
	if err != nil {
		t.Fatal(err)
	}
	s, err := dpkit.Create(f, dpkit.Options{
		Ledger: t.TempDir() + "/a.ledger", Budget: dpkit.Budget{Epsilon: 2, Delta: 1e-6}, Neighbours: dpkit.AddRemove, Dataset: "wards", Rehearsal: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ward, age := s.Data().Histogram("ward", dpkit.Target{}), s.Data().Select("age").Mean(dpkit.Target{})
	both := dpkit.Together(dpkit.Target{Epsilon: 1, Delta: 1e-6}, ward, age.Weight(3))
	c, err := both.Cost()
	if err != nil {
		t.Fatal(err)
	}
	r, err := both.Release(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	one, err := ward.Of(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, view := range []struct {
		name  string
		of    View
		wants []string
	}{
		{"cost", Cost(c), []string{`Histogram("ward")`, "75 %", "25 %", "μ = ", "± ", "predicted error"}},
		{"result", Result(r), []string{"1. Histogram", "2. Mean", "ε", "drawn "}},
		{"result of one", Result(one), []string{"count", "drawn "}},
		{"cost of one", Cost(one.Cost), []string{"of all plans released together: (ε = 1"}},
	} {
		for form, text := range map[string]string{"words": view.of.Text(), "HTML": strings.ReplaceAll(view.of.HTML(), "&#34;", `"`)} {
			for _, want := range view.wants {
				if !strings.Contains(text, want) {
					t.Errorf("%s as %s: want %q in\n%s", view.name, form, want, text)
				}
			}
		}
	}
}
