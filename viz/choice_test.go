package viz

import (
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
)

// TestResultOfAChoiceWithoutRows: a release of public facts alone says that it read and charged nothing, and no time of a charge.
func TestResultOfAChoiceWithoutRows(t *testing.T) {
	schema, err := frames.NewSchema(frames.Numeric("x", 0, 1), frames.Label("y", "no", "yes"))
	if err != nil {
		t.Fatal(err)
	}
	f, err := frames.FromBlock(schema, &frames.Block{Rows: 20, Cols: 1, X: make([]float64, 20), Y: make([]float64, 20)})
	if err != nil {
		t.Fatal(err)
	}
	s, err := dpkit.Create(f, dpkit.Options{Ledger: t.TempDir() + "/choice.ledger", Budget: dpkit.Budget{Epsilon: 9, Delta: 1e-5}, Neighbours: dpkit.AddRemove, Dataset: "choice"})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	var among []dpkit.Predictor
	for _, epsilon := range []float64{1, 2} {
		r, err := s.Data().Scale().FitLogistic(dpkit.ByObjective{Epsilon: epsilon, Delta: 1e-7}).Release(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		among = append(among, r.Value)
	}
	plan := s.Data().Choose(dpkit.Target{Epsilon: 1}, among...)
	r, err := plan.Release(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	c, err := plan.Cost()
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range map[string]View{"result": Result(r), "cost": Cost(c), "value": Value(r.Value)} {
		text := v.Text()
		if !strings.Contains(text, "too few rows to choose by") || strings.Contains(text, "0001-") {
			t.Errorf("%s:\n%s", name, text)
		}
	}
	if text := Result(r).Text(); !strings.Contains(text, "no row was read and nothing was charged") {
		t.Error(text)
	}
}
