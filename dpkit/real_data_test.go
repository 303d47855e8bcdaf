package dpkit_test

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit"
	"github.com/dpkit-go/dpnb/frames"
	"github.com/dpkit-go/dpnb/frames/datasets"
)

// realData are chains from a real file to a released model; each runs where DPNB_DATA has the file.
var realData = []struct {
	name    string
	load    func() (*frames.Frame, string, error)
	file    string // below DPNB_DATA
	budget  dpkit.Budget
	reserve float64
	chain   func(dpkit.Pipeline) dpkit.Pipeline
	scope   string
	least   float64 // accuracy that the released model must reach on its own training rows, declared public here
}{
	{
		"adult: dedup, encode, clip, impute by a private bound, scale", datasets.Adult, "adult/adult.data",
		dpkit.Budget{Epsilon: 1, Delta: 1e-6},
		1e-9,
		func(p dpkit.Pipeline) dpkit.Pipeline {
			return p.Dedup(dpkit.Exact{}).
				OneHot().
				ClipColumns(0, 20000, "capital-gain").
				Impute(dpkit.Mean{MaxMissing: dpkit.Bound(dpkit.Tested{Share: 0.01, Delta: 1e-9})}).
				Scale()
		},
		"tested", 0.81,
	},
	{
		"kidney: encode, indicate, impute, scale, private scales", datasets.Kidney, "kidney",
		dpkit.Budget{Epsilon: 4, Delta: 1e-4},
		0,
		func(p dpkit.Pipeline) dpkit.Pipeline {
			return p.OneHot().
				Indicate().
				Impute(dpkit.PrivateMean{Share: 0.05}).
				Scale().
				Standardize(dpkit.PrivateRMS{Share: 0.1, Floor: 0.05, Gain: 0.1})
		},
		"unconditional", 0.8,
	},
}

// TestRealData runs chains of five steps from file to released model, through a ledger, and reads the
// model back.
func TestRealData(t *testing.T) {
	t.Parallel()
	root := os.Getenv("DPNB_DATA")
	if root == "" {
		t.Skip("DPNB_DATA is not set: there are no real files")
	}
	ctx := context.Background()
	for _, c := range realData {
		t.Run(c.name, func(t *testing.T) {
			if _, err := os.Stat(filepath.Join(root, c.file)); err != nil {
				t.Fatal(err)
			}
			f, _, err := c.load()
			if err != nil {
				t.Fatal(err)
			}
			s, err := dpkit.Create(f, dpkit.Options{
				Ledger: filepath.Join(t.TempDir(), "real.ledger"), Budget: c.budget, Neighbours: dpkit.ReplaceOne, Dataset: c.name, Reserve: c.reserve, Rehearsal: true,
			})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			plan := c.chain(s.Data()).FitLogistic(dpkit.ByGradient{Epsilon: c.budget.Epsilon, Delta: c.budget.Delta, Steps: 60, StepSize: 20})
			r, err := plan.Release(ctx)
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("\n%v", r.Cost)
			if len(r.Cost.Steps) != 5 || r.Guarantee.Epsilon > c.budget.Epsilon || r.Guarantee.Delta > c.budget.Delta {
				t.Errorf("%d steps at %v, want 5 within %v", len(r.Cost.Steps), r.Guarantee, c.budget)
			}
			if got := r.Guarantee.Scope.String(); !strings.HasPrefix(got, c.scope) {
				t.Errorf("scope %q, want %q", got, c.scope)
			}
			accuracy, err := r.Value.Accuracy(ctx, frames.Public(f))
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("accuracy on the training rows: %.4f", accuracy)
			if accuracy < c.least {
				t.Errorf("accuracy %.4f, want at least %v", accuracy, c.least)
			}
			stored, err := json.Marshal(r.Value)
			if err != nil {
				t.Fatal(err)
			}
			var back dpkit.LogisticModel
			if err := json.Unmarshal(stored, &back); err != nil {
				t.Fatal(err)
			}
			if again, err := back.Accuracy(ctx, frames.Public(f)); err != nil || again != accuracy {
				t.Errorf("the stored model: %v, %v; want %v", again, err, accuracy)
			}
		})
	}
}

// TestRealWine is the same with a numeric label: five steps, then linear regression.
func TestRealWine(t *testing.T) {
	if os.Getenv("DPNB_DATA") == "" {
		t.Skip("DPNB_DATA is not set: there are no real files")
	}
	ctx := context.Background()
	f, _, err := datasets.WineRed()
	if err != nil {
		t.Fatal(err)
	}
	s, err := dpkit.Create(f, dpkit.Options{
		Ledger: filepath.Join(t.TempDir(), "wine.ledger"), Budget: dpkit.Budget{Epsilon: 1, Delta: 1e-6}, Neighbours: dpkit.ReplaceOne, Dataset: "wine, red", Rehearsal: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	r, err := s.Data().
		Dedup(dpkit.Exact{}).
		ClipColumns(0, 100, "free sulfur dioxide").
		Scale().
		Standardize(dpkit.PrivateRMS{Share: 0.1, Floor: 0.05, Gain: 0.2}).
		ClipNorm(0.9).
		FitLinear(dpkit.AdaSSP{Epsilon: 1, Delta: 1e-6}).
		Release(ctx)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("\n%v", r.Cost)
	if len(r.Cost.Steps) != 5 || r.Guarantee.Epsilon > 1 {
		t.Errorf("%d steps at %v, want 5 within ε = 1", len(r.Cost.Steps), r.Guarantee)
	}
	rmse, err := r.Value.RMSE(ctx, frames.Public(f))
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("RMSE on the training rows: %.4f", rmse)
	if !(rmse < 0.95) { // the standard deviation of the label is 0.81
		t.Errorf("RMSE %v, want about that of the mean at least", rmse)
	}
}
