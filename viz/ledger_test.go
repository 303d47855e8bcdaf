package viz

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames/datasets"
)

// A real ledger: the first release is drawn, the second is the first again.
func TestRealLedger(t *testing.T) {
	f, err := datasets.SyntheticAdult(3000, 7)
	if err != nil {
		t.Fatal(err)
	}
	s, err := dpkit.Create(f, dpkit.Options{
		Ledger: filepath.Join(t.TempDir(), "budget.ledger"), Dataset: "synthetic Adult", Rehearsal: true,
		Budget: dpkit.Budget{Epsilon: 3, Delta: 1e-6}, Neighbours: accountant.ReplaceOne,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	plan := s.Data().OneHot().Impute(dpkit.Midpoint{}).Scale().FitLogistic(dpkit.ByGradient{Epsilon: 1, Delta: 1e-6, Steps: 5}).Named("first")
	for _, words := range []string{"drawn ", "replayed from the ledger: nothing was drawn or charged"} {
		r, err := plan.Release(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		text := Result(r).Text()
		for _, want := range []string{"release     " + words, "] ledger: spent ε ≤ ", " of 3 at δ = 1e-06\n", "unconditional"} {
			if !strings.Contains(text, want) {
				t.Errorf("the result lacks %q:\n%s", want, text)
			}
		}
	}
	st, err := s.Status()
	if err != nil {
		t.Fatal(err)
	}
	if text := Ledger(st).Text(); !strings.Contains(text, "1 release\n") || !strings.Contains(text, `"synthetic Adult"`) {
		t.Errorf("the ledger shows\n%s", text)
	}
}
