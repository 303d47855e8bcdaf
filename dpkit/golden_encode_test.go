package dpkit

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"testing"

	"github.com/dpkit-go/dpnb/accountant"
)

// goldenEncoders maps steps of testdata/golden/calculus.json to the bounds of this package, without
// floating-point slack.
func goldenEncoders() map[string]func(accountant.Pair) (accountant.StepBounds, error) {
	return map[string]func(accountant.Pair) (accountant.StepBounds, error){
		"target_encode(w=1,kappa=10)": func(p accountant.Pair) (accountant.StepBounds, error) {
			b := groupMeanBounds(p, 1, 1, 10)
			// The reference lets the label move by the whole displacement; here it is always clean.
			b.H1, b.HF, b.HInf, b.R = p.T1, p.T1, p.T1, p.R
			return b, nil
		},
		"freq_encode": func(p accountant.Pair) (accountant.StepBounds, error) {
			b := countBounds(p, 1)
			b.R = p.R
			return b, nil
		},
		"rank_transform(clean)": func(p accountant.Pair) (accountant.StepBounds, error) {
			if err := cleanKeys(Stage{Taint: Taint{"x": p.Displaced()}}, []string{"x"}); err != nil {
				return accountant.StepBounds{}, err
			}
			b := countBounds(p, 1)
			b.R = 1
			return b, nil
		},
	}
}

func TestGoldenEncoders(t *testing.T) {
	type state struct {
		N          int
		R          float64
		F, M       int
		T1, TF, TI float64
		DFree      *float64
		Error      string
	}
	var golden struct {
		Steps []struct {
			Step    string
			In, Out state
		}
	}
	readGolden(t, "calculus", &golden)
	steps, seen := goldenEncoders(), map[string]int{}
	for _, g := range golden.Steps {
		bounds, ok := steps[g.Step]
		if !ok {
			continue
		}
		seen[g.Step]++
		p := accountant.Pair{
			Neighbours: ReplaceOne, N: g.In.N, R: g.In.R, F: g.In.F, M: g.In.M, T1: g.In.T1, TF: g.In.TF, TInf: g.In.TI, DFree: math.Inf(1),
		}
		if g.In.DFree != nil {
			p.DFree = *g.In.DFree
		}
		b, err := bounds(p)
		if g.Out.Error != "" {
			if !errors.Is(err, ErrOrder) {
				t.Errorf("%s: got %v, want ErrOrder", g.Step, err)
			}
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		q, err := p.Propagate(b)
		if err != nil {
			t.Fatal(err)
		}
		if q.M != g.Out.M {
			t.Errorf("%s: m = %d, want %d", g.Step, q.M, g.Out.M)
		}
		for _, c := range []struct {
			name      string
			got, want float64
		}{{"t1", q.T1, g.Out.T1}, {"tF", q.TF, g.Out.TF}, {"t∞", q.TInf, g.Out.TI}, {"R", q.R, g.Out.R}} {
			if !(c.got >= c.want*(1-1e-15)) || !(c.got <= c.want*(1+1e-9)) {
				t.Errorf("%s: %s = %.17g, want %.17g", g.Step, c.name, c.got, c.want)
			}
		}
	}
	for name := range steps {
		if seen[name] == 0 {
			t.Errorf("%s: no such step in the golden file", name)
		}
	}
}

func readGolden(t *testing.T, name string, v any) {
	t.Helper()
	raw, err := os.ReadFile("../testdata/golden/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, v); err != nil {
		t.Fatal(err)
	}
}

// TestGoldenImputers holds medians, trimmed means and the regression bound to the exact local
// formulas of testdata/golden/preprocessing.json: what one replaced, missing or observed value can
// do to the statistic of given common values.
func TestGoldenImputers(t *testing.T) {
	type local struct {
		A     []float64
		M     int
		Value float64
	}
	var golden struct {
		Median      struct{ Cases []local }
		TrimmedMean struct{ Cases []local } `json:"trimmed_mean"`
		Ridge       struct {
			Cases []struct {
				W, Value float64
				Lambda   float64 `json:"lam_loo"`
			}
		} `json:"ridge_imputation"`
	}
	readGolden(t, "preprocessing", &golden)
	if len(golden.Median.Cases)*len(golden.TrimmedMean.Cases)*len(golden.Ridge.Cases) == 0 {
		t.Fatal("the golden file has no cases")
	}
	near := func(what string, got, want float64) {
		if !(math.Abs(got-want) <= 1e-12) {
			t.Errorf("%s: got %v, want %v", what, got, want)
		}
	}
	for _, c := range golden.Median.Cases {
		low, high := median(with(c.A, -1)), median(with(c.A, 1))
		none := median(with(c.A))
		near("median", max(high-low, high-none, none-low), c.Value)
	}
	for _, c := range golden.TrimmedMean.Cases {
		q := float64(c.M) / float64(len(c.A)+1)
		near("trimmed mean", trimmed(t, with(c.A, 1), q)-trimmed(t, with(c.A, -1), q), c.Value)
	}
	for _, c := range golden.Ridge.Cases {
		near("ridge", 2*jointGradient(1, c.W)/c.Lambda, c.Value)
	}
}
