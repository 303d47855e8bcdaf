package models

import (
	"encoding/json"
	"math"
	"reflect"
	"testing"

	"github.com/dpkit-go/dpnb/dpkit/coefficient"
)

// TestLawThatCannotBeStored: a law with a number that no file can have becomes a reason; others stay.
func TestLawThatCannotBeStored(t *testing.T) {
	moments := func(along float64) *coefficient.Moments {
		return &coefficient.Moments{Along: []float64{along, 1}, Units: []float64{1, 1}, Least: 40, Size: 0.5, Right: 1}
	}
	for name, c := range map[string]struct {
		law  *coefficient.Law
		want string
	}{
		"infinite scale":  {&coefficient.Law{Law: coefficient.ByRelativeSteps, Scales: []float64{1, math.Inf(1)}}, coefficient.OfOverflow},
		"no number":       {&coefficient.Law{Law: coefficient.ByOutput, Scales: []float64{math.NaN(), 1}}, coefficient.OfOverflow},
		"slack":           {&coefficient.Law{Law: coefficient.BySteps, Scales: []float64{0, 0}, Slack: math.Inf(1)}, coefficient.OfOverflow},
		"moments":         {&coefficient.Law{Law: coefficient.BySums, Scales: []float64{1, 1}, Moments: moments(math.Inf(1))}, coefficient.OfOverflow},
		"reason with NaN": {&coefficient.Law{Law: coefficient.OfMean, Slack: math.NaN()}, coefficient.OfOverflow},
		"negative":        {&coefficient.Law{Law: coefficient.ByOutput, Scales: []float64{-1, 1}}, coefficient.OfOverflow},
		"finite":          {&coefficient.Law{Law: coefficient.BySums, Scales: []float64{1, 1}, Freedom: 2, Moments: moments(1)}, coefficient.BySums},
		"reason":          {&coefficient.Law{Law: coefficient.OfMean}, coefficient.OfMean},
	} {
		m := WithLaw(LinearModel{Columns: []string{"x"}, Coef: []float64{1}}, c.law)
		if m.Law.Law != c.want {
			t.Errorf("%s: got the law %+v, want %q", name, m.Law, c.want)
		}
		if _, err := json.Marshal(m); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if u, err := m.Uncertainty(0.95); err != nil || (u.Reason == "") != (c.want == coefficient.BySums) {
			t.Errorf("%s: got %+v, %v", name, u, err)
		}
	}
}

// TestScaledLaw: every number of a law that has the unit of a coefficient is scaled, and the law that was there stays.
func TestScaledLaw(t *testing.T) {
	law := func(by float64) *coefficient.Law {
		return &coefficient.Law{Law: coefficient.BySums, Scales: []float64{by, 2 * by}, Freedom: 2, Moments: &coefficient.Moments{
			Along: []float64{3 * by, 4 * by}, Units: []float64{by, by}, Least: 40, Size: 0.5, Right: 1,
		}}
	}
	m := LinearModel{Columns: []string{"x"}, Coef: []float64{1}, Noisy: Noisy{law(1)}}
	if got, want := m.ScaledLaw(8), law(8); !reflect.DeepEqual(got, want) || !reflect.DeepEqual(m.Law, law(1)) {
		t.Errorf("got %+v with %+v, want %+v with %+v", got, got.Moments, want, want.Moments)
	}
	was, _ := law(1).Margins(0.95)
	got, _ := m.ScaledLaw(8).Margins(0.95)
	for j := range was {
		if !(math.Abs(got[j]/was[j]-8) < 1e-12) {
			t.Errorf("margin %d: got %g, want 8 times %g", j, got[j], was[j])
		}
	}
}
