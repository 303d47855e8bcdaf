package linear

import (
	"encoding/json"
	"math"
	"os"
	"testing"
)

// TestStored: the stored results are those of the full setting, and say of every set what they must.
func TestStored(t *testing.T) {
	r, err := Stored()
	if err != nil {
		t.Fatal(err)
	}
	full, _ := json.Marshal(Full())
	if got, _ := json.Marshal(r.Settings); string(got) != string(full) {
		t.Errorf("stored settings %s, want %s", got, full)
	}
	if len(r.Sets) != len(sources) {
		t.Errorf("got %d sets, want %d", len(r.Sets), len(sources))
	}
	for i, s := range r.Sets {
		if s.Name != sources[i].name || len(s.SHA256) != 64 || s.Train < s.Test || len(s.Cells) == 0 {
			t.Errorf("set %d: %q, %d cells", i, s.Name, len(s.Cells))
		}
		for _, c := range s.Cells {
			if !(c.Mean > 0) || math.IsInf(c.Mean, 1) || !(c.SE >= 0) {
				t.Errorf("%s, %s, ε = %g: %g ± %g", s.Name, c.Method, c.Epsilon, c.Mean, c.SE)
			}
			want := r.Settings.Releases
			if s.Task == "logistic" {
				want = r.Settings.LogisticReleases
				if sources[i].large {
					want = r.Settings.Large
				}
			}
			if c.Epsilon > 0 && c.Releases != want {
				t.Errorf("%s, %s: %d releases, want %d", s.Name, c.Method, c.Releases, want)
			}
		}
	}
	// The claim: the default is at or below both printed mechanisms, within confidence, on every set at every ε, and exact
	// AdaSSP below the printed one; but for housing's two least ε, where the default is the label's mean: on this split the mean of the
	// training rows, without noise, has 1.034 of the variance of the held-out labels (package decisions, over 24 splits 1.013).
	worse := 0
	for _, v := range r.Verdicts() {
		if v.Worse && v.Ours != Mixing {
			if v.Ours == Best && v.Set == "housing" && v.Epsilon < 0.3 && v.Ratio < 1.03 {
				continue
			}
			worse++
			t.Logf("%s, ε = %.3g: %s has %.3f of the error of %s", v.Set, v.Epsilon, v.Ours, v.Ratio, v.Printed)
		}
	}
	if worse > 0 {
		t.Errorf("ours is worse in %d places", worse)
	}
	adult := set(t, r, "adult")
	for _, c := range []struct{ epsilon, least float64 }{{1, 0.843}, {0.1, 0.828}} {
		if got, ok := adult.Find(ObjectiveAlone, c.epsilon); !ok || !(got.Mean >= c.least) {
			t.Errorf("adult, ε = %g: objective perturbation is right at %.4f, want at least %g", c.epsilon, got.Mean, c.least)
		}
	}
}

func set(t *testing.T, r Results, name string) Set {
	t.Helper()
	for _, s := range r.Sets {
		if s.Name == name {
			return s
		}
	}
	t.Fatalf("no set %q", name)
	return Set{}
}

// TestRunAgreesWithStored runs a small setting on some sets. Its releases are the first of the stored ones: on the same machine
// the means agree to their standard errors without chance, and elsewhere up to rounding.
func TestRunAgreesWithStored(t *testing.T) {
	if os.Getenv("DPNB_DATA") == "" {
		t.Skip("DPNB_DATA is not set: NOTHING WAS MEASURED on the real sets")
	}
	all, err := Stored()
	if err != nil {
		t.Fatal(err)
	}
	s := Full()
	s.Releases, s.LogisticReleases, s.Sets = 12, 12, []string{"housing", "wine, red", "pima diabetes"}
	s.Linear, s.Logistic = s.Linear[3:4], []float64{1}
	r, err := Run(t.Context(), s, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, small := range r.Sets {
		large := set(t, all, small.Name)
		if small.SHA256 != large.SHA256 || small.Train != large.Train || small.Columns != large.Columns || small.Spread != large.Spread {
			t.Errorf("%s: another set: %+v", small.Name, small)
		}
		for _, c := range small.Cells {
			want, ok := large.Find(c.Method, c.Epsilon)
			if !ok {
				t.Errorf("%s: %s at ε = %g is not stored", small.Name, c.Method, c.Epsilon)
				continue
			}
			// 12 of 250: the small mean has √(250/12) of the stored standard error. 6.5 of those: 8e-11 each for a normal law.
			if tolerance := 6.5*want.SE*math.Sqrt(float64(want.Releases)/float64(c.Releases)) + 1e-9*want.Mean; math.Abs(c.Mean-want.Mean) > tolerance {
				t.Errorf("%s, %s, ε = %g: %g, stored %g ± %g", small.Name, c.Method, c.Epsilon, c.Mean, want.Mean, want.SE)
			}
		}
	}
}

func TestRunRefuses(t *testing.T) {
	t.Setenv("DPNB_DATA", "")
	if _, err := Run(t.Context(), Full(), nil); err == nil {
		t.Error("without data: got no error")
	}
	t.Setenv("DPNB_DATA", t.TempDir())
	if _, err := Run(t.Context(), Settings{Sets: []string{"iris"}}, nil); err == nil {
		t.Error("a set that is none: got no error")
	}
}
